// What tests of flows share: a key, a schema of it, names that no other flow has, and short times.
import type { StandardSchema } from '#patterns';
import type { WorkerOptions } from '#patterns/flows';
import { anna } from './employee.js';

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

/** Short times, so that what was left is soon taken over. */
export const SOON: WorkerOptions = {
  visibility: 1,
  maxDequeue: 20,
  grace: 3,
  secondLook: 3,
  rest: { base: 20, cap: 100 },
  backoff: { base: 1, cap: 1_000 },
};
