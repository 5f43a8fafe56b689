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
import { Field as FormField } from '../shell/field.js';

interface PropertyProps {
  readonly field: Field;
  readonly fault: string | undefined;
  readonly isChanged: boolean;
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
  const common = {
    class: 'input mono',
    'aria-label': `Value of ${name || 'the new property'}`,
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
  if (type !== 'String' && type !== 'Binary') return <input {...common} />;
  const placeholder = type === 'String' ? 'empty text' : 'no bytes';
  return <textarea {...common} rows={rowsFor(text)} placeholder={placeholder} />;
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

function PropertyField({ field, fault, isChanged, onChange, onRemove }: PropertyProps) {
  const { name, type, text } = field;
  const note = noteOf(field);
  const choose = (chosen: EdmType): void =>
    onChange({ ...field, type: chosen, text: text === FIRST_TEXT[type] ? FIRST_TEXT[chosen] : text });
  return (
    <li class={isChanged ? 'property changed' : 'property'}>
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
        {isChanged && <span class="changed-mark">changed</span>}
        <TypeSelect label={`Type of ${name || 'the new property'}`} type={type} onChoose={choose} />
        <IconButton icon={Trash2} label={`Remove ${name || 'the new property'}`} isSmall onClick={onRemove} />
      </div>
      <ValueField {...{ field, fault, onChange }} />
      {fault !== undefined ? <p class="fault">{fault}</p> : note !== '' && <p class="hint">{note}</p>}
    </li>
  );
}

/** Of a stored entity: its keys are its address. */
const Fixed = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <p class="field">
    <span class="label">{label}</span>
    <span class="key-text mono">{text === '' ? <em class="hint">empty</em> : text}</span>
  </p>
);

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
  const faultOf = (id: Fault['at']): string | undefined => faults.find(({ at }) => at === id)?.message;
  const setFields = (changed: readonly Field[]): void => onEdit({ ...draft, fields: changed });
  const common = { inputKind: 'mono', isFirst: true };
  return (
    <>
      <div class="keys-box">
        {original === undefined ? (
          <>
            <FormField
              label="PartitionKey"
              value={partitionKey}
              onText={text => onEdit({ ...draft, partitionKey: text })}
              {...common}
            />
            <FormField
              label="RowKey"
              value={rowKey}
              onText={text => onEdit({ ...draft, rowKey: text })}
              {...common}
            />
          </>
        ) : (
          <>
            <Fixed label="PartitionKey" text={partitionKey} />
            <Fixed label="RowKey" text={rowKey} />
            <Fixed label="Timestamp" text={original.timestamp ?? ''} />
          </>
        )}
        {faultOf('keys') !== undefined && <p class="fault">{faultOf('keys')}</p>}
      </div>
      <ul class="properties" aria-label="Properties">
        {fields.map(field => (
          <PropertyField
            key={field.id}
            field={field}
            fault={faultOf(field.id)}
            isChanged={original !== undefined && changes.some(({ name }) => name === field.name)}
            onChange={changed => setFields(fields.map(each => (each.id === field.id ? changed : each)))}
            onRemove={() => setFields(fields.filter(({ id }) => id !== field.id))}
          />
        ))}
      </ul>
      <div class="row add-property">
        <TypeSelect label="Type of the property to add" type={newType} onChoose={setNewType} />
        <Button
          icon={Plus}
          onClick={() => setFields([...fields, fieldOf({ name: '', type: newType }, FIRST_TEXT[newType])])}
        >
          Add property
        </Button>
      </div>
    </>
  );
}
