// A message as it is peeked.
import type { PeekedMessageItem } from '@azure/storage-queue';
import { Copy, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { counted, formatTime } from '../../model/cell.js';
import { decodeMessage, prettyMessage } from '../../model/message-text.js';
import { IconButton, LinkButton } from '../shell/button.js';
import { copyText } from '../state/notice.js';

interface MessageItemProps {
  readonly message: PeekedMessageItem;
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
  const copy = (): void => copyText(isRaw ? stored : decoded.text, 'Copied the message.');
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
        <IconButton icon={Copy} label="Copy the message" isSmall onClick={copy} />
        <IconButton icon={Trash2} label="Delete the message" isSmall onClick={onDelete} />
      </header>
      <pre class="code">{text === '' ? <em class="hint">empty</em> : text}</pre>
      {isLong && (
        <LinkButton onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all of ${counted(shown.length, 'character')}`}
        </LinkButton>
      )}
    </li>
  );
}
