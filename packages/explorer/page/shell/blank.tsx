// What a view shows when it has nothing to show: why, and a way on.
import { CircleAlert, type IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.js';

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
      <button type="button" class="button primary" onClick={onRetry}>
        Try again
      </button>
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
