// Moves messages to another queue: from a poison queue back to where they came from.
import { useState } from 'preact/hooks';
import { counted } from '../../model/cell.js';
import { originOf } from '../../model/message-text.js';
import { Dialog } from '../shell/dialog.js';
import { listings } from '../state/resources.js';

interface MoveDialogProps {
  readonly name: string;
  /** About how many there are. */
  readonly count: number;
  readonly onMove: (target: string, count: number) => void;
  readonly onClose: () => void;
}

export function MoveDialog({ name, count, onMove, onClose }: MoveDialogProps) {
  const others = listings.queue.value.names.filter(each => each !== name);
  const origin = originOf(name);
  const [target, setTarget] = useState(others.find(each => each === origin) ?? others[0] ?? '');
  const [limit, setLimit] = useState(String(Math.max(1, count)));
  const isValid = target !== '' && /^[1-9]\d{0,8}$/.test(limit);
  const footer = (
    <>
      <button type="button" class="button" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" class="button primary" disabled={!isValid}>
        Move
      </button>
    </>
  );
  return (
    <Dialog
      title={origin === undefined ? 'Move messages' : 'Redrive messages'}
      onClose={onClose}
      footer={footer}
      onSubmit={() => isValid && onMove(target, Number(limit))}
    >
      {others.length === 0 ? (
        <p>There is no other queue in this account: create one first.</p>
      ) : (
        <>
          <label class="field">
            <span>To the queue</span>
            <select
              class="input"
              value={target}
              data-autofocus
              onChange={event => setTarget(event.currentTarget.value)}
            >
              {others.map(each => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>At most so many messages</span>
            <input
              class="input short"
              value={limit}
              aria-invalid={!isValid}
              onInput={e => setLimit(e.currentTarget.value)}
            />
            <span class="hint">
              About {counted(count, 'message')} in {name}.
            </span>
          </label>
          <p class="hint">
            Each message is put there before it is deleted here: after a failure one may be in both, none is
            lost.
          </p>
        </>
      )}
    </Dialog>
  );
}
