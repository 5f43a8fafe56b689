// One client: a connection on which it takes one turn after the other, each of one call or several, until it is
// stopped. It continues after a lost answer with another connection.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Sender } from '../support/worker-processes.js';
import type { Watch } from './trigger.js';

const REST_MILLISECONDS = 5;

/** Resolves with undefined if the answer was lost, or if the client was stopped. */
export type Ask<Call, Answer> = (call: Call) => Promise<Answer | undefined>;

export interface HandOptions<Call, Answer> {
  /** For each new connection. */
  readonly port: () => number;
  readonly ledger: {
    readonly faults: readonly string[];
    ask(sender: Sender, call: Call, watch: Watch): Promise<Answer | undefined>;
  };
  readonly watch: Watch;
  readonly turn: (ask: Ask<Call, Answer>) => Promise<unknown>;
  /** Then it opens another connection; default: never. */
  readonly answersAConnection?: number;
  /** Between a lost answer and the next connection; default 5. A client that hurries makes histories that nobody can judge. */
  readonly restMilliseconds?: number;
}

/** Runs with others at the same time until it is stopped. */
export interface Runner {
  run(): Promise<void>;
  stop(): void;
}

export class Hand<Call, Answer> implements Runner {
  readonly #options: HandOptions<Call, Answer>;
  #connection: Connection;
  #answers = 0;
  #isOver = false;

  constructor(options: HandOptions<Call, Answer>) {
    this.#options = options;
    this.#connection = new Connection(options.port());
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Until it is stopped, or the ledger has a fault. */
  async run(): Promise<void> {
    const { ledger, turn } = this.#options;
    while (!this.#isOver && ledger.faults.length === 0) await turn(call => this.#ask(call));
    this.#connection.close();
  }

  async #ask(call: Call): Promise<Answer | undefined> {
    if (this.#isOver) return undefined;
    const { ledger, port, watch, answersAConnection = Number.POSITIVE_INFINITY } = this.#options;
    const answer = await ledger.ask(this.#connection, call, watch);
    this.#answers += 1;
    if (answer !== undefined && this.#answers < answersAConnection) return answer;
    this.#answers = 0;
    this.#connection.close();
    this.#connection = new Connection(port());
    if (answer === undefined) await sleep(this.#options.restMilliseconds ?? REST_MILLISECONDS);
    return answer;
  }
}
