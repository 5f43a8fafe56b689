// The actions on queues, as fast-check generates them. Few queues and few messages, so that clients collide.
import fc from 'fast-check';
import { below, from, oneOf, seldom } from '../random/arbitrary.js';
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
  readonly others?: readonly (readonly [weight: number, action: fc.Arbitrary<QueueAction>])[];
}

const SHORT = 200;
const TAKEN_AT_ONCE_MAX = 32;

/** Mostly the first. */
const someQueue = (queues: readonly string[]): fc.Arbitrary<string> =>
  seldom(15, from(queues), from(queues.slice(0, 1)));

/** For any one of the kinds that only name a queue. */
export const onQueue = (
  kind: 'createQueue' | 'deleteQueue' | 'clear',
  queues: readonly string[],
): fc.Arbitrary<QueueAction> => someQueue(queues).map((queue): QueueAction => ({ kind, queue }));

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
  const picked = { queue, pick: below(1001), isStale: from([true, false, false, false]) };
  const text = oneOf([11, fc.nat({ max: Math.min(length, SHORT) })], [1, fc.nat({ max: length })]);
  const [delay, life, seconds] = [from(delays), from(lives), from(hidden)];
  const count = from([1, 1, 1, 2, 3, 5, TAKEN_AT_ONCE_MAX]);
  const changes = { seconds: from([0, ...hidden]), hasText: fc.boolean(), length: text };
  return oneOf<QueueAction>(
    [put, fc.record({ kind: fc.constant('put'), queue, delay, life, length: text })],
    [take, fc.record({ kind: fc.constant('get'), queue, count, seconds })],
    [peek, fc.record({ kind: fc.constant('peek'), queue, count })],
    [remove, fc.record({ kind: fc.constant('delete'), ...picked })],
    [update, fc.record({ kind: fc.constant('update'), ...picked, ...changes })],
    ...others,
  );
}
