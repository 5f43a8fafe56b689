// The sign-in: shown without a session, also over a page with edits, which stay.
import { BookMarked } from 'lucide';
import { useState } from 'preact/hooks';
import { linkIn, openSession, requestLink } from '../client/session.js';
import { Fault } from './blank.js';
import { Button, Icon } from './button.js';
import { Modal } from './dialog.js';
import { Field } from './field.js';

interface SignInProps {
  /** Why the link of the address was refused. */
  readonly refusal: string | undefined;
  /** Whether there is a page behind it. */
  readonly isOver: boolean;
}

const NO_LINK = 'This is not a link of the explorer: copy all of it from the terminal.';

export function SignIn({ refusal, isOver }: SignInProps) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState(refusal);
  const [isPrinted, setPrinted] = useState(false);
  const attempt = (work: Promise<unknown>): Promise<void> =>
    work.then(
      () => setFault(undefined),
      (error: Error) => setFault(error.message),
    );
  const submit = (event: Event): void => {
    event.preventDefault();
    const link = linkIn(text);
    if (link === '') setFault(NO_LINK);
    else void attempt(openSession(link));
  };
  const print = (): void => void attempt(requestLink().then(() => setPrinted(true)));
  const title = isOver ? 'Your session has ended' : 'Open the explorer by its link';
  return (
    <Modal label={title} kind="sign-in" onClose={() => undefined}>
      <form class="dialog-form" onSubmit={submit}>
        <div class="sign-in-body">
          <span class="brand-mark">
            <Icon of={BookMarked} size={22} />
          </span>
          <h2>{title}</h2>
          <p>
            Shelfmark prints a link in the terminal where it runs. A link works once.
            {isOver && ' What you were editing is still here.'}
          </p>
          <Field
            label="Link"
            inputKind="mono"
            placeholder="http://127.0.0.1:10003/#link=…"
            value={text}
            onText={setText}
          />
          <Fault text={fault} />
          {isPrinted && fault === undefined && (
            <p class="hint" role="status">
              A new link is in the terminal now.
            </p>
          )}
          <div class="row spread">
            <Button onClick={print}>Print a new link</Button>
            <Button kind="primary">Open</Button>
          </div>
        </div>
      </form>
    </Modal>
  );
}
