// The actions of queues' clients in a run, and their times: few queues and few messages, so that they collide. They are
// separate clients, and their steps are inserted between those of the tables, which stay the same.
import fc from 'fast-check';
import { onQueue, someAction } from '../../queues/some-action.js';
import { below, between, chance, type Draw, from, several } from '../../random/arbitrary.js';
import type { Plan, QueueAction, Step } from './step.js';

/** Numbers of clients from here on are those of queues. */
const FIRST_CLIENT = 100;

function actionsOn(queues: readonly string[], isTimed: boolean): fc.Arbitrary<QueueAction> {
  const pass = fc.record({ kind: fc.constant('pass'), seconds: from([1, 1, 2, 5, 10, 60]) });
  return someAction({
    queues,
    delays: [0, 0, 0, 0, 1, 4],
    lives: [undefined, undefined, 604_800, 604_800, 6, 20, 4000],
    hidden: [1, 2, 5, 30, 600],
    others: [
      [2, onQueue('clear', queues)],
      [1, onQueue('deleteQueue', queues)],
      [2, onQueue('createQueue', queues)],
      [4, fc.constant({ kind: 'sweep' })],
      [isTimed ? 9 : 0, pass],
    ],
  });
}

function queueSteps(draw: Draw, queues: readonly string[]): Step[] {
  const clients = draw(from([1, 2, 2, 3, 4]));
  const isRush = draw(chance(30));
  // Another client does the same at the same moment: they compete for the same messages.
  const step = fc.record({
    client: below(clients),
    pause: isRush ? fc.constant(0) : from([0, 0, 1, 3, 8, 20]),
    isRival: chance(isRush ? 40 : 15),
    action: actionsOn(queues, draw(chance(70))),
  });
  const steps: Step[] = [];
  for (const { client, pause, isRival, action } of draw(several(step, 20, 60))) {
    const rival = isRival && clients > 1 ? steps.at(-1) : undefined;
    const made = queues[steps.length];
    steps.push({
      number: 0,
      client: FIRST_CLIENT + (rival ? (rival.client + 1 - FIRST_CLIENT) % clients : client),
      pause: rival ? 0 : pause,
      level: 'nometadata',
      credential: 'accountSas',
      action: made === undefined ? (rival?.action ?? action) : { kind: 'createQueue', queue: made },
    });
  }
  return steps;
}

/** The steps of the tables with those of queues in between, all renumbered. */
export function withQueues(tableSteps: readonly Step[], draw: Draw): Pick<Plan, 'queues' | 'steps'> {
  const queues = ['jobs', 'more-jobs'].slice(0, draw(between(1, 2)));
  const [ofTables, ofQueues] = [[...tableSteps], queueSteps(draw, queues)];
  const steps: Step[] = [];
  while (ofTables.length + ofQueues.length > 0) {
    const isOfTables = draw(below(ofTables.length + ofQueues.length)) < ofTables.length;
    const step = (isOfTables ? ofTables : ofQueues).shift();
    if (step) steps.push({ ...step, number: steps.length + 1 });
  }
  return { queues, steps };
}
