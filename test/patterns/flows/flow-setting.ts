// What tests of flows share: a key, a schema of it, names that no other flow has, short times, waits for events, and workers that empty a queue.
import assert from 'node:assert/strict';
import { until } from '#base/testing/until';
import type { Db, Repo, StandardSchema } from '#patterns';
import { type Flow, type FlowEvent, flow, type Step, type WorkerOptions } from '#patterns/flows';
import { anna, Employee } from '../support/employee.js';
import type { Peer } from '../support/peers.js';

export interface Key {
  readonly department: string;
  readonly id: number;
}

export const annaKey: Key = { department: anna.department, id: anna.id };

export const AnyKey: StandardSchema<Key> = {
  '~standard': { version: 1, vendor: 'test', validate: value => ({ value: value as Key }) },
};

export type Staff = Repo<typeof Employee>;
export const staffOf = (db: Db, table: string): Staff => db.repo(Employee, { table });

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

/** A flow in queues of its own, with one step unless there are more, and a worker of it whose events can be waited for. */
export async function flowOf<I, O>(
  peer: Peer,
  schema: StandardSchema<I, O>,
  run: Step<O>['run'] | readonly Step<O>[],
  options: Parameters<typeof flow<I, O>>[3] = {},
) {
  const db = peer.open();
  const steps = typeof run === 'function' ? [{ name: 'run', run }] : run;
  const jobs = flow(newName('jobs'), schema, steps, options);
  await jobs.createQueues(db);
  return { db, jobs, ...workersOf(peer, db, jobs) };
}

interface Queued extends Pick<Flow, 'worker' | 'figures'> {
  readonly definition: { readonly queues: readonly string[] };
}

/** Workers of a flow, what they report, and its queue. */
export function workersOf(peer: Peer, db: Db, jobs: Queued) {
  const events: FlowEvent[] = [];
  const [name = ''] = jobs.definition.queues;
  return {
    events,
    queue: peer.queues().getQueueClient(name),
    work: (options: WorkerOptions = {}, by = db) =>
      jobs.worker(by, { ...SOON, report: event => events.push(event), ...options }),
    /** Until so many events of a kind were reported. */
    told: (kind: FlowEvent['kind'], count = 1) =>
      until(`${count} of ${kind}`, () => events.filter(event => event.kind === kind).length >= count),
    figures: async () => {
      const { pending, poisoned } = await jobs.figures(db);
      return [pending, poisoned];
    },
  };
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
