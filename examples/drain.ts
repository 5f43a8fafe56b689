// Two workers, as if in two processes, that work until a flow has no messages left.
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '#patterns';
import type { Flow, WorkerOptions } from '#patterns/flows';

export async function drain(
  db: Db,
  flow: Pick<Flow, 'worker' | 'figures'>,
  options: WorkerOptions = {},
): Promise<void> {
  const quick = { rest: { base: 20, cap: 200 }, ...options };
  const workers = [flow.worker(db, quick), flow.worker(db, quick)];
  while ((await flow.figures(db)).pending > 0) await pause(50);
  for (const worker of workers) await worker.stop();
}
