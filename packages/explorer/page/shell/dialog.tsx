// A modal dialog by the browser's own element, which keeps the focus inside and closes by Escape.
import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../client/ask.js';
import { Icon } from './icon.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly wide?: boolean;
  /** With it the dialog is a form, which Enter submits. */
  readonly onSubmit?: () => void;
}

export function Dialog({ title, onClose, children, footer, wide = false, onSubmit }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once, so that no key that is typed next goes elsewhere.
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
    >
      <form class="dialog-form" onSubmit={submit}>
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="button quiet square" aria-label="Close" onClick={onClose}>
            <Icon of={X} />
          </button>
        </header>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <footer class="dialog-foot">{footer}</footer>}
      </form>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What the button does, as a verb. */
  readonly action: string;
  /** A name that has to be typed first. */
  readonly typed?: {
    readonly wanted: string;
    readonly value: string;
    readonly onInput: (text: string) => void;
  };
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is lost. */
export function Confirm({
  title,
  children,
  action,
  typed,
  isBusy,
  failure,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const isReady = !isBusy && (typed === undefined || typed.wanted === typed.value);
  const footer = (
    <>
      <button type="button" class="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" class="button danger" disabled={!isReady} data-autofocus={typed === undefined}>
        {isBusy ? 'Working…' : action}
      </button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer} onSubmit={() => isReady && onConfirm()}>
      {children}
      {typed !== undefined && (
        <label class="field">
          <span>
            Type <code>{typed.wanted}</code> to confirm
          </span>
          <input
            class="input"
            value={typed.value}
            autocomplete="off"
            spellcheck={false}
            data-autofocus
            onInput={event => typed.onInput(event.currentTarget.value)}
          />
        </label>
      )}
      {failure !== undefined && (
        <p class="fault" role="alert">
          {failure}
        </p>
      )}
    </Dialog>
  );
}

interface LossProps {
  readonly title: string;
  readonly action: string;
  /** Has to be typed first. */
  readonly name?: string;
  readonly children: ComponentChildren;
  readonly perform: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks, performs, and stays open with a sentence if that fails. */
export function Loss({ title, action, name, children, perform, onClose }: LossProps) {
  const [value, setValue] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      await perform();
      onClose();
    } catch (error) {
      setFailure(sentenceOf(error));
      setBusy(false);
    }
  };
  const typed = name === undefined ? {} : { typed: { wanted: name, value, onInput: setValue } };
  return (
    <Confirm {...{ title, action, isBusy, failure, onClose }} {...typed} onConfirm={() => void start()}>
      {children}
    </Confirm>
  );
}
