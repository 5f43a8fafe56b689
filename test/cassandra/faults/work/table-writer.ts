// One client of a table: inserts, counters that rise by their ETags, transactions over several rows, deletes and reads, one after the other and each once.
// What it was answered is judge/rows.ts's to judge.

import type { Journal } from '../../../crash/journal.js';
import { etagOf } from '../../../crash/tick.js';
import { readAnswer } from '../../../simulation/judge/answer.js';
import type { Answer, Call, Happening, SentWrite } from '../../../simulation/judge/history.js';
import type { Random } from '../../../simulation/plan/random.js';
import type { Property } from '../../../simulation/plan/value.js';
import { buildRequest } from '../../../simulation/run/request.js';
import type { Reply } from '../../../support/worker-processes.js';
import { type Asking, isRefused } from './client.js';

const ACCOUNT = '/devstoreaccount1';
const LEVEL = 'minimalmetadata';
/** Statuses of a server that cannot do what it is asked: it may have happened. */
const FAILED = 500;
/** A fault of the program, which no failure of nodes excuses. */
const INTERNAL = 500;
export const TABLE = 'faults';
const COUNTERS = ['count-a', 'count-b'];
/** Rows that are only written together, all with one number. */
export const GROUP = ['group-1', 'group-2', 'group-3'];

const numbered = (n: number): readonly Property[] => [['n', { type: 'Edm.Int32', text: String(n) }]];

/** What all writers of a table did, and how often a counter was acknowledged to rise. */
export interface TableHistory {
  readonly journal: Journal;
  readonly happenings: Happening[];
  readonly faults: string[];
  steps: number;
}

export interface TableWriterOptions {
  readonly number: number;
  readonly asking: Asking;
  readonly random: Random;
  readonly history: TableHistory;
  readonly partitions: readonly string[];
}

export class TableWriter {
  readonly #options: TableWriterOptions;
  readonly #own: string[][] = [];
  #names = 0;

  constructor(options: TableWriterOptions) {
    this.#options = options;
  }

  async turn(): Promise<void> {
    const { random, partitions } = this.#options;
    const partition = random.pick(partitions);
    await random.weighted<() => Promise<unknown>>([
      [4, () => this.#insert(partition)],
      [4, () => this.#count(partition)],
      [3, () => this.#transact(partition)],
      [1, () => this.#delete()],
      [
        2,
        () =>
          this.#ask({
            kind: 'get',
            table: TABLE,
            isBatch: false,
            partition,
            key: random.pick(GROUP),
            select: undefined,
          }),
      ],
      [1, () => this.page(partition)],
    ])();
  }

  /** All rows of a partition, as far as one page goes. */
  async page(partition: string): Promise<boolean> {
    const constant = { type: 'Edm.String', text: partition } as const;
    const filter = {
      kind: 'compare',
      name: 'PartitionKey',
      operator: 'eq',
      constant,
      mirrored: false,
    } as const;
    const answer = await this.#ask({
      kind: 'page',
      table: TABLE,
      filter,
      top: undefined,
      select: undefined,
      from: undefined,
    });
    return answer !== undefined;
  }

  createTable(): Promise<Answer | undefined> {
    return this.#ask({ kind: 'createTable', table: TABLE });
  }

  async #insert(partition: string): Promise<void> {
    const key = this.#name('row');
    await this.#write([
      {
        kind: 'insert',
        partition,
        key,
        properties: numbered(this.#names),
        match: 'absent',
        ifMatch: undefined,
      },
    ]);
    this.#own.push([partition, key]);
  }

  async #delete(): Promise<void> {
    const [partition, key] = this.#own.shift() ?? [];
    if (partition === undefined || key === undefined) return;
    await this.#write([{ kind: 'delete', partition, key, properties: [], match: 'any', ifMatch: '*' }]);
  }

  async #count(partition: string): Promise<void> {
    const write = await this.#raised(partition, this.#options.random.pick(COUNTERS));
    if (write !== undefined) await this.#write([write]);
  }

  /** In one transaction: a counter, a row with its new value, and the rows of the group. */
  async #transact(partition: string): Promise<void> {
    const raised = await this.#raised(partition, this.#options.random.pick(COUNTERS));
    if (raised === undefined) return;
    const { properties } = raised;
    const group = GROUP.map(
      (key): SentWrite => ({
        kind: 'insertOrReplace',
        partition,
        key,
        properties: numbered(this.#stamp()),
        match: 'absent',
        ifMatch: undefined,
      }),
    );
    const row: SentWrite = {
      kind: 'insert',
      partition,
      key: this.#name('with'),
      properties,
      match: 'absent',
      ifMatch: undefined,
    };
    await this.#write([raised, row, ...group], true);
  }

  /** One more than it was read, and only if it is so still. */
  async #raised(partition: string, key: string): Promise<SentWrite | undefined> {
    const answer = await this.#ask({
      kind: 'get',
      table: TABLE,
      isBatch: false,
      partition,
      key,
      select: undefined,
    });
    if (answer === undefined) return undefined;
    const [seen] = answer.entities;
    if (seen === undefined)
      return { kind: 'insert', partition, key, properties: numbered(1), match: 'absent', ifMatch: undefined };
    const n = Number(/"n",(\d+)/.exec(seen.content)?.[1]) + 1;
    return {
      kind: 'update',
      partition,
      key,
      properties: numbered(n),
      match: 'last',
      ifMatch: etagOf(seen.version ?? 0n),
    };
  }

  #write(writes: readonly SentWrite[], isBatch = false): Promise<Answer | undefined> {
    return this.#ask({ kind: 'writes', table: TABLE, writes, isBatch, prefer: undefined });
  }

  #name(what: string): string {
    this.#names += 1;
    return `${what}-${this.#options.number}-${this.#names}`;
  }

  #stamp(): number {
    this.#names += 1;
    return this.#options.number * 1_000_000 + this.#names;
  }

  async #ask(call: Call): Promise<Answer | undefined> {
    const { history, asking, number } = this.#options;
    history.steps += 1;
    const what = `table ${number} ${history.steps} ${shown(call)}`;
    const happening: Happening = {
      step: history.steps,
      client: number,
      level: LEVEL,
      invoked: history.journal.note(`? ${what}`),
      answered: Number.POSITIVE_INFINITY,
      call,
      answer: undefined,
    };
    const { method, path, headers, body } = buildRequest(call, LEVEL, `http://h${ACCOUNT}`);
    const reply = await asking.ask(call.kind === 'writes', {
      method,
      target: `${ACCOUNT}/${path}`,
      headers,
      body,
    });
    if (!('status' in reply)) {
      history.journal.note(`- ${what} ${reply.error}`);
      // A refused connection delivered nothing.
      if (!isRefused(reply.error)) history.happenings.push(happening);
      return undefined;
    }
    history.happenings.push(happening);
    this.#hear(happening, what, reply);
    return happening.answer;
  }

  #hear(happening: Happening, what: string, { status, headers, body }: Reply): void {
    const { history } = this.#options;
    const isUnclear = status >= FAILED || (happening.call.kind === 'writes' && /HTTP\/1.1 5\d\d/.test(body));
    const position = history.journal.note(
      `${isUnclear ? '-' : '!'} ${what} ${status} ${isUnclear ? body : ''}`,
    );
    if (status === INTERNAL) history.faults.push(`${what}: ${status} ${body}`);
    if (isUnclear) return;
    happening.answered = position;
    const named = new Map(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : ([[name, String(value)]] as const),
      ),
    );
    try {
      happening.answer = readAnswer(happening.call, { status, headers: named, body }, LEVEL);
      if (happening.answer.code === 'TableNotFound') throw new Error('The table is there.');
      history.journal.note(`  ${what} ${happening.answer.code ?? happening.answer.versions.join()}`);
    } catch (error) {
      history.faults.push(`${what}: ${error}, ${status} ${body}`);
    }
  }
}

function shown(call: Call): string {
  switch (call.kind) {
    case 'writes':
      return call.writes
        .map(
          ({ kind, partition, key, ifMatch, properties }) =>
            `${kind} ${partition}/${key} ${properties[0]?.[1].text} ${ifMatch ?? ''}`,
        )
        .join(', ');
    case 'get':
      return `get ${call.partition}/${call.key}`;
    default:
      return call.kind;
  }
}
