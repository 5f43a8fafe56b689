// Fields of forms, each with its label.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface LabelledProps {
  readonly label: string;
  /** Of the label: `field`, unless it stands in a line. */
  readonly kind?: string;
  /** Whether it has the focus when its dialog opens. */
  readonly isFirst?: boolean;
}

interface TextFieldProps extends LabelledProps {
  readonly value: string;
  readonly inputKind?: string;
  readonly placeholder?: string;
  readonly isInvalid?: boolean;
  readonly onText: (text: string) => void;
  /** Below or behind the field. */
  readonly children?: ComponentChildren;
}

export const TextField = ({
  label,
  kind = 'field',
  isFirst,
  value,
  inputKind = '',
  placeholder,
  isInvalid = false,
  onText,
  children,
}: TextFieldProps) => (
  <label class={kind}>
    <span>{label}</span>
    <input
      class={`input ${inputKind}`}
      value={value}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      aria-invalid={isInvalid}
      data-autofocus={isFirst}
      onInput={event => onText(event.currentTarget.value)}
    />
    {children}
  </label>
);

/** Each value with its text. */
export type Options<Value extends string> = readonly (readonly [value: Value, text: string])[];

interface ChoiceProps<Value extends string> {
  readonly options: Options<Value>;
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

export const SelectField = <Value extends string>({
  label,
  kind = 'field',
  isFirst,
  options,
  value,
  onChoose,
}: LabelledProps & ChoiceProps<Value>) => (
  <label class={kind}>
    <span>{label}</span>
    <select
      class="input"
      value={value}
      data-autofocus={isFirst}
      onChange={event => onChoose(event.currentTarget.value as Value)}
    >
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

interface RadiosProps<Value extends string> extends ChoiceProps<Value> {
  readonly legend: string;
  /** As one bar of buttons; the legend is only read out. */
  readonly isBar?: boolean;
  readonly disabled?: Value | undefined;
}

export function Radios<Value extends string>(props: RadiosProps<Value>) {
  const { legend, options, value, onChoose, isBar = false, disabled } = props;
  const name = useId();
  return (
    <fieldset class={isBar ? 'segmented' : 'letters'}>
      <legend class={isBar ? 'visually-hidden' : undefined}>{legend}</legend>
      {options.map(([each, text]) => (
        <label key={each} class={isBar ? undefined : 'check'}>
          <input
            type="radio"
            name={name}
            checked={value === each}
            disabled={disabled === each}
            onChange={() => onChoose(each)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onToggle: () => void;
}

export const Check = ({ label, isChecked, onToggle }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={isChecked} onChange={onToggle} />
    {label}
  </label>
);
