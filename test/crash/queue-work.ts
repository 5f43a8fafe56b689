// The queue that hands share, over all lives of the server: after each of them receipts from before are used, everything visible is
// taken out, and all that was ever answered must fit together.
import type { QueueCall, Shown } from '../queues/call.js';
import type { Random } from '../simulation/random.js';
import { Connection } from '../worker-processes.js';
import type { Journal } from './journal.js';
import { Ledger, NOBODY } from './ledger.js';
import { QueueHand, WORK } from './queue-hand.js';
import type { Watch } from './writer.js';

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
    return Array.from({ length: count }, () => new QueueHand({ port, ledger, random, watch, hidden }));
  }

  /** Gives what is wrong. Nobody else uses the queue. */
  async judge(port: number): Promise<string[]> {
    const connection = new Connection(port);
    try {
      if (!this.#isMade) await this.#ask(connection, { kind: 'createQueue', queue: WORK });
      this.#isMade = true;
      await this.#useReceipts(connection);
      const taken = await this.#takeAll(connection);
      for (const { id, receipt } of taken.slice(0, DELETED))
        await this.#ask(connection, { kind: 'delete', queue: WORK, id, receipt: receipt ?? '' });
    } finally {
      connection.close();
    }
    return this.ledger.judge();
  }

  async #ask(connection: Connection, call: QueueCall): Promise<readonly Shown[]> {
    const answer = await this.ledger.ask(connection, call, NOBODY);
    if (!answer && this.ledger.faults.length === 0) throw new Error('A server that lives gave no answer.');
    return answer?.messages ?? [];
  }

  /** Those that were told before the server was killed hold as long as nobody got their message since; those given up never do. */
  async #useReceipts(connection: Connection): Promise<void> {
    const { random } = this.#options;
    for (let left = HELD_USED + STALE_USED; left > 0; left -= 1) {
      const receipt = left > STALE_USED ? this.ledger.held(random) : this.ledger.stale(random);
      if (!receipt) continue;
      const isDelete = random.happens(0.5);
      const change = { kind: 'update', queue: WORK, ...receipt, seconds: 0, text: undefined } as const;
      await this.#ask(connection, isDelete ? { kind: 'delete', queue: WORK, ...receipt } : change);
    }
  }

  /** Until an answer has room for more: what it does not show cannot be visible. */
  async #takeAll(connection: Connection): Promise<readonly Shown[]> {
    const taken: Shown[] = [];
    for (;;) {
      const call = { kind: 'get', queue: WORK, count: TAKEN_AT_ONCE, seconds: 1 } as const;
      const messages = await this.#ask(connection, call);
      taken.push(...messages);
      if (messages.length < TAKEN_AT_ONCE) return taken;
    }
  }
}
