// Modal dialogs by the browser's own element, which keeps the focus inside and closes by Escape.
import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { close, show } from '../state/command.js';
import { notify } from '../state/notice.js';
import { type Running, useWork } from '../state/work.js';
import { Fault } from './blank.js';
import { Button, IconButton } from './button.js';
import { type Asked, areRight, Fields, type Values } from './field.js';
import { textOfWork, WorkView, type WorkWords } from './work-view.js';

interface ModalProps {
  readonly label: string;
  readonly kind?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** What had the focus before the dialog that goes away now: one in its place gives it back too. */
let last: Element | null = null;

export function Modal({ label, kind = '', onClose, children }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  // At once, so that no key that is typed next goes elsewhere.
  useLayoutEffect(() => {
    const before = document.activeElement === document.body ? last : document.activeElement;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      last = before;
      // Once the dialog is gone: until then nothing else takes the focus.
      queueMicrotask(() => {
        last = null;
        if (before instanceof HTMLElement) before.focus();
      });
    };
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

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly isWide?: boolean | undefined;
  readonly footer?: ComponentChildren;
  /** With it Enter submits the dialog. */
  readonly onSubmit?: () => void;
}

export function Dialog({ title, children, isWide = false, footer, onSubmit }: DialogProps) {
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <Modal label={title} kind={isWide ? 'wide' : ''} onClose={close}>
      <form class="dialog-form" onSubmit={submit}>
        <header class="dialog-head">
          <h2>{title}</h2>
          <IconButton icon={X} label="Close" onClick={close} />
        </header>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <footer class="dialog-foot">{footer}</footer>}
      </form>
    </Modal>
  );
}

interface Question {
  readonly title: string;
  /** What the button does, as a verb; undefined if nothing is left to do. */
  readonly action: string | undefined;
  /** Whether something is lost. */
  readonly isDanger?: boolean;
  readonly isWide?: boolean | undefined;
  readonly text?: ComponentChildren;
  readonly fields?: readonly Asked[];
  /** Of long work: the dialog stays open, and shows how far it is. */
  readonly progress?: (values: Values) => WorkWords;
  /** Without `progress` the dialog closes afterwards, or stays open with a sentence if it fails. */
  readonly perform: (values: Values, running: Running) => Promise<void> | void;
}

function Asking({ title, action, isDanger = false, isWide, text, fields = [], progress, perform }: Question) {
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name, first = '' }) => [name, first])),
  );
  const { work, run, halt } = useWork(cut => {
    const told = progress && textOfWork(cut, progress(values));
    if (cut.failure !== undefined)
      notify(told ? `${told}, then failed: ${cut.failure}` : cut.failure, 'failed');
    else if (told) notify(told);
  });
  const { state, failure } = work;
  const isOver = action === undefined || (isDanger && state === 'done');
  const isDisabled = state === 'running' || !areRight(fields, values);
  const start = (): void => {
    if (isDisabled || isOver) return;
    void run(async running => {
      await perform(values, running);
      // After a Cancel another dialog may be open.
      if (progress === undefined && !running.signal.aborted) close();
    });
  };
  const label = state === 'running' && progress === undefined ? 'Working…' : action;
  const footer = (
    <>
      <Button onClick={close}>{isOver || state === 'done' ? 'Close' : 'Cancel'}</Button>
      {!isOver && (
        <Button kind={isDanger ? 'danger' : 'primary'} disabled={isDisabled} isFirst>
          {label}
        </Button>
      )}
    </>
  );
  return (
    <Dialog {...{ title, isWide, footer }} onSubmit={start}>
      {text}
      <Fields {...{ fields, values }} onChange={part => setValues({ ...values, ...part })} hasFocus />
      {progress === undefined ? (
        <Fault text={failure} />
      ) : (
        <WorkView work={work} {...progress(values)} onHalt={halt} />
      )}
    </Dialog>
  );
}

/** Asks in a dialog, then performs. */
export const ask = (question: Question): void => show(<Asking {...question} />);

/** A name that has to be typed before something is lost. */
export const confirming = (name: string): readonly Asked[] => [
  { name: 'confirmed', label: `Type ${name} to confirm`, isRight: text => text === name },
];
