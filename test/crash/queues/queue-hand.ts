// One connection that puts, gets, updates and deletes messages of the shared queue, one call after the other, sometimes
// with an outdated receipt. It continues after a lost answer with another connection.
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueCall } from '../../queues/call.js';
import type { Random } from '../../simulation/plan/random.js';
import { Connection } from '../../support/worker-processes.js';
import type { Watch } from '../tables/writer.js';
import type { Ledger } from './ledger.js';

export const WORK = 'work';

/** Above it nothing more is put. */
const LIVING_MAX = 50;
const TAKEN_AT_ONCE_MAX = 32;
/** Texts may have 64 KiB. */
const LARGE_CHARACTERS_MAX = 60_000;
const SMALL_CHARACTERS_MAX = 200;
const RECONNECT_MILLISECONDS = 5;

export interface HandOptions {
  /** For each new connection. */
  readonly port: () => number;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly watch: Watch;
  /** Seconds that a message may be hidden. */
  readonly hidden: readonly number[];
  /** Default WORK. */
  readonly queue?: string;
}

export function textOf(name: string, random: Random): string {
  const most = random.happens(0.08) ? LARGE_CHARACTERS_MAX : SMALL_CHARACTERS_MAX;
  return `${name} <&> é `.padEnd(random.below(most), 'ab');
}

export class QueueHand {
  readonly #options: HandOptions;
  readonly #queue: string;
  #connection: Connection;
  #isOver = false;

  constructor(options: HandOptions) {
    this.#options = options;
    this.#queue = options.queue ?? WORK;
    this.#connection = new Connection(options.port());
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    const { ledger, port, watch } = this.#options;
    while (!this.#isOver && ledger.faults.length === 0) {
      if (await ledger.ask(this.#connection, this.#choose(), watch)) continue;
      this.#connection.close();
      this.#connection = new Connection(port());
      await sleep(RECONNECT_MILLISECONDS);
    }
    this.#connection.close();
  }

  #choose(): QueueCall {
    const { ledger, random } = this.#options;
    const call = random.weighted<() => QueueCall | undefined>([
      [ledger.living > LIVING_MAX ? 0 : 6, () => this.#put()],
      [7, () => this.#delete()],
      [2, () => this.#update()],
      [1, () => this.#stale()],
      [1, () => ({ kind: 'peek', queue: this.#queue, count: random.pick([1, TAKEN_AT_ONCE_MAX]) })],
      [5, () => this.#get()],
    ])();
    return call ?? this.#get();
  }

  #put(): QueueCall {
    const { ledger, random } = this.#options;
    const text = textOf(ledger.newName(), random);
    const delay = random.pick([0, 0, 0, 0, 1]);
    const life = random.happens(0.3) ? undefined : random.pick([604_800, 604_800, 3]);
    return { kind: 'put', queue: this.#queue, text, delay, life };
  }

  #get(): QueueCall {
    const { random, hidden } = this.#options;
    const count = random.pick([1, 1, 2, 4, TAKEN_AT_ONCE_MAX]);
    return { kind: 'get', queue: this.#queue, count, seconds: random.pick(hidden) };
  }

  #delete(): QueueCall | undefined {
    const held = this.#options.ledger.held(this.#options.random);
    return held && { kind: 'delete', queue: this.#queue, ...held };
  }

  #update(): QueueCall | undefined {
    const { ledger, random, hidden } = this.#options;
    const held = ledger.held(random);
    const name = held && ledger.nameOf(held.id);
    if (!held || name === undefined) return undefined;
    const text = random.happens(0.5) ? textOf(`${name} changed by ${ledger.newName()}`, random) : undefined;
    return { kind: 'update', queue: this.#queue, ...held, seconds: random.pick([0, ...hidden]), text };
  }

  #stale(): QueueCall | undefined {
    const { ledger, random } = this.#options;
    const stale = ledger.stale(random);
    if (!stale) return undefined;
    return random.happens(0.5)
      ? { kind: 'delete', queue: this.#queue, ...stale }
      : { kind: 'update', queue: this.#queue, ...stale, seconds: 1, text: undefined };
  }
}
