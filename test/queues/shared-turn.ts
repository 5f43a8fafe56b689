// The turns of clients that share one queue, whose messages are hidden for a second or two.

import type { Ask } from '../histories/hand.js';
import { below, type Draw } from '../random/arbitrary.js';
import type { QueueAnswer, QueueCall } from './call.js';
import type { CallAction, QueueCaller } from './queue-caller.js';
import { someAction } from './some-action.js';

/** Above it messages are deleted, and none is put. */
const LIVING_MAX = 50;
/** Texts may have 64 KiB. */
const CHARACTERS_MAX = 60_000;
/** Longer than any message is hidden. */
export const HIDDEN_MILLISECONDS_MAX = 2200;

export function sharedTurn(
  caller: QueueCaller,
  queue: string,
  draw: Draw,
): (ask: Ask<QueueCall, QueueAnswer>) => Promise<unknown> {
  // A get without an answer may have taken any message: many of them have too many explanations.
  const weights = [6, 4, 1, 9, 2] as const;
  const options = { queues: [queue], delays: [0, 0, 0, 0, 1], lives: [undefined, 604_800, 604_800, 3] };
  const actions = someAction({ ...options, weights, hidden: [1, 1, 2], length: CHARACTERS_MAX });
  return async ask => {
    const action = draw(actions) as CallAction;
    const isTooMany = action.kind === 'put' && caller.living > LIVING_MAX;
    const remove: CallAction = { kind: 'delete', queue, pick: draw(below(LIVING_MAX)), isStale: false };
    const call = caller.callOf(isTooMany ? remove : action);
    await ask(call ?? { kind: 'get', queue, count: 1, seconds: 1 });
  };
}
