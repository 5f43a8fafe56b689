// Generates histories of one queue: fast-check's steps for the model (model.ts).
import fc from 'fast-check';
import type { Step } from './model.js';

const nat = (max: number) => fc.nat({ max });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ delay: fc.constantFrom(0, 0, 0, 1, 4), life: fc.constantFrom(5, 20, 4000, undefined) })
      .map(({ delay, life }) => ({ kind: 'put' as const, delay, life })),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('get' as const),
      count: fc.integer({ min: 1, max: 5 }),
      seconds: fc.integer({ min: 1, max: 10 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('peek' as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      pick: nat(20),
      seconds: nat(10),
      hasText: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), pick: nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteStale' as const), pick: nat(40) }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'clear' }, { kind: 'sweep' }, { kind: 'sweep' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      seconds: fc.constantFrom(1, 2, 5, 10, 30, 3600, -3600, -2),
    }),
  },
);
export const someHistory = fc.array(step, { maxLength: 60, size: 'max' });
