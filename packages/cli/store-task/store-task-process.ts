// The child process of store-task.ts: does one task, sends the result, and ends. It also ends with the command that
// started it.
import { ENGINES } from '#server/engines';
import type { StoreReport } from '#store';
import { inspection } from './inspection.js';
import { copyOf, type StoreTask, type StoreTaskAnswer } from './store-task.js';

const ALIVE_MS = 1000;

let lastAlive = 0;

/** A heartbeat that the task itself sends, so that a task that hangs is detected. */
function sayAlive(): void {
  if (performance.now() - lastAlive < ALIVE_MS) return;
  lastAlive = performance.now();
  say({ kind: 'alive' });
}

function say(answer: StoreTaskAnswer, then?: () => void): void {
  process.send?.(answer, undefined, undefined, then);
}

const run = async (task: StoreTask): Promise<StoreReport> =>
  task.kind === 'check'
    ? ENGINES.tool(task.store, 'check')(inspection, sayAlive)
    : copyOf(task).make(inspection, sayAlive);

process.once('disconnect', () => process.exit(1));
process.once('message', (task: StoreTask) => {
  run(task).then(
    report => say({ kind: 'report', report }, () => process.exit(0)),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      say({ kind: 'failure', message }, () => process.exit(0));
    },
  );
});
