// What a view shows when it has nothing to show: why, and a way on.
import { CircleAlert, type IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import type { Loading } from '../state/loaded.js';
import { Button, Icon } from './button.js';

interface BlankProps {
  readonly icon: IconNode;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly isFailure?: boolean;
}

export const Blank = ({ icon, title, children, isFailure = false }: BlankProps) => (
  <div class={isFailure ? 'blank failed' : 'blank'} role={isFailure ? 'alert' : undefined}>
    <span class="blank-icon">
      <Icon of={icon} size={22} />
    </span>
    <h2>{title}</h2>
    {children}
  </div>
);

interface FailureProps {
  readonly title: string;
  readonly sentence: string;
  readonly onRetry: () => void;
  readonly children?: ComponentChildren;
}

export const Failure = ({ title, sentence, onRetry, children }: FailureProps) => (
  <Blank icon={CircleAlert} title={title} isFailure>
    <p>{sentence}</p>
    <div class="row">
      <Button kind="primary" onClick={onRetry}>
        Try again
      </Button>
      {children}
    </div>
  </Blank>
);

export const Spinner = ({ label }: { readonly label: string }) => (
  <div class="spinner-row" role="status">
    <span class="spinner" aria-hidden="true" />
    {label}
  </div>
);

interface FaultProps {
  /** Without it nothing is wrong. */
  readonly text: string | undefined;
  readonly kind?: string;
}

export const Fault = ({ text, kind = '' }: FaultProps) =>
  text === undefined ? null : (
    <p class={`fault ${kind}`} role="alert">
      {text}
    </p>
  );

interface UntilProps<Value> {
  readonly loading: Loading<Value>;
  /** While there is no value. */
  readonly label: string;
  /** Of a failure. */
  readonly title: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** What was read, why it cannot be read, or that it is being read. */
export function Until<Value>({ loading, label, title, children }: UntilProps<Value>) {
  const { value, failure } = loading.state.value;
  return (
    <>
      {failure !== undefined && <Failure title={title} sentence={failure} onRetry={loading.again} />}
      {failure === undefined && value === undefined && <Spinner label={label} />}
      {value !== undefined && children(value)}
    </>
  );
}
