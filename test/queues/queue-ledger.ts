// The ledger of queues, with what clients learn from it.
import { faultTexts } from '../histories/history.js';
import type { Journal } from '../histories/journal.js';
import { Ledger, type LedgerOptions } from '../histories/ledger.js';
import type { QueueAnswer, QueueCall, QueueHappening } from './call.js';
import { queueFaults } from './judge.js';
import { QueueCaller } from './queue-caller.js';
import { QUEUE_WIRE } from './wire.js';

export class QueueLedger extends Ledger<QueueCall, QueueAnswer, QueueHappening> {
  readonly caller = new QueueCaller();

  constructor(journal: Pick<Journal, 'note'>, options?: LedgerOptions) {
    super(QUEUE_WIRE, journal, options);
  }

  /** What no queue may answer. No requests are in progress. */
  judge(): string[] {
    return [...this.faults, ...faultTexts('queue', queueFaults(this.history))];
  }

  protected override learn(call: QueueCall, answer: QueueAnswer): void {
    this.caller.learn(call, answer);
  }
}
