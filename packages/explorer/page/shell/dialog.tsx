// Modal dialogs by the browser's own element, which keeps the focus inside and closes by Escape.
import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../client/ask.js';
import { Fault } from './blank.js';
import { Button, IconButton } from './button.js';
import { TextField } from './field.js';

interface ModalProps {
  readonly label: string;
  readonly kind?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Modal({ label, kind = '', onClose, children }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  // At once, so that no key that is typed next goes elsewhere.
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    // Once the dialog is gone: until then nothing else takes the focus.
    return () => queueMicrotask(() => before instanceof HTMLElement && before.focus());
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return (
    // A second Escape without another input in between closes it whatever `cancel` does.
    <dialog ref={element} class={`dialog ${kind}`} aria-label={label} onCancel={cancel} onClose={onClose}>
      {children}
    </dialog>
  );
}

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
}

interface FormDialogProps extends DialogProps {
  readonly footer?: ComponentChildren;
  /** With it Enter submits the dialog. */
  readonly onSubmit?: () => void;
}

export function Dialog({ title, onClose, children, isWide = false, footer, onSubmit }: FormDialogProps) {
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <Modal label={title} kind={isWide ? 'wide' : ''} onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <header class="dialog-head">
          <h2>{title}</h2>
          <IconButton icon={X} label="Close" onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <footer class="dialog-foot">{footer}</footer>}
      </form>
    </Modal>
  );
}

interface ActionProps extends DialogProps {
  /** What the button does, as a verb. */
  readonly action: string;
  readonly isReady?: boolean;
  readonly isDanger?: boolean;
  readonly perform: () => Promise<void> | void;
}

/** Performs and closes, or stays open with a sentence if that fails. */
export function Action({ action, isReady = true, isDanger = false, perform, ...dialog }: ActionProps) {
  const { onClose, children } = dialog;
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const isDisabled = !isReady || isBusy;
  const start = async (): Promise<void> => {
    if (isDisabled) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await perform();
      onClose();
    } catch (error) {
      setFailure(sentenceOf(error));
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind={isDanger ? 'danger' : 'primary'} disabled={isDisabled} isFirst>
        {isBusy ? 'Working…' : action}
      </Button>
    </>
  );
  return (
    <Dialog {...dialog} footer={footer} onSubmit={() => void start()}>
      {children}
      <Fault text={failure} />
    </Dialog>
  );
}

interface LossProps extends Omit<ActionProps, 'isReady' | 'isDanger'> {
  /** Has to be typed first. */
  readonly name?: string;
}

/** Asks before something is lost. */
export function Loss({ name, children, ...action }: LossProps) {
  const [typed, setTyped] = useState('');
  return (
    <Action {...action} isDanger isReady={name === undefined || typed === name}>
      {children}
      {name !== undefined && (
        <TextField label={`Type ${name} to confirm`} value={typed} onText={setTyped} isFirst />
      )}
    </Action>
  );
}
