// Moves messages to another queue: from a poison queue back to where they came from.
import { useState } from 'preact/hooks';
import { counted } from '../../model/cell.js';
import { originOf } from '../../model/message-text.js';
import { Action } from '../shell/dialog.js';
import { SelectField, TextField } from '../shell/field.js';
import { namesOf } from '../state/resources.js';

interface MoveDialogProps {
  readonly name: string;
  /** About how many there are. */
  readonly count: number;
  readonly onMove: (target: string, count: number) => void;
  readonly onClose: () => void;
}

export function MoveDialog({ name, count, onMove, onClose }: MoveDialogProps) {
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
      {others.length === 0 ? (
        <p>There is no other queue in this account: create one first.</p>
      ) : (
        <>
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
            Each message is put there before it is deleted here: after a failure one may be in both, none is
            lost.
          </p>
        </>
      )}
    </Action>
  );
}
