// Puts a message, as text or in base64.
import { useState } from 'preact/hooks';
import { encodeMessage } from '../../model/message-text.js';
import { sentenceOf } from '../client/ask.js';
import { putMessage } from '../client/queue-client.js';
import { Dialog } from '../shell/dialog.js';
import { notify } from '../state/notice.js';

interface PutDialogProps {
  readonly account: string;
  readonly name: string;
  readonly onPut: () => void;
  readonly onClose: () => void;
}

const LIFETIME_DEFAULT = 7 * 24 * 3600;
const LIFETIMES: readonly (readonly [seconds: number, label: string])[] = [
  [3600, 'an hour'],
  [24 * 3600, 'a day'],
  [LIFETIME_DEFAULT, '7 days'],
  [-1, 'for ever'],
];

export function PutDialog({ account, name, onPut, onClose }: PutDialogProps) {
  const [text, setText] = useState('');
  const [isBase64, setBase64] = useState(false);
  const [lifetime, setLifetime] = useState(LIFETIME_DEFAULT);
  const [delay, setDelay] = useState('0');
  const [failure, setFailure] = useState<string>();
  const isValid = /^\d{1,6}$/.test(delay);
  const put = async (): Promise<void> => {
    if (!isValid) return;
    try {
      const stored = encodeMessage({ text, encoding: isBase64 ? 'base64' : 'text' });
      const times = { visibilityTimeout: Number(delay), messageTimeToLive: lifetime };
      await putMessage(account, name, stored, times);
      notify('Put the message.');
      onClose();
      onPut();
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  const footer = (
    <>
      <button type="button" class="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" class="button primary" disabled={!isValid}>
        Put message
      </button>
    </>
  );
  return (
    <Dialog title="Put a message" onClose={onClose} footer={footer} onSubmit={() => void put()} wide>
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
        <label class="check">
          <input type="checkbox" checked={isBase64} onChange={() => setBase64(!isBase64)} />
          Encode in base64
        </label>
        <label class="inline-field">
          Visible after
          <input
            class="input short"
            value={delay}
            aria-invalid={!isValid}
            onInput={e => setDelay(e.currentTarget.value)}
          />
          seconds
        </label>
        <label class="inline-field">
          Kept
          <select
            class="input"
            value={lifetime}
            onChange={event => setLifetime(Number(event.currentTarget.value))}
          >
            {LIFETIMES.map(([seconds, label]) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {failure !== undefined && (
        <p class="fault" role="alert">
          {failure}
        </p>
      )}
    </Dialog>
  );
}
