// The dialogs of a queue: to put a message, to move or clear all, to delete one.
import type { PeekedMessageItem } from '@azure/storage-queue';
import { useState } from 'preact/hooks';
import { counted } from '../../model/cell.js';
import { encodeMessage, originOf } from '../../model/message-text.js';
import { type Place, queueOf } from '../client/account.js';
import { deletePeeked } from '../client/take-messages.js';
import { Action, Loss } from '../shell/dialog.js';
import { Check, type Options, SelectField, TextField } from '../shell/field.js';
import { notify } from '../state/notice.js';
import { namesOf } from '../state/resources.js';

/** A dialog, or the message to delete. */
export type Asking = 'put' | 'move' | 'clear' | PeekedMessageItem;

interface DialogProps {
  readonly queue: Place;
  /** About how many messages there are. */
  readonly count: number;
  readonly onMove: (target: string, count: number) => void;
  readonly onClose: () => void;
  /** The queue must be read again. */
  readonly onDone: () => void;
}

const LIFETIME_DEFAULT = '604800';
const LIFETIMES: Options<string> = [
  ['3600', 'an hour'],
  ['86400', 'a day'],
  [LIFETIME_DEFAULT, '7 days'],
  ['-1', 'for ever'],
];

function Put({ queue, onDone, onClose }: DialogProps) {
  const [text, setText] = useState('');
  const [isBase64, setBase64] = useState(false);
  const [lifetime, setLifetime] = useState(LIFETIME_DEFAULT);
  const [delay, setDelay] = useState('0');
  const isValid = /^\d{1,6}$/.test(delay);
  const perform = async (): Promise<void> => {
    const stored = encodeMessage({ text, encoding: isBase64 ? 'base64' : 'text' });
    const times = { visibilityTimeout: Number(delay), messageTimeToLive: Number(lifetime) };
    await (await queueOf(queue)).sendMessage(stored, times);
    notify('Put the message.');
    onDone();
  };
  return (
    <Action title="Put a message" action="Put message" isReady={isValid} isWide {...{ perform, onClose }}>
      <label class="field">
        <span>Text</span>
        <textarea
          class="input mono"
          rows={8}
          value={text}
          spellcheck={false}
          data-autofocus
          onInput={event => setText(event.currentTarget.value)}
        />
      </label>
      <div class="row wrap gap">
        <Check label="Encode in base64" isChecked={isBase64} onToggle={() => setBase64(!isBase64)} />
        <TextField
          label="Visible after"
          kind="inline-field"
          inputKind="short"
          value={delay}
          isInvalid={!isValid}
          onText={setDelay}
        >
          seconds
        </TextField>
        <SelectField
          label="Kept"
          kind="inline-field"
          options={LIFETIMES}
          value={lifetime}
          onChoose={setLifetime}
        />
      </div>
    </Action>
  );
}

/** From a poison queue back to where they came from, unless another is chosen. */
function Move({ queue: { name }, count, onMove, onClose }: DialogProps) {
  const others = namesOf('queue').filter(each => each !== name);
  const origin = originOf(name);
  const [target, setTarget] = useState(others.find(each => each === origin) ?? others[0] ?? '');
  const [limit, setLimit] = useState(String(Math.max(1, count)));
  const isValid = /^[1-9]\d{0,8}$/.test(limit);
  return (
    <Action
      title={origin === undefined ? 'Move messages' : 'Redrive messages'}
      action="Move"
      isReady={isValid && target !== ''}
      perform={() => onMove(target, Number(limit))}
      onClose={onClose}
    >
      {others.length === 0 && <p>There is no other queue in this account: create one first.</p>}
      <SelectField
        label="To the queue"
        options={others.map(each => [each, each])}
        value={target}
        onChoose={setTarget}
        isFirst
      />
      <TextField
        label="At most so many messages"
        inputKind="short"
        value={limit}
        isInvalid={!isValid}
        onText={setLimit}
      >
        <span class="hint">
          About {counted(count, 'message')} in {name}.
        </span>
      </TextField>
      <p class="hint">
        Each message is put there before it is deleted here: after a failure one may be in both, none is lost.
      </p>
    </Action>
  );
}

function Clear({ queue, onClose, onDone }: DialogProps) {
  const { name } = queue;
  const perform = async (): Promise<void> => {
    await (await queueOf(queue)).clearMessages();
    notify('Cleared the queue.');
    onDone();
  };
  return (
    <Loss title={`Clear ${name}?`} action="Clear the queue" {...{ name, perform, onClose }}>
      <p>All of its messages go. There is no way back.</p>
    </Loss>
  );
}

export function Dialogs({ asking, ...props }: DialogProps & { readonly asking: Asking }) {
  if (asking === 'put') return <Put {...props} />;
  if (asking === 'move') return <Move {...props} />;
  if (asking === 'clear') return <Clear {...props} />;
  const remove = async (): Promise<void> => {
    if (await deletePeeked(props.queue, asking.messageId)) notify('Deleted the message.');
    else notify('The message is no longer at the head of the queue: another reader has it.', 'failed');
    props.onDone();
  };
  return (
    <Loss title="Delete this message?" action="Delete" perform={remove} onClose={props.onClose}>
      <p>The messages before it are taken for a moment, and count as dequeued once more.</p>
    </Loss>
  );
}
