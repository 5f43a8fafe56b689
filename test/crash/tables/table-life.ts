// A table that one client creates, fills and drops again and again: dropping removes all rows at once, and the
// server reclaims them in the background.
import type { Connection, Reply } from '../../support/worker-processes.js';
import type { Changes, Image } from '../history.js';
import type { Journal } from '../journal.js';
import { LoneClient } from '../lone-client.js';
import { acknowledgedTicks } from './answer.js';
import {
  type Change,
  createTableRequest,
  dropTableRequest,
  pathOf,
  textOf,
  writeRequest,
} from './request.js';

/** Reclaiming more than a thousand rows takes several transactions. */
const TRANSACTIONS_MAX = 14;
const TRANSACTION_ROWS = 100;
const IMAGE: Image = { text: 'a table', tick: 0n };

export class TableLife extends LoneClient {
  #count = 0;
  readonly #table: string;

  constructor(table: string) {
    super(`table ${table}`);
    this.#table = table;
  }

  protected async step(connection: Connection, journal: Journal): Promise<void> {
    const state = this.history.state();
    if (!state.has(this.#table)) return this.#create(connection, journal);
    if (state.size > TRANSACTIONS_MAX * TRANSACTION_ROWS) return this.#drop(connection, journal, state);
    return this.#fill(connection, journal);
  }

  async #create(connection: Connection, journal: Journal): Promise<void> {
    this.#ask('create', new Map([[this.#table, IMAGE]]), journal);
    this.#hear(204, await connection.request(createTableRequest(this.#table)), journal);
  }

  async #drop(connection: Connection, journal: Journal, state: ReadonlyMap<string, Image>): Promise<void> {
    this.#ask('drop', new Map([...state.keys()].map(path => [path, undefined])), journal);
    this.#hear(204, await connection.request(dropTableRequest(this.#table)), journal);
  }

  async #fill(connection: Connection, journal: Journal): Promise<void> {
    const changes = Array.from({ length: TRANSACTION_ROWS }, (): Change => {
      const properties = { n: ++this.#count };
      const name = { table: this.#table, partition: 'p', row: `${this.#count}` };
      return { method: 'POST', name, ifMatch: undefined, properties, after: properties };
    });
    const effect = changes.map(({ name, properties }): [string, Image] => [
      pathOf(name),
      { text: textOf(properties), tick: undefined },
    ]);
    this.#ask('fill', new Map(effect), journal);
    const reply = await connection.request(writeRequest(changes));
    const ticks = acknowledgedTicks(changes, reply);
    if (typeof ticks === 'string') this.faults.push(`filling ${this.#table} was answered ${ticks}`);
    else this.history.acknowledge(ticks, journal.note(`! ${this.history.owner} ${reply.status}`));
  }

  #ask(what: string, changes: Changes, journal: Journal): void {
    this.history.ask(changes, journal.note(`? ${this.history.owner} ${what} to ${this.#count}`));
  }

  #hear(status: number, reply: Reply, journal: Journal): void {
    const position = journal.note(`! ${this.history.owner} ${reply.status}`);
    if (reply.status === status) this.history.acknowledge(new Map(), position);
    else this.faults.push(`${this.#table}: ${reply.status} ${reply.body}`);
  }
}
