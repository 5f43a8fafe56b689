// A client with an object of its own, which runs one step after the other on it until it is stopped or an answer is
// lost. table-life.ts and queue-life.ts define the steps.
import { Connection } from '../support/worker-processes.js';
import { History } from './history.js';
import type { Journal } from './journal.js';

export abstract class LoneClient {
  readonly history: History;
  readonly faults: string[] = [];
  #isOver = false;

  constructor(owner: string) {
    this.history = new History(owner);
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Until it is stopped, finds a fault, or an answer is lost. */
  async run(port: number, journal: Journal): Promise<void> {
    this.#isOver = false;
    const connection = new Connection(port);
    try {
      while (!this.#isOver && this.faults.length === 0) await this.step(connection, journal);
    } catch (error) {
      journal.note(`- ${this.history.owner} ${error}`);
    }
    connection.close();
  }

  protected abstract step(connection: Connection, journal: Journal): Promise<void>;
}
