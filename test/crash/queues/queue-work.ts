// The shared queue over all lives of the server: after each life receipts from before are used, every visible message is
// taken out, and all answers must be consistent.
import type { QueueCall, Shown } from '../../queues/call.js';
import type { Random } from '../../simulation/plan/random.js';
import { Connection } from '../../support/worker-processes.js';
import type { Journal } from '../journal.js';
import type { Watch } from '../tables/writer.js';
import { Ledger, NOBODY } from './ledger.js';
import { QueueHand, WORK } from './queue-hand.js';

const TAKEN_AT_ONCE = 32;
const HELD_USED = 6;
const STALE_USED = 4;
const DELETED = 8;

export interface WorkOptions {
  readonly random: Random;
  readonly journal: Journal;
  /** Seconds that a message may be hidden. */
  readonly hidden: readonly number[];
}

export class QueueWork {
  readonly ledger: Ledger;
  readonly #options: WorkOptions;
  #isMade = false;

  constructor(options: WorkOptions) {
    this.#options = options;
    this.ledger = new Ledger(options.journal);
  }

  hands(count: number, port: number, watch: Watch): QueueHand[] {
    const { random, hidden } = this.#options;
    const { ledger } = this;
    return Array.from(
      { length: count },
      () => new QueueHand({ port: () => port, ledger, random, watch, hidden }),
    );
  }

  /** Returns what is wrong. No other client uses the queue. */
  async judge(port: number): Promise<string[]> {
    if (!this.#isMade) await this.#ask(port, [{ kind: 'createQueue', queue: WORK }]);
    this.#isMade = true;
    await this.#ask(port, this.#useReceipts());
    const taken = await this.#takeAll(port);
    const deletes = taken.slice(0, DELETED).map(({ id, receipt = '' }): QueueCall => {
      return { kind: 'delete', queue: WORK, id, receipt };
    });
    await this.#ask(port, deletes);
    return this.ledger.judge();
  }

  /** All at once, each on a connection of its own. */
  async #ask(port: number, calls: readonly QueueCall[]): Promise<readonly Shown[]> {
    const asking = calls.map(async call => {
      const connection = new Connection(port);
      const answer = await this.ledger.ask(connection, call, NOBODY);
      connection.close();
      if (!answer && this.ledger.faults.length === 0) throw new Error('A server that lives gave no answer.');
      return answer?.messages ?? [];
    });
    return (await Promise.all(asking)).flat();
  }

  /** Receipts from before the kill are valid until another get of their message; stale ones never are. */
  #useReceipts(): QueueCall[] {
    const { random } = this.#options;
    return Array.from({ length: HELD_USED + STALE_USED }).flatMap((_, index): QueueCall[] => {
      const receipt = index < HELD_USED ? this.ledger.held(random) : this.ledger.stale(random);
      if (!receipt) return [];
      if (random.happens(0.5)) return [{ kind: 'delete', queue: WORK, ...receipt }];
      return [{ kind: 'update', queue: WORK, ...receipt, seconds: 0, text: undefined }];
    });
  }

  /** Until an answer has room for more: what it does not show cannot be visible. */
  async #takeAll(port: number): Promise<readonly Shown[]> {
    const taken: Shown[] = [];
    for (;;) {
      const messages = await this.#ask(port, [
        { kind: 'get', queue: WORK, count: TAKEN_AT_ONCE, seconds: 1 },
      ]);
      taken.push(...messages);
      if (messages.length < TAKEN_AT_ONCE) return taken;
    }
  }
}
