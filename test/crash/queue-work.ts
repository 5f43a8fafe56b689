// The clients of queues: hands that share one queue, and one that creates, fills, clears and deletes a queue of its own
// again and again. After each life receipts from before are used, and every visible message is taken out.
import { type Ask, Hand } from '../histories/hand.js';
import { faultTexts } from '../histories/history.js';
import type { Ledger } from '../histories/ledger.js';
import type { Watch } from '../histories/trigger.js';
import type { QueueAnswer, QueueCall, QueueHappening, Shown } from '../queues/call.js';
import { queueFaults } from '../queues/judge.js';
import { QueueLedger } from '../queues/queue-ledger.js';
import { sharedTurn } from '../queues/shared-turn.js';
import { below, chance } from '../random/arbitrary.js';
import { Connection, type Sender } from '../support/worker-processes.js';
import { Work, type WorkOptions } from './work.js';

const WORK = 'work';
/** The maximum of a peek and of a get. */
const MESSAGES_MAX = 32;
const PICKS = 1000;
const HELD_USED = 6;
const STALE_USED = 4;
const DELETED = 8;
/** Every so often the queue is deleted instead of cleared. */
const CLEARS_A_DELETE = 3;

export class QueueWork extends Work<QueueCall, QueueAnswer, QueueHappening> {
  declare readonly ledger: QueueLedger;
  readonly #lives = new Set<string>();
  #isMade = false;
  #clears = 0;

  constructor({ draw, journal, isOfOne }: WorkOptions) {
    super(draw, new QueueLedger(journal, { isOfOne }));
  }

  hands(count: number, port: number, watch: Watch): readonly Hand<QueueCall, QueueAnswer>[] {
    const { ledger } = this;
    const turn = sharedTurn(ledger.caller, WORK, this.draw);
    return Array.from({ length: count }, () => new Hand({ port: () => port, ledger, watch, turn }));
  }

  /** It never gets messages: clearing and deleting remove all of them at once. */
  life(queue: string, port: number, watch: Watch): Hand<QueueCall, QueueAnswer> {
    this.#lives.add(queue);
    const { ledger } = this;
    const turn = async (ask: Ask<QueueCall, QueueAnswer>): Promise<void> => {
      await ask({ kind: 'createQueue', queue });
      let answer = await ask({ kind: 'clear', queue });
      for (let left = MESSAGES_MAX; left > 0 && answer !== undefined; left -= 1)
        answer = await ask({ kind: 'put', queue, text: ledger.caller.newName(), delay: 0, life: undefined });
      this.#clears += 1;
      if (answer !== undefined && this.#clears % CLEARS_A_DELETE === 0)
        await ask({ kind: 'deleteQueue', queue });
    };
    return new Hand({ port: () => port, ledger, watch, turn });
  }

  override async judge(sender: Sender): Promise<readonly string[]> {
    this.ledger.settle();
    const { port } = sender;
    if (!this.#isMade) await this.answerOf(sender, { kind: 'createQueue', queue: WORK });
    this.#isMade = true;
    await this.#askAll(port, this.#useReceipts());
    const taken = await this.#takeAll(port);
    const deletes = taken.slice(0, DELETED).map(({ id, receipt = '' }): QueueCall => {
      return { kind: 'delete', queue: WORK, id, receipt };
    });
    await this.#askAll(port, deletes);
    return super.judge(sender);
  }

  protected override async read(
    sender: Sender,
    ledger: Ledger<QueueCall, QueueAnswer, QueueHappening>,
  ): Promise<void> {
    const isOfCopy = ledger !== this.ledger;
    for (const queue of this.#lives)
      await this.answerOf(sender, { kind: 'peek', queue, count: MESSAGES_MAX, isOfCopy }, ledger);
  }

  /** The messages of the shared queue move, so a copy does not show them. */
  protected override faultsOf(history: readonly QueueHappening[]): readonly string[] {
    const isCopy = history.some(({ call }) => call.kind === 'peek' && call.isOfCopy);
    const judged = isCopy ? history.filter(({ call }) => call.queue !== WORK) : history;
    return faultTexts('queue', queueFaults(judged));
  }

  /** All at once, each on a connection of its own. */
  async #askAll(port: number, calls: readonly QueueCall[]): Promise<readonly Shown[]> {
    const asking = calls.map(async call => {
      const connection = new Connection(port);
      const { messages } = await this.answerOf(connection, call);
      connection.close();
      return messages;
    });
    return (await Promise.all(asking)).flat();
  }

  /** Receipts from before the kill hold if the message was not got since; stale ones never do. */
  #useReceipts(): QueueCall[] {
    const { draw } = this;
    return Array.from({ length: HELD_USED + STALE_USED }).flatMap((_, index): QueueCall[] => {
      const isStale = index >= HELD_USED;
      const receipt = this.ledger.caller.receipt({ pick: draw(below(PICKS)), isStale });
      if (!receipt) return [];
      if (draw(chance(50))) return [{ kind: 'delete', queue: WORK, ...receipt }];
      return [{ kind: 'update', queue: WORK, ...receipt, seconds: 0, text: undefined }];
    });
  }

  /** Until an answer has room for more: what it does not show cannot be visible. */
  async #takeAll(port: number): Promise<readonly Shown[]> {
    const taken: Shown[] = [];
    for (;;) {
      const messages = await this.#askAll(port, [
        { kind: 'get', queue: WORK, count: MESSAGES_MAX, seconds: 1 },
      ]);
      taken.push(...messages);
      if (messages.length < MESSAGES_MAX) return taken;
    }
  }
}
