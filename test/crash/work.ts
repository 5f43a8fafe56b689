// What the clients of one service do over all lives of the server: their calls, and whether what is read of the server
// after a life, or of a copy of its files, can be what the calls left.

import type { Courses } from '../histories/explain.js';
import { asOf, type Moment } from '../histories/history.js';
import { Journal } from '../histories/journal.js';
import { type Coded, Ledger, type Sent } from '../histories/ledger.js';
import type { Draw } from '../random/arbitrary.js';
import type { Sender } from '../support/worker-processes.js';

export interface WorkOptions {
  readonly draw: Draw;
  readonly journal: Journal;
  /** The server is a single process. */
  readonly isOfOne: boolean;
}

export abstract class Work<Call, Answer extends Coded, H extends Sent<Call, Answer>> {
  readonly ledger: Ledger<Call, Answer, H>;
  protected readonly draw: Draw;
  /** What is known from the lives before. */
  readonly #courses: Courses = new Map();

  constructor(draw: Draw, ledger: Ledger<Call, Answer, H>) {
    this.draw = draw;
    this.ledger = ledger;
  }

  /** What is wrong with the last life, by what it left. No other client is there; the next history begins here. */
  async judge(sender: Sender): Promise<readonly string[]> {
    this.ledger.settle();
    await this.read(sender, this.ledger);
    if (this.ledger.faults.length > 0) return this.ledger.faults;
    return this.faultsOf(this.ledger.history, this.#courses);
  }

  /** What is wrong with a copy of the server's data. */
  async judgeCopy(sender: Sender, moment: Moment): Promise<readonly string[]> {
    const reading = new Ledger(this.ledger.wire, new Journal());
    await this.read(sender, reading);
    const courses = new Map([...this.#courses].map(([name, { states }]) => [name, { states }]));
    return [...reading.faults, ...this.faultsOf(asOf(this.ledger.history, reading.history, moment), courses)];
  }

  /** Everything that may be there. */
  protected abstract read(sender: Sender, ledger: Ledger<Call, Answer, H>): Promise<void>;
  protected abstract faultsOf(history: readonly H[], courses: Courses): readonly string[];

  /** Of a server that lives. */
  protected async answerOf(
    sender: Sender,
    call: Call,
    ledger: Ledger<Call, Answer, H> = this.ledger,
  ): Promise<Answer> {
    const answer = await ledger.ask(sender, call);
    if (answer === undefined)
      throw new Error(`A server that lives gave no answer: ${ledger.faults.join()} ${ledger.lastLoss}`);
    return answer;
  }
}
