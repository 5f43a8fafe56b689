// One queue: the messages at its head, decoded, and what can be done with them.
import { Ellipsis, Eraser, KeyRound, ListOrdered, Plus, RefreshCw, Trash2, Undo2 } from 'lucide';
import { useState } from 'preact/hooks';
import { counted, groupDigits } from '../../model/cell.js';
import { originOf } from '../../model/message-text.js';
import {
  clearMessages,
  deleteQueue,
  MESSAGES_MAX,
  type Message,
  type TakenMessage,
} from '../client/queue-client.js';
import { Blank, Failure, Spinner } from '../shell/blank.js';
import { Loss } from '../shell/dialog.js';
import { Icon } from '../shell/icon.js';
import { Menu } from '../shell/menu.js';
import { useCommands } from '../state/command.js';
import { notify, notifyFailure } from '../state/notice.js';
import { currentAccount, refreshListing } from '../state/resources.js';
import { go } from '../state/route.js';
import { MessageItem } from './message-item.js';
import { MoveDialog } from './move-dialog.js';
import { PutDialog } from './put-dialog.js';
import { deletePeeked, drain, moveMessage, useMessages } from './use-messages.js';

interface QueueViewProps {
  readonly account: string;
  readonly name: string;
}

type Asking =
  | { readonly kind: 'put' | 'move' | 'clear' | 'drop' }
  | { readonly kind: 'delete'; readonly message: Message };

interface QueueLossProps extends QueueViewProps {
  readonly asking: Asking;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks before messages or the queue are lost. */
function QueueLoss({ account, name, asking, onClose, onDone }: QueueLossProps) {
  const clear = async (): Promise<void> => {
    await clearMessages(account, name);
    notify('Cleared the queue.');
    onDone();
  };
  const drop = async (): Promise<void> => {
    await deleteQueue(account, name);
    notify(`Deleted queue ${name}.`);
    go({ kind: 'home' });
    await refreshListing('queue');
  };
  if (asking.kind === 'delete') {
    const remove = async (): Promise<void> => {
      const isFound = await deletePeeked(
        { account, name },
        asking.message.messageId,
        new AbortController().signal,
      );
      if (isFound) notify('Deleted the message.');
      else notify('The message is no longer at the head of the queue: another reader has it.', 'failed');
      onDone();
    };
    return (
      <Loss title="Delete this message?" action="Delete" perform={remove} onClose={onClose}>
        <p>The messages before it are taken for a moment, and count as dequeued once more.</p>
      </Loss>
    );
  }
  const isDrop = asking.kind === 'drop';
  return (
    <Loss
      title={isDrop ? `Delete queue ${name}?` : `Clear ${name}?`}
      action={isDrop ? 'Delete the queue' : 'Clear the queue'}
      perform={isDrop ? drop : clear}
      {...{ name, onClose }}
    >
      <p>All of its messages go. There is no way back.</p>
    </Loss>
  );
}

interface BarProps extends QueueViewProps {
  readonly onAsk: (asking: Asking) => void;
  readonly onAgain: () => void;
}

function Bar({ name, onAsk, onAgain }: BarProps) {
  const canSign = currentAccount()?.canSign ?? false;
  const sign = {
    label: 'Shared access signature',
    icon: KeyRound,
    run: () => go({ kind: 'signature', scope: 'queue', resource: name }),
  };
  useCommands(
    () => [
      { title: 'Put a message', key: 'n', run: () => onAsk({ kind: 'put' }) },
      { title: 'Peek again', key: 'r', run: onAgain },
      { title: 'Move messages to another queue', key: 'm', run: () => onAsk({ kind: 'move' }) },
    ],
    [name],
  );
  return (
    <header class="bar">
      <h1 class="ellipsis" title={name}>
        {name}
      </h1>
      <div class="row">
        <button type="button" class="button" title="Peek again" aria-label="Peek again" onClick={onAgain}>
          <Icon of={RefreshCw} />
        </button>
        <button type="button" class="button" onClick={() => onAsk({ kind: 'move' })}>
          <Icon of={Undo2} />
          {originOf(name) === undefined ? 'Move' : 'Redrive'}
        </button>
        <button type="button" class="button primary" onClick={() => onAsk({ kind: 'put' })}>
          <Icon of={Plus} />
          Put message
        </button>
        <Menu
          label="More about this queue"
          button={<Icon of={Ellipsis} />}
          buttonClass="button square"
          items={[
            ...(canSign ? [sign] : []),
            { label: 'Clear the queue', icon: Eraser, isDanger: true, run: () => onAsk({ kind: 'clear' }) },
            { label: 'Delete the queue', icon: Trash2, isDanger: true, run: () => onAsk({ kind: 'drop' }) },
          ]}
        />
      </div>
    </header>
  );
}

export function QueueView({ account, name }: QueueViewProps) {
  const { state, progress, stop, load } = useMessages(account, name);
  const [asking, setAsking] = useState<Asking>();
  const { messages, count, isLoading, failure } = state.value;
  const again = (): void => void load();
  const move = async (target: string, count: number): Promise<void> => {
    setAsking(undefined);
    stop.current = new AbortController();
    let done = 0;
    const title = `Moving to ${target}`;
    progress.value = { title, done, total: count };
    const one = async (message: TakenMessage): Promise<boolean> => {
      if (done >= count) return false;
      await moveMessage({ account, name }, message, target).catch(error => {
        notifyFailure(error);
        throw error;
      });
      progress.value = { title, done: ++done, total: count };
      return done < count;
    };
    await drain({ account, name }, stop.current.signal, one).catch(notifyFailure);
    progress.value = undefined;
    notify(`Moved ${counted(done, 'message')} to ${target}.`);
    again();
  };
  return (
    <div class="view">
      <Bar {...{ account, name }} onAsk={setAsking} onAgain={again} />
      {progress.value !== undefined && (
        <div class="progress" role="status">
          <progress
            value={progress.value.done}
            max={progress.value.total}
            aria-label={progress.value.title}
          />
          {progress.value.title}: {groupDigits(progress.value.done)} of {groupDigits(progress.value.total)}
          <button type="button" class="button" onClick={() => stop.current.abort()}>
            Stop
          </button>
        </div>
      )}
      <div class="scroll-area">
        {failure !== undefined && (
          <Failure title="The queue cannot be read" sentence={failure} onRetry={again} />
        )}
        {failure === undefined && messages.length === 0 && isLoading && <Spinner label="Peeking…" />}
        {failure === undefined && messages.length === 0 && !isLoading && (
          <Blank icon={ListOrdered} title={count === 0 ? 'This queue is empty' : 'No message is visible now'}>
            {count !== undefined && count > 0 && (
              <p>About {counted(count, 'message')} will be visible later.</p>
            )}
            <button type="button" class="button primary" onClick={() => setAsking({ kind: 'put' })}>
              <Icon of={Plus} />
              Put a message
            </button>
          </Blank>
        )}
        <ul class="messages" aria-label="Messages">
          {messages.map(message => (
            <MessageItem
              key={message.messageId}
              message={message}
              onDelete={() => setAsking({ kind: 'delete', message })}
            />
          ))}
        </ul>
      </div>
      <div class="status" role="status">
        {isLoading && <span class="spinner" aria-hidden="true" />}
        {count !== undefined && <span>About {counted(count, 'message')}</span>}
        {messages.length === MESSAGES_MAX && <span class="hint">The first {MESSAGES_MAX} are shown.</span>}
      </div>
      {asking?.kind === 'put' && (
        <PutDialog {...{ account, name }} onClose={() => setAsking(undefined)} onPut={again} />
      )}
      {asking?.kind === 'move' && (
        <MoveDialog
          name={name}
          count={count ?? 0}
          onClose={() => setAsking(undefined)}
          onMove={(to, n) => void move(to, n)}
        />
      )}
      {asking !== undefined && asking.kind !== 'put' && asking.kind !== 'move' && (
        <QueueLoss {...{ account, name, asking }} onClose={() => setAsking(undefined)} onDone={again} />
      )}
    </div>
  );
}
