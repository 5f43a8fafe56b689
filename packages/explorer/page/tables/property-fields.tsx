// The fields of an entity's properties: name, type, and a text that is the value exactly.
import { Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { EDM_TYPES, type EdmType } from '#data-tools/line';
import { bytesIn, formatBytes } from '../../model/cell.js';
import {
  type Difference,
  type Draft,
  type Fault,
  FIRST_TEXT,
  type Field,
  fieldOf,
} from '../../model/draft.js';
import { Button, IconButton } from '../shell/button.js';
import { TextField } from '../shell/field.js';

interface PropertyProps {
  readonly field: Field;
  readonly fault: string | undefined;
  /** Whether the stored entity has the same. */
  readonly isSame: boolean;
  readonly onChange: (field: Field) => void;
  readonly onRemove: () => void;
}

const ROWS_MAX = 8;
/** A field grows with its text, up to a limit. */
const rowsFor = (text: string): number =>
  Math.min(ROWS_MAX, Math.max(text.split('\n').length, Math.ceil(text.length / 44)));

const noteOf = ({ type, text }: Field): string => {
  if (type === 'String' && text.length > 120) return `${text.length} characters`;
  return type === 'Binary' && text !== '' ? `${formatBytes(bytesIn(text.trim()))}, base64` : '';
};

function ValueField({ field, fault, onChange }: Pick<PropertyProps, 'field' | 'fault' | 'onChange'>) {
  const { name, type, text } = field;
  const label = `Value of ${name || 'the new property'}`;
  const common = {
    class: 'input mono',
    'aria-label': label,
    'aria-invalid': fault !== undefined,
    spellcheck: false,
    value: text,
    onInput: (event: { readonly currentTarget: { readonly value: string } }): void =>
      onChange({ ...field, text: event.currentTarget.value }),
  };
  if (type === 'Boolean' && (text === 'true' || text === 'false'))
    return (
      <select {...common}>
        <option>true</option>
        <option>false</option>
      </select>
    );
  if (type === 'String' || type === 'Binary')
    return (
      <textarea
        {...common}
        rows={rowsFor(text)}
        placeholder={type === 'String' ? 'empty text' : 'no bytes'}
      />
    );
  return <input {...common} />;
}

interface TypeSelectProps {
  readonly label: string;
  readonly type: EdmType;
  readonly onChoose: (type: EdmType) => void;
}

const TypeSelect = ({ label, type, onChoose }: TypeSelectProps) => (
  <select
    class="type-select"
    aria-label={label}
    value={type}
    onChange={event => onChoose(event.currentTarget.value as EdmType)}
  >
    {EDM_TYPES.map(each => (
      <option key={each}>{each}</option>
    ))}
  </select>
);

function PropertyField({ field, fault, isSame, onChange, onRemove }: PropertyProps) {
  const { name, type } = field;
  const note = noteOf(field);
  return (
    <li class={isSame ? 'property' : 'property changed'}>
      <div class="property-head">
        <input
          class="property-name"
          aria-label="Name of the property"
          value={name}
          placeholder="name"
          spellcheck={false}
          autocomplete="off"
          onInput={event => onChange({ ...field, name: event.currentTarget.value })}
        />
        {!isSame && <span class="changed-mark">changed</span>}
        <TypeSelect
          label={`Type of ${name || 'the new property'}`}
          type={type}
          onChoose={chosen => {
            const isFresh = field.text === FIRST_TEXT[type];
            onChange({ ...field, type: chosen, text: isFresh ? FIRST_TEXT[chosen] : field.text });
          }}
        />
        <IconButton icon={Trash2} label={`Remove ${name || 'the new property'}`} isSmall onClick={onRemove} />
      </div>
      <ValueField {...{ field, fault, onChange }} />
      {fault !== undefined ? <p class="fault">{fault}</p> : note !== '' && <p class="hint">{note}</p>}
    </li>
  );
}

interface KeyFieldProps {
  readonly name: string;
  readonly value: string;
  readonly isFixed: boolean;
  readonly onChange: (text: string) => void;
}

function KeyField({ name, value, isFixed, onChange }: KeyFieldProps) {
  if (isFixed)
    return (
      <p class="field">
        <span class="label">{name}</span>
        <span class="key-text mono">{value === '' ? <em class="hint">empty</em> : value}</span>
      </p>
    );
  return <TextField label={name} inputKind="mono" value={value} onText={onChange} isFirst />;
}

interface FieldsProps {
  readonly draft: Draft;
  readonly faults: readonly Fault[];
  /** What differs from the stored entity. */
  readonly changes: readonly Difference[];
  readonly onEdit: (draft: Draft) => void;
}

export function PropertyFields({ draft, faults, changes, onEdit }: FieldsProps) {
  const { partitionKey, rowKey, fields, original } = draft;
  const [newType, setNewType] = useState<EdmType>('String');
  const isFixed = original !== undefined;
  const changed = new Set(changes.map(({ name }) => name));
  const faultOf = (id: Fault['at']): string | undefined => faults.find(({ at }) => at === id)?.message;
  const keyFault = faultOf('keys');
  const change = (field: Field): void =>
    onEdit({ ...draft, fields: fields.map(each => (each.id === field.id ? field : each)) });
  const add = (): void =>
    onEdit({ ...draft, fields: [...fields, fieldOf({ name: '', type: newType }, FIRST_TEXT[newType])] });
  return (
    <>
      <div class="keys-box">
        <KeyField
          name="PartitionKey"
          value={partitionKey}
          isFixed={isFixed}
          onChange={text => onEdit({ ...draft, partitionKey: text })}
        />
        <KeyField
          name="RowKey"
          value={rowKey}
          isFixed={isFixed}
          onChange={text => onEdit({ ...draft, rowKey: text })}
        />
        {keyFault !== undefined && <p class="fault">{keyFault}</p>}
        {original?.timestamp !== undefined && (
          <p class="field">
            <span class="label">Timestamp</span>
            <span class="mono">{original.timestamp}</span>
          </p>
        )}
      </div>
      <ul class="properties" aria-label="Properties">
        {fields.map(field => (
          <PropertyField
            key={field.id}
            field={field}
            fault={faultOf(field.id)}
            isSame={!isFixed || !changed.has(field.name)}
            onChange={change}
            onRemove={() => onEdit({ ...draft, fields: fields.filter(({ id }) => id !== field.id) })}
          />
        ))}
      </ul>
      <div class="row add-property">
        <TypeSelect label="Type of the property to add" type={newType} onChoose={setNewType} />
        <Button icon={Plus} onClick={add}>
          Add property
        </Button>
      </div>
    </>
  );
}
