// A message as it is peeked.
import { Copy, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { counted, formatTime } from '../../model/cell.js';
import { decodeMessage, prettyMessage } from '../../model/message-text.js';
import type { Message } from '../client/queue-client.js';
import { Icon } from '../shell/icon.js';
import { notify } from '../state/notice.js';

interface MessageItemProps {
  readonly message: Message;
  readonly onDelete: () => void;
}

/** Collapsed beyond this. */
const LINES_MAX = 12;

export function MessageItem({ message, onDelete }: MessageItemProps) {
  const { messageText: stored, expiresOn } = message;
  const decoded = decodeMessage(stored);
  const [isRaw, setRaw] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const shown = isRaw ? stored : prettyMessage(decoded.text);
  const lines = shown.split('\n');
  const isLong = lines.length > LINES_MAX || shown.length > 1500;
  const text = isLong && !isWhole ? lines.slice(0, LINES_MAX).join('\n').slice(0, 1500) : shown;
  const copy = (): void => {
    void navigator.clipboard.writeText(isRaw ? stored : decoded.text);
    notify('Copied the message.');
  };
  return (
    <li class="message">
      <header>
        <code class="ellipsis">{message.messageId}</code>
        {decoded.encoding === 'base64' && (
          <button type="button" class="chip chip-button" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? 'Base64 as stored' : 'Decoded from base64'}
          </button>
        )}
        {message.dequeueCount > 0 && (
          <span class={message.dequeueCount > 4 ? 'chip partition-scan' : 'chip'}>
            Dequeued {counted(message.dequeueCount, 'time')}
          </span>
        )}
        <span class="hint times">
          <span>Put {formatTime(message.insertedOn)}</span>
          <span>
            {expiresOn.getUTCFullYear() === 9999 ? 'Never expires' : `Expires ${formatTime(expiresOn)}`}
          </span>
        </span>
        <button
          type="button"
          class="button quiet square small"
          aria-label="Copy the message"
          title="Copy"
          onClick={copy}
        >
          <Icon of={Copy} size={14} />
        </button>
        <button
          type="button"
          class="button quiet square small"
          aria-label="Delete the message"
          title="Delete"
          onClick={onDelete}
        >
          <Icon of={Trash2} size={14} />
        </button>
      </header>
      <pre class="code">{text === '' ? <em class="hint">empty</em> : text}</pre>
      {isLong && (
        <button type="button" class="link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all of ${counted(shown.length, 'character')}`}
        </button>
      )}
    </li>
  );
}
