// One queue: the messages at its head, decoded, and what can be done with them.
import type { PeekedMessageItem } from '@azure/storage-queue';
import { Copy, Eraser, ListOrdered, Plus, RefreshCw, Trash2, Undo2 } from 'lucide';
import { useState } from 'preact/hooks';
import { counted, formatTime } from '../../model/cell.js';
import { decodeMessage, originOf, prettyMessage } from '../../model/message-text.js';
import { type Place, queueOf } from '../client/account.js';
import { MESSAGES_MAX } from '../client/take-messages.js';
import { type Action, Bar } from '../shell/bar.js';
import { Blank, Until } from '../shell/blank.js';
import { Button, IconButton } from '../shell/button.js';
import { type Loading, useLoaded } from '../state/loaded.js';
import { copyText } from '../state/notice.js';
import { clear, move, put, remove } from './questions.js';

interface Head {
  readonly messages: readonly PeekedMessageItem[];
  /** The service's own, which it calls approximate. */
  readonly count: number;
}

async function headOf(queue: Place): Promise<Head> {
  const client = await queueOf(queue);
  const [{ peekedMessageItems }, { approximateMessagesCount }] = await Promise.all([
    client.peekMessages({ numberOfMessages: MESSAGES_MAX }),
    client.getProperties(),
  ]);
  return { messages: peekedMessageItems, count: approximateMessagesCount ?? 0 };
}

interface MessageItemProps {
  readonly message: PeekedMessageItem;
  readonly onDelete: () => void;
}

function MessageItem({ message, onDelete }: MessageItemProps) {
  const { messageId, messageText: stored, dequeueCount, insertedOn, expiresOn } = message;
  const decoded = decodeMessage(stored);
  const [isRaw, setRaw] = useState(false);
  const text = isRaw ? stored : decoded.text;
  return (
    <li class="message">
      <header>
        <code class="ellipsis">{messageId}</code>
        {decoded.encoding === 'base64' && (
          <button type="button" class="chip chip-button" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? 'Base64 as stored' : 'Decoded from base64'}
          </button>
        )}
        {dequeueCount > 0 && (
          <span class={dequeueCount > 4 ? 'chip partition-scan' : 'chip'}>
            Dequeued {counted(dequeueCount, 'time')}
          </span>
        )}
        <span class="hint times">
          <span>Put {formatTime(insertedOn)}</span>
          <span>
            {expiresOn.getUTCFullYear() === 9999 ? 'Never expires' : `Expires ${formatTime(expiresOn)}`}
          </span>
        </span>
        <IconButton
          icon={Copy}
          label="Copy the message"
          isSmall
          onClick={() => copyText(text, 'Copied the message.')}
        />
        <IconButton icon={Trash2} label="Delete the message" isSmall onClick={onDelete} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keys. */}
      <pre class="code" tabIndex={0}>
        {text === '' ? <em class="hint">empty</em> : isRaw ? text : prettyMessage(text)}
      </pre>
    </li>
  );
}

interface MessagesProps {
  readonly loading: Loading<Head>;
  readonly onPut: () => void;
  readonly onDelete: (id: string) => void;
}

const Messages = ({ loading, onPut, onDelete }: MessagesProps) => (
  <div class="scroll-area">
    <Until loading={loading} label="Peeking…" title="The queue cannot be read">
      {({ messages, count }) =>
        messages.length === 0 ? (
          <Blank icon={ListOrdered} title={count === 0 ? 'This queue is empty' : 'No message is visible now'}>
            {count > 0 && <p>About {counted(count, 'message')} will be visible later.</p>}
            <Button kind="primary" icon={Plus} onClick={onPut}>
              Put a message
            </Button>
          </Blank>
        ) : (
          <ul class="messages" aria-label="Messages">
            {messages.map(message => (
              <MessageItem
                key={message.messageId}
                message={message}
                onDelete={() => onDelete(message.messageId)}
              />
            ))}
          </ul>
        )
      }
    </Until>
  </div>
);

export function QueueView({ account, name }: Place) {
  const queue = { account, name };
  const loading = useLoaded(() => headOf(queue), [account, name]);
  const { value, isLoading } = loading.state.value;
  const again = (): void => void loading.again();
  const onPut = (): void => put(queue, again);
  const text = originOf(name) === undefined ? 'Move' : 'Redrive';
  const actions: readonly Action[] = [
    {
      ...{ label: `${text} messages`, text, icon: Undo2, key: 'm', place: 'button' },
      run: () => move(queue, value?.count ?? 0, again),
    },
    { label: 'Peek again', icon: RefreshCw, key: 'r', place: 'button', run: again },
    { label: 'Put message', icon: Plus, key: 'n', place: 'primary', run: onPut },
    { label: 'Clear the queue', icon: Eraser, isDanger: true, run: () => clear(queue, again) },
  ];
  return (
    <div class="view">
      <Bar service="queue" {...{ ...queue, actions }} />
      <Messages {...{ loading, onPut }} onDelete={id => remove(queue, id, again)} />
      <div class="status" role="status">
        {isLoading && <span class="spinner" aria-hidden="true" />}
        {value && <span>About {counted(value.count, 'message')}</span>}
        {value?.messages.length === MESSAGES_MAX && (
          <span class="hint">The first {MESSAGES_MAX} are shown.</span>
        )}
      </div>
    </div>
  );
}
