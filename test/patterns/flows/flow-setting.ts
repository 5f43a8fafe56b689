// What tests of flows share: a key, a schema of it, names that no other flow has, short times, waits for events, and workers that empty a queue.
import assert from 'node:assert/strict';
import { until } from '#base/testing/until';
import type { Db, StandardSchema } from '#patterns';
import type { Flow, FlowEvent, WorkerOptions } from '#patterns/flows';
import { anna } from '../support/employee.js';

export interface Key {
  readonly department: string;
  readonly id: number;
}

export const annaKey: Key = { department: anna.department, id: anna.id };

export const AnyKey: StandardSchema<Key> = {
  '~standard': { version: 1, vendor: 'test', validate: value => ({ value: value as Key }) },
};

let names = 0;
export const newName = (what: string): string => `${what}-${process.pid}-${++names}`;

/** Short rests and pauses. A message in hand stays hidden while the whole machine stands still for seconds, so that no worker takes it twice. */
export const SOON: WorkerOptions = {
  visibility: 60,
  maxDequeue: 20,
  grace: 3,
  redeliverAfter: 3,
  rest: { base: 20, cap: 100 },
  backoff: { base: 1, cap: 1_000 },
};

/** Waits until a worker has reported so many events of a kind. */
export async function told(events: readonly FlowEvent[], kind: FlowEvent['kind'], count = 1): Promise<void> {
  await until(`${count} of ${kind}`, () => events.filter(event => event.kind === kind).length >= count);
}

/** Messages are seen at once, and a write is waited for only so long as it takes: it came before the workers. */
const QUICK: WorkerOptions = { grace: 3, redeliverAfter: 1, concurrency: 8, rest: { base: 20, cap: 100 } };

/** Works until no messages are left. Gives what became of them; none is put aside. */
export async function drained(
  db: Db,
  flow: Pick<Flow, 'figures' | 'worker'>,
  workers = 1,
): Promise<readonly FlowEvent[]> {
  const events: FlowEvent[] = [];
  const options = { ...QUICK, report: (event: FlowEvent) => events.push(event) };
  const running = Array.from({ length: workers }, () => flow.worker(db, options));
  await until('an empty queue', async () => (await flow.figures(db)).pending === 0);
  for (const worker of running) await worker.stop();
  assert(!events.some(({ kind }) => kind === 'poisoned' || kind === 'unreachable'));
  return events;
}
