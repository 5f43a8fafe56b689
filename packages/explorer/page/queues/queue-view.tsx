// One queue: the messages at its head, decoded, and what can be done with them.

import type { PeekedMessageItem } from '@azure/storage-queue';
import { Eraser, ListOrdered, Plus, Undo2 } from 'lucide';
import { useState } from 'preact/hooks';
import { counted } from '../../model/cell.js';
import { originOf } from '../../model/message-text.js';
import { type Place, queueOf } from '../client/account.js';
import { deletePeeked, MESSAGES_MAX, moveMessages } from '../client/take-messages.js';
import { Bar } from '../shell/bar.js';
import { Blank, Until } from '../shell/blank.js';
import { Button } from '../shell/button.js';
import { Loss } from '../shell/dialog.js';
import { Progress } from '../shell/progress.js';
import { useCommands } from '../state/command.js';
import { type Loaded, useLoaded } from '../state/loaded.js';
import { notify, notifyFailure } from '../state/notice.js';
import { useWork } from '../state/work.js';
import { MessageItem } from './message-item.js';
import { MoveDialog } from './move-dialog.js';
import { PutDialog } from './put-dialog.js';

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

/** A dialog, or the message to delete. */
type Asking = 'put' | 'move' | 'clear' | PeekedMessageItem;

interface DialogsProps {
  readonly queue: Place;
  readonly asking: Asking;
  readonly count: number;
  readonly onMove: (target: string, count: number) => void;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Dialogs({ queue, asking, count, onMove, onClose, onDone }: DialogsProps) {
  const { name } = queue;
  if (asking === 'put') return <PutDialog {...{ queue, onClose }} onPut={onDone} />;
  if (asking === 'move') return <MoveDialog {...{ name, count, onMove, onClose }} />;
  if (asking === 'clear') {
    const clear = async (): Promise<void> => {
      await (await queueOf(queue)).clearMessages();
      notify('Cleared the queue.');
      onDone();
    };
    return (
      <Loss title={`Clear ${name}?`} action="Clear the queue" {...{ name, onClose }} perform={clear}>
        <p>All of its messages go. There is no way back.</p>
      </Loss>
    );
  }
  const remove = async (): Promise<void> => {
    if (await deletePeeked(queue, asking.messageId)) notify('Deleted the message.');
    else notify('The message is no longer at the head of the queue: another reader has it.', 'failed');
    onDone();
  };
  return (
    <Loss title="Delete this message?" action="Delete" perform={remove} onClose={onClose}>
      <p>The messages before it are taken for a moment, and count as dequeued once more.</p>
    </Loss>
  );
}

interface MessagesProps {
  readonly state: Loaded<Head>;
  readonly onAsk: (asking: Asking) => void;
  readonly onAgain: () => void;
}

const Messages = ({ state, onAsk, onAgain }: MessagesProps) => (
  <div class="scroll-area">
    <Until loaded={state} label="Peeking…" title="The queue cannot be read" onRetry={onAgain}>
      {({ messages, count }) =>
        messages.length === 0 ? (
          <Blank icon={ListOrdered} title={count === 0 ? 'This queue is empty' : 'No message is visible now'}>
            {count > 0 && <p>About {counted(count, 'message')} will be visible later.</p>}
            <Button kind="primary" icon={Plus} onClick={() => onAsk('put')}>
              Put a message
            </Button>
          </Blank>
        ) : (
          <ul class="messages" aria-label="Messages">
            {messages.map(message => (
              <MessageItem key={message.messageId} message={message} onDelete={() => onAsk(message)} />
            ))}
          </ul>
        )
      }
    </Until>
  </div>
);

const Status = ({ state: { value, isLoading } }: { readonly state: Loaded<Head> }) => (
  <div class="status" role="status">
    {isLoading && <span class="spinner" aria-hidden="true" />}
    {value !== undefined && <span>About {counted(value.count, 'message')}</span>}
    {value?.messages.length === MESSAGES_MAX && <span class="hint">The first {MESSAGES_MAX} are shown.</span>}
  </div>
);

export function QueueView({ account, name }: Place) {
  const queue = { account, name };
  const { state, again } = useLoaded(() => headOf(queue), [account, name]);
  const { work, run, halt } = useWork();
  const [asking, setAsking] = useState<Asking>();
  const [target, setTarget] = useState('');
  const move = async (to: string, count: number): Promise<void> => {
    setTarget(to);
    let moved = 0;
    await run(count, ({ signal, change }) =>
      moveMessages({ from: queue, to, count }, signal, done => {
        moved = done;
        change({ done });
      }).catch(notifyFailure),
    );
    notify(`Moved ${counted(moved, 'message')} to ${to}.`);
    again();
  };
  useCommands(
    () => [
      { title: 'Put a message', key: 'n', run: () => setAsking('put') },
      { title: 'Peek again', key: 'r', run: again },
      { title: 'Move messages to another queue', key: 'm', run: () => setAsking('move') },
    ],
    [name],
  );
  return (
    <div class="view">
      <Bar
        service="queue"
        {...queue}
        againLabel="Peek again"
        onAgain={again}
        primary={{ label: 'Put message', icon: Plus, run: () => setAsking('put') }}
        items={[{ label: 'Clear the queue', icon: Eraser, isDanger: true, run: () => setAsking('clear') }]}
      >
        <Button icon={Undo2} onClick={() => setAsking('move')}>
          {originOf(name) === undefined ? 'Move' : 'Redrive'}
        </Button>
      </Bar>
      <Progress work={work} label={`Moving to ${target}`} unit="message" onHalt={halt} />
      <Messages state={state.value} onAsk={setAsking} onAgain={again} />
      <Status state={state.value} />
      {asking !== undefined && (
        <Dialogs
          {...{ queue, asking }}
          count={state.value.value?.count ?? 0}
          onMove={(to, count) => void move(to, count)}
          onClose={() => setAsking(undefined)}
          onDone={again}
        />
      )}
    </div>
  );
}
