// The progress of long work: how far, what failed, and a way to stop.
import { counted, groupDigits } from '../../model/cell.js';
import type { Work } from '../state/work.js';
import { Fault } from './blank.js';
import { Button } from './button.js';

const ENTITIES = ['entity', 'entities'] as const;

export interface WorkWords {
  /** As `Deleted`. */
  readonly verb: string;
  /** What is counted, and where it goes: `message`, `messages`, `to orders`. */
  readonly unit?: readonly [one: string, many: string, where?: string];
}

/** How far it is, or what became of it. */
export function textOfWork({ state, done, total }: Work, { verb, unit = ENTITIES }: WorkWords): string {
  const [one, many, where = ''] = unit;
  const isPart = state === 'running' && total !== undefined;
  const count = isPart ? `${groupDigits(done)} of ${counted(total, one, many)}` : counted(done, one, many);
  const end = state === 'stopped' ? ', then stopped.' : state === 'done' ? '.' : '';
  return [verb, count, where].filter(Boolean).join(' ') + end;
}

interface WorkViewProps extends WorkWords {
  readonly work: Work;
  readonly onHalt: () => void;
}

export function WorkView({ work, onHalt, ...words }: WorkViewProps) {
  const { state, done, total, failed, failure } = work;
  if (state === 'ready') return null;
  const isRunning = state === 'running';
  const known = total === undefined ? {} : { value: done, max: Math.max(1, total) };
  return (
    <div class="work" role="status">
      <div class="row">
        {isRunning && <progress aria-label={words.verb} {...known} />}
        <span class="grow">{textOfWork(work, words)}</span>
        {isRunning && <Button onClick={onHalt}>Stop</Button>}
      </div>
      <Fault text={failure} />
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
