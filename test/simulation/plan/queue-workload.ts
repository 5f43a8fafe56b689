// The actions of queues' clients in a run, and their times: few queues and few messages, so that they collide. They are
// separate clients, and their steps are inserted between those of the tables, which stay the same.
import { Random } from './random.js';
import type { Plan, QueueAction, Step } from './step.js';

/** Numbers of clients from here on are those of queues. */
const FIRST_CLIENT = 100;

class QueueWorkload {
  readonly #random: Random;
  readonly #queues: readonly string[];
  readonly #isTimed: boolean;

  constructor(random: Random, queues: readonly string[]) {
    this.#random = random;
    this.#queues = queues;
    this.#isTimed = random.happens(0.7);
  }

  #queue(): string {
    return this.#random.happens(0.85) ? (this.#queues[0] ?? '') : this.#random.pick(this.#queues);
  }

  #put(): QueueAction {
    const random = this.#random;
    const delay = random.pick([0, 0, 0, 0, 1, 4]);
    const life = random.happens(0.3) ? undefined : random.pick([604_800, 604_800, 6, 20, 4000]);
    return { kind: 'put', queue: this.#queue(), delay, life };
  }

  #take(): QueueAction {
    const random = this.#random;
    const [count, seconds] = [random.pick([1, 1, 1, 2, 3, 32]), random.pick([1, 2, 5, 30, 600])];
    return { kind: 'take', queue: this.#queue(), count, seconds };
  }

  #picked(): { readonly queue: string; readonly pick: number; readonly isStale: boolean } {
    const random = this.#random;
    return { queue: this.#queue(), pick: random.below(1000), isStale: random.happens(0.25) };
  }

  action(): QueueAction {
    const random = this.#random;
    return random.weighted<() => QueueAction>([
      [34, () => this.#put()],
      [24, () => this.#take()],
      [5, () => ({ kind: 'peek', queue: this.#queue(), count: random.pick([1, 3, 32]) })],
      [14, () => ({ kind: 'delete', ...this.#picked() })],
      [
        9,
        () => ({
          kind: 'update',
          ...this.#picked(),
          seconds: random.pick([0, 0, 1, 5, 60]),
          hasText: random.happens(0.5),
        }),
      ],
      [2, () => ({ kind: 'clear', queue: this.#queue() })],
      [1, () => ({ kind: 'deleteQueue', queue: this.#queue() })],
      [2, () => ({ kind: 'createQueue', queue: this.#queue() })],
      [4, () => ({ kind: 'sweep' })],
      [this.#isTimed ? 9 : 0, () => ({ kind: 'pass', seconds: random.pick([1, 1, 2, 5, 10, 60]) })],
    ])();
  }
}

function queueSteps(random: Random, queues: readonly string[]): Step[] {
  const workload = new QueueWorkload(random, queues);
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
      action:
        made === undefined ? (rival?.action ?? workload.action()) : { kind: 'createQueue', queue: made },
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
