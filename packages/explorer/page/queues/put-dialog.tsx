// Puts a message, as text or in base64.
import { useState } from 'preact/hooks';
import { encodeMessage } from '../../model/message-text.js';
import { type Place, queueOf } from '../client/account.js';
import { Action } from '../shell/dialog.js';
import { Check, type Options, SelectField, TextField } from '../shell/field.js';
import { notify } from '../state/notice.js';

interface PutDialogProps {
  readonly queue: Place;
  readonly onPut: () => void;
  readonly onClose: () => void;
}

const DAY_SECONDS = 24 * 3600;
const LIFETIME_DEFAULT = String(7 * DAY_SECONDS);
const LIFETIMES: Options<string> = [
  ['3600', 'an hour'],
  [String(DAY_SECONDS), 'a day'],
  [LIFETIME_DEFAULT, '7 days'],
  ['-1', 'for ever'],
];

export function PutDialog({ queue, onPut, onClose }: PutDialogProps) {
  const [text, setText] = useState('');
  const [isBase64, setBase64] = useState(false);
  const [lifetime, setLifetime] = useState(LIFETIME_DEFAULT);
  const [delay, setDelay] = useState('0');
  const isValid = /^\d{1,6}$/.test(delay);
  const put = async (): Promise<void> => {
    const stored = encodeMessage({ text, encoding: isBase64 ? 'base64' : 'text' });
    const times = { visibilityTimeout: Number(delay), messageTimeToLive: Number(lifetime) };
    await (await queueOf(queue)).sendMessage(stored, times);
    notify('Put the message.');
    onPut();
  };
  return (
    <Action
      title="Put a message"
      action="Put message"
      isReady={isValid}
      perform={put}
      onClose={onClose}
      isWide
    >
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
