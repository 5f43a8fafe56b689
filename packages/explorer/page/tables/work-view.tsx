// The progress of long work: how far, what failed, and a way to stop.
import { counted, groupDigits } from '../../model/cell.js';
import type { Work } from './use-transfer.js';

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
        {state === 'running' && (
          <button type="button" class="button" onClick={onHalt}>
            Stop
          </button>
        )}
      </div>
      {state === 'failed' && (
        <p class="fault" role="alert">
          {sentence}
        </p>
      )}
      {failed.length > 0 && (
        <ul class="failed-rows fault">
          {failed.map(({ row, reason }) => (
            <li key={JSON.stringify([row.partitionKey, row.rowKey])} class="break">
              {row.partitionKey} · {row.rowKey}: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
