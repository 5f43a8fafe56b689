// What tests of flows share: a key, a schema of it, names that no other flow has, short times, and waits for events.

import { until } from '#base/testing/until';
import type { StandardSchema } from '#patterns';
import type { FlowEvent, WorkerOptions } from '#patterns/flows';
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
