// The progress of long work: how far, what failed, and a way to stop.
import { counted, groupDigits } from '../../model/cell.js';
import { Fault } from '../shell/blank.js';
import { Button } from '../shell/button.js';
import type { Work } from '../state/work.js';

interface WorkViewProps {
  readonly work: Work;
  /** As `Deleted`. */
  readonly verb: string;
  readonly onHalt: () => void;
}

export function WorkView({ work, verb, onHalt }: WorkViewProps) {
  const { state, done, total, failed, sentence } = work;
  if (state === 'ready') return null;
  const text = `${verb} ${counted(done, 'entity', 'entities')}`;
  return (
    <div class="work" role="status">
      <div class="row">
        {state === 'running' && (
          <progress
            aria-label={verb}
            {...(total !== undefined && { value: done, max: Math.max(1, total) })}
          />
        )}
        <span class="grow">
          {text}
          {total !== undefined && state === 'running' && ` of ${groupDigits(total)}`}
          {state === 'stopped' && ', then stopped.'}
          {state === 'done' && '.'}
        </span>
        {state === 'running' && <Button onClick={onHalt}>Stop</Button>}
      </div>
      {state === 'failed' && <Fault text={sentence} />}
      {failed.length > 0 && (
        <ul class="failed-rows fault">
          {failed.map(({ what, reason }) => (
            <li key={what} class="break">
              {what}: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
