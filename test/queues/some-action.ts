// The actions on queues, as fast-check generates them. Few queues and few messages, so that clients collide.
import fc from 'fast-check';
import type { QueueAction } from '../simulation/plan/step.js';

interface ActionOptions {
  /** The first is the one that clients mostly use. */
  readonly queues: readonly string[];
  readonly delays: readonly number[];
  readonly lives: readonly (number | undefined)[];
  /** Seconds that a get or an update hides a message. */
  readonly hidden: readonly number[];
  /** Characters of a text, at most; most have far fewer. */
  readonly length?: number;
  /** Of put, take, peek, delete and update. */
  readonly weights?: readonly [put: number, take: number, peek: number, remove: number, update: number];
  /** What else there is than calls on messages. */
  readonly others?: readonly fc.WeightedArbitrary<QueueAction>[];
}

const SHORT = 200;
const TAKEN_AT_ONCE_MAX = 32;

const constant = <const T>(value: T): fc.Arbitrary<T> => fc.constant(value);

const someQueue = ([first = '', ...others]: readonly string[]): fc.Arbitrary<string> =>
  fc.constantFrom(...Array.from({ length: 6 * others.length + 1 }, () => first), ...others);

/** For any one of the kinds that only name a queue. */
export const onQueue = <Kind extends 'createQueue' | 'deleteQueue' | 'clear'>(
  kind: Kind,
  queues: readonly string[],
): fc.Arbitrary<QueueAction> => someQueue(queues).map(queue => ({ kind, queue }));

export function someAction({
  queues,
  delays,
  lives,
  hidden,
  length = 0,
  weights: [put, take, peek, remove, update] = [34, 24, 5, 14, 9],
  others = [],
}: ActionOptions): fc.Arbitrary<QueueAction> {
  const queue = someQueue(queues);
  const isStale = fc.constantFrom(true, false, false, false);
  const picked = { queue, pick: fc.nat({ max: 1000 }), isStale };
  const short = fc.nat({ max: Math.min(length, SHORT) });
  const text = fc.oneof({ weight: 11, arbitrary: short }, { weight: 1, arbitrary: fc.nat({ max: length }) });
  const [delay, life] = [fc.constantFrom(...delays), fc.constantFrom(...lives)];
  const seconds = fc.constantFrom(...hidden);
  const count = fc.constantFrom(1, 1, 1, 2, 3, 5, TAKEN_AT_ONCE_MAX);
  const changes = { seconds: fc.constantFrom(0, ...hidden), hasText: fc.boolean(), length: text };
  return fc.oneof<fc.WeightedArbitrary<QueueAction>[]>(
    { weight: put, arbitrary: fc.record({ kind: constant('put'), queue, delay, life, length: text }) },
    { weight: take, arbitrary: fc.record({ kind: constant('take'), queue, count, seconds }) },
    { weight: peek, arbitrary: fc.record({ kind: constant('peek'), queue, count }) },
    { weight: remove, arbitrary: fc.record({ kind: constant('delete'), ...picked }) },
    { weight: update, arbitrary: fc.record({ kind: constant('update'), ...picked, ...changes }) },
    ...others,
  );
}
