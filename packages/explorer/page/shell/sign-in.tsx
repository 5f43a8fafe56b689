// The sign-in: shown without a session, also over a page with edits, which stay.
import { BookMarked } from 'lucide';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkIn, openSession, requestLink } from '../client/session.js';
import { Icon } from './icon.js';

interface SignInProps {
  /** Why the link of the address was refused. */
  readonly refusal: string | undefined;
  /** Whether there is a page behind it. */
  readonly isOver: boolean;
}

/** The dialog's state: what was typed, and what came of it. */
function useSignIn(refusal: string | undefined) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState(refusal);
  const [isPrinted, setPrinted] = useState(false);
  const attempt = async (work: () => Promise<string | undefined>): Promise<boolean> => {
    const sentence = await work().catch(() => 'The explorer does not answer. Is Shelfmark still running?');
    setFault(sentence);
    return sentence === undefined;
  };
  const open = async (): Promise<void> => {
    const link = linkIn(text);
    if (link === '') setFault('This is not a link of the explorer: copy all of it from the terminal.');
    else if (await attempt(() => openSession(link))) setText('');
  };
  const print = async (): Promise<void> => {
    if (await attempt(requestLink)) setPrinted(true);
  };
  return { text, setText, fault, isPrinted, open, print };
}

export function SignIn({ refusal, isOver }: SignInProps) {
  const { text, setText, fault, isPrinted, open, print } = useSignIn(refusal);
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => element.current?.showModal(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    void open();
  };
  return (
    <dialog
      ref={element}
      class="dialog sign-in"
      aria-labelledby="sign-in-title"
      onCancel={e => e.preventDefault()}
    >
      <form class="dialog-form" onSubmit={submit}>
        <div class="sign-in-body">
          <span class="brand-mark">
            <Icon of={BookMarked} size={22} />
          </span>
          <h2 id="sign-in-title">{isOver ? 'Your session has ended' : 'Open the explorer by its link'}</h2>
          <p>
            Shelfmark prints a link in the terminal where it runs. A link works once.
            {isOver && ' What you were editing is still here.'}
          </p>
          <label class="field">
            <span>Link</span>
            <input
              class="input mono"
              placeholder="http://127.0.0.1:10003/#link=…"
              value={text}
              autocomplete="off"
              spellcheck={false}
              onInput={event => setText(event.currentTarget.value)}
            />
          </label>
          {fault !== undefined && (
            <p class="fault" role="alert">
              {fault}
            </p>
          )}
          {isPrinted && fault === undefined && (
            <p class="hint" role="status">
              A new link is in the terminal now.
            </p>
          )}
          <div class="row spread">
            <button type="button" class="button" onClick={() => void print()}>
              Print a new link
            </button>
            <button type="submit" class="button primary">
              Open
            </button>
          </div>
        </div>
      </form>
    </dialog>
  );
}
