// The fields of an entity's properties: name, type, and a text that is the value exactly.
import { Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { EDM_TYPES, type EdmType } from '#data-tools/line';
import { bytesIn, formatBytes } from '../../model/cell.js';
import { type Draft, type Fault, FIRST_TEXT, type Field, fieldOf } from '../../model/draft.js';
import { Icon } from '../shell/icon.js';

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
  };
  if (type === 'Boolean' && (text === 'true' || text === 'false'))
    return (
      <select {...common} onChange={event => onChange({ ...field, text: event.currentTarget.value })}>
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
        onInput={event => onChange({ ...field, text: event.currentTarget.value })}
      />
    );
  return <input {...common} onInput={event => onChange({ ...field, text: event.currentTarget.value })} />;
}

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
        <select
          class="type-select"
          aria-label={`Type of ${name || 'the new property'}`}
          value={type}
          onChange={event => {
            const chosen = event.currentTarget.value as EdmType;
            const isFresh = field.text === FIRST_TEXT[type];
            onChange({ ...field, type: chosen, text: isFresh ? FIRST_TEXT[chosen] : field.text });
          }}
        >
          {EDM_TYPES.map(each => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <button
          type="button"
          class="button quiet square small"
          aria-label={`Remove ${name || 'the new property'}`}
          title="Remove"
          onClick={onRemove}
        >
          <Icon of={Trash2} size={14} />
        </button>
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
  return (
    <label class="field">
      <span class="label">{name}</span>
      <input
        class="input mono"
        value={value}
        spellcheck={false}
        autocomplete="off"
        data-autofocus={name === 'PartitionKey'}
        onInput={event => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly faults: readonly Fault[];
  /** Ids of fields that differ from the stored entity. */
  readonly changed: ReadonlySet<number>;
  readonly onEdit: (draft: Draft) => void;
}

export function PropertyFields({ draft, faults, changed, onEdit }: FieldsProps) {
  const { partitionKey, rowKey, fields, original } = draft;
  const [newType, setNewType] = useState<EdmType>('String');
  const isFixed = original !== undefined;
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
            isSame={!changed.has(field.id)}
            onChange={change}
            onRemove={() => onEdit({ ...draft, fields: fields.filter(({ id }) => id !== field.id) })}
          />
        ))}
      </ul>
      <div class="row add-property">
        <select
          class="type-select"
          aria-label="Type of the property to add"
          value={newType}
          onChange={event => setNewType(event.currentTarget.value as EdmType)}
        >
          {EDM_TYPES.map(each => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <button type="button" class="button" onClick={add}>
          <Icon of={Plus} size={15} />
          Add property
        </button>
      </div>
    </>
  );
}
