// The actions of queues' clients in a run, and their times: few queues and few messages, so that they collide. They are
// separate clients, and their steps are inserted between those of the tables, which stay the same.
import fc from 'fast-check';
import { drawing } from '../../histories/drawing.js';
import { onQueue, someAction } from '../../queues/some-action.js';
import { Random } from './random.js';
import type { Plan, QueueAction, Step } from './step.js';

/** Numbers of clients from here on are those of queues. */
const FIRST_CLIENT = 100;

const weighted = (
  weight: number,
  arbitrary: fc.Arbitrary<QueueAction>,
): fc.WeightedArbitrary<QueueAction> => ({
  weight,
  arbitrary,
});

function actionsOn(queues: readonly string[], isTimed: boolean): fc.Arbitrary<QueueAction> {
  const pass = fc.record({
    kind: fc.constant('pass' as const),
    seconds: fc.constantFrom(1, 1, 2, 5, 10, 60),
  });
  return someAction({
    queues,
    delays: [0, 0, 0, 0, 1, 4],
    lives: [undefined, undefined, 604_800, 604_800, 6, 20, 4000],
    hidden: [1, 2, 5, 30, 600],
    others: [
      weighted(2, onQueue('clear', queues)),
      weighted(1, onQueue('deleteQueue', queues)),
      weighted(2, onQueue('createQueue', queues)),
      weighted(4, fc.constant({ kind: 'sweep' })),
      weighted(isTimed ? 9 : 0, pass),
    ],
  });
}

function queueSteps(random: Random, queues: readonly string[]): Step[] {
  const nextAction = drawing(actionsOn(queues, random.happens(0.7)), random.below(2 ** 31));
  const clients = random.pick([1, 2, 2, 3, 4]);
  const isRush = random.happens(0.3);
  const length = random.between(20, 60);
  const steps: Step[] = [];
  while (steps.length < length) {
    const last = steps.at(-1);
    // Another client does the same at the same moment: they compete for the same messages.
    const rival = last && clients > 1 && random.happens(isRush ? 0.4 : 0.15) ? last : undefined;
    const made = queues[steps.length];
    steps.push({
      number: 0,
      client: FIRST_CLIENT + (rival ? (rival.client + 1 - FIRST_CLIENT) % clients : random.below(clients)),
      pause: rival || isRush ? 0 : random.pick([0, 0, 1, 3, 8, 20]),
      level: 'nometadata',
      credential: 'accountSas',
      action: made === undefined ? (rival?.action ?? nextAction()) : { kind: 'createQueue', queue: made },
    });
  }
  return steps;
}

/** The steps of the tables with those of queues in between, all renumbered. */
export function withQueues(tableSteps: readonly Step[], seed: number): Pick<Plan, 'queues' | 'steps'> {
  const random = new Random(seed ^ 0x51ed270b);
  const queues = ['jobs', 'more-jobs'].slice(0, random.between(1, 2));
  const [ofTables, ofQueues] = [[...tableSteps], queueSteps(random, queues)];
  const steps: Step[] = [];
  while (ofTables.length + ofQueues.length > 0) {
    const isOfTables = random.below(ofTables.length + ofQueues.length) < ofTables.length;
    const step = (isOfTables ? ofTables : ofQueues).shift();
    if (step) steps.push({ ...step, number: steps.length + 1 });
  }
  return { queues, steps };
}
