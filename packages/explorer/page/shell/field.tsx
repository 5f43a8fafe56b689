// Fields of forms, each with its label: one at a time, or a form's fields by their descriptions.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** Each value with its text. */
export type Options<Value extends string = string> = readonly (readonly [value: Value, text: string])[];

interface FieldForm<Value extends string> {
  /** Empty for boxes that need none. */
  readonly label: string;
  /** Options are a list to choose from, or `radios`, a `bar` of buttons, or `boxes`, whose value is those checked. */
  readonly kind?: 'field' | 'field grow' | 'inline-field' | 'radios' | 'bar' | 'boxes';
  readonly options?: Options<Value>;
  /** Of a text with lines. */
  readonly rows?: number;
  readonly inputKind?: string;
  readonly placeholder?: string;
}

interface FieldProps<Value extends string> extends FieldForm<Value> {
  readonly value: Value;
  readonly onText: (text: Value) => void;
  readonly isInvalid?: boolean;
  /** Whether it has the focus when its dialog opens. */
  readonly isFirst?: boolean | undefined;
  /** The option that cannot be chosen. */
  readonly disabled?: Value | undefined;
  /** Below or behind the field. */
  readonly children?: ComponentChildren;
}

function Choices<Value extends string>(props: FieldProps<Value>) {
  const { label, kind, options = [], value, onText, disabled } = props;
  const name = useId();
  const [isBar, isMany] = [kind === 'bar', kind === 'boxes'];
  const chosenBy = (option: Value): Value => {
    if (!isMany) return option;
    return (value.includes(option) ? value.replace(option, '') : value + option) as Value;
  };
  return (
    <fieldset class={isBar ? 'segmented' : 'letters'}>
      {label !== '' && <legend class={isBar ? 'visually-hidden' : undefined}>{label}</legend>}
      {options.map(([option, text]) => (
        <label key={option} class={isBar ? undefined : 'check'}>
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={name}
            checked={isMany ? value.includes(option) : value === option}
            disabled={disabled === option}
            onChange={() => onText(chosenBy(option))}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

export function Field<Value extends string = string>(props: FieldProps<Value>) {
  const { label, kind = 'field', options, rows, inputKind = '', value, isInvalid = false } = props;
  if (kind === 'radios' || kind === 'bar' || kind === 'boxes') return <Choices {...props} />;
  const common = {
    class: `input ${inputKind}`,
    value,
    placeholder: props.placeholder,
    autocomplete: 'off',
    spellcheck: false,
    'aria-invalid': isInvalid,
    'data-autofocus': props.isFirst,
    onInput: (event: { readonly currentTarget: { readonly value: string } }): void =>
      props.onText(event.currentTarget.value as Value),
  } as const;
  const text = rows === undefined ? <input {...common} /> : <textarea {...common} rows={rows} />;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is inside, whichever it is.
    <label class={kind}>
      <span>{label}</span>
      {options === undefined ? (
        text
      ) : (
        <select {...common}>
          {options.map(([each, shown]) => (
            <option key={each} value={each}>
              {shown}
            </option>
          ))}
        </select>
      )}
      {props.children}
    </label>
  );
}

/** Texts by the names of fields. */
export type Values = Readonly<Record<string, string>>;

/** A field of a form. */
export interface Asked extends FieldForm<string> {
  readonly name: string;
  /** What it begins with; empty without it. */
  readonly first?: string;
  readonly isRight?: (text: string) => boolean;
  readonly hint?: ComponentChildren;
}

const isFaulty = ({ name, isRight }: Asked, values: Values): boolean =>
  isRight?.(values[name] ?? '') === false;
export const areRight = (fields: readonly Asked[], values: Values): boolean =>
  !fields.some(field => isFaulty(field, values));

interface FieldsProps {
  readonly fields: readonly Asked[];
  readonly values: Values;
  readonly onChange: (part: Values) => void;
  /** Whether the first one has the focus when its dialog opens. */
  readonly hasFocus?: boolean;
}

export const Fields = ({ fields, values, onChange, hasFocus = false }: FieldsProps) =>
  fields.map((field, at) => {
    const { name, first = '', hint, isRight: _, ...form } = field;
    const value = values[name] ?? '';
    const isInvalid = hint !== undefined && value !== first && isFaulty(field, values);
    return (
      <Field
        key={name}
        {...form}
        {...{ value, isInvalid }}
        isFirst={hasFocus && at === 0}
        onText={text => onChange({ [name]: text })}
      >
        {hint !== undefined && <span class={isInvalid ? 'fault' : 'hint'}>{hint}</span>}
      </Field>
    );
  });
