// What the clients of a round do in one turn. Of tables: inserts, counters that rise by their ETags, transactions over
// several rows, deletes and reads; judge/rows.ts judges the answers. Of blobs: puts, some only if unchanged since the
// blob was seen, deletes and reads.
import type { BlobAnswer, BlobCall } from '../../../blobs/blob-call.js';
import type { BlobLedger } from '../../../blobs/blob-ledger.js';
import { NAMES, type Step } from '../../../blobs/blob-model.js';
import type { Ask } from '../../../histories/hand.js';
import { etagOf } from '../../../histories/tick.js';
import { type Draw, from, weighted } from '../../../random/arbitrary.js';
import type { Answer, Call, PageCall, Write } from '../../../simulation/judge/history.js';
import { pageOf } from '../../../simulation/run/table-wire.js';

export const TABLE = 'faults';
const COUNTERS = ['count-a', 'count-b'];
/** Rows that are only written together, all in one transaction. */
const GROUP = ['group-1', 'group-2', 'group-3'];
/** Less than a chunk of the engine, more than one, and more than are read at a time. */
const LENGTHS = [100, 300_000, 1_200_000] as const;

/** All rows of a partition, as far as one page goes. */
export const partitionPage = (partition: string): PageCall => ({
  ...pageOf(TABLE),
  filter: {
    kind: 'compare',
    name: 'PartitionKey',
    operator: 'eq',
    constant: { type: 'Edm.String', text: partition },
    mirrored: false,
  },
});

export const blobRead = (container: string): BlobCall => ({
  kind: 'read',
  container,
  blob: NAMES[0],
  range: undefined,
});

export const writeOf = (kind: Write['kind'], partition: string, key: string, n: number): Write => ({
  kind,
  partition,
  key,
  properties: [['n', { type: 'Edm.Int32', text: String(n) }]],
  match: 'absent',
});

export const writes = (all: readonly Write[]): Call => ({
  kind: 'writes',
  table: TABLE,
  writes: all,
  isBatch: all.length > 1,
  prefer: undefined,
});

export const getOf = (partition: string, key: string): Call => ({
  kind: 'get',
  table: TABLE,
  isBatch: false,
  partition,
  key,
  select: undefined,
});

type AskTable = Ask<Call, Answer>;

export class TableTurns {
  readonly #draw: Draw;
  readonly #partitions: readonly string[];
  readonly #own: Write[] = [];
  #count = 0;

  constructor(draw: Draw, partitions: readonly string[]) {
    this.#draw = draw;
    this.#partitions = partitions;
  }

  async take(ask: AskTable): Promise<void> {
    const partition = this.#draw(from(this.#partitions));
    await this.#draw(
      weighted<() => Promise<unknown>>(
        [4, () => this.#insert(ask, partition)],
        [4, () => this.#raise(ask, partition)],
        [3, () => this.#transact(ask, partition)],
        [1, () => this.#delete(ask)],
        [2, () => ask(getOf(partition, this.#draw(from(GROUP))))],
        [1, () => ask(partitionPage(partition))],
      ),
    )();
  }

  async #insert(ask: AskTable, partition: string): Promise<void> {
    const write = writeOf('insert', partition, this.#name('row'), this.#count);
    await ask(writes([write]));
    this.#own.push(write);
  }

  async #delete(ask: AskTable): Promise<void> {
    const own = this.#own.shift();
    if (own) await ask(writes([{ ...own, kind: 'delete', properties: [], match: 'any', ifMatch: '*' }]));
  }

  async #raise(ask: AskTable, partition: string): Promise<void> {
    const write = await this.#raised(ask, partition);
    if (write) await ask(writes([write]));
  }

  /** A counter, a row with the counter's value, and the rows of the group. */
  async #transact(ask: AskTable, partition: string): Promise<void> {
    const raised = await this.#raised(ask, partition);
    if (raised === undefined) return;
    const group = GROUP.map(key => writeOf('insertOrReplace', partition, key, this.#stamp()));
    const row = {
      ...raised,
      kind: 'insert',
      key: this.#name('with'),
      match: 'absent',
      ifMatch: undefined,
    } as const;
    await ask(writes([raised, row, ...group]));
  }

  /** A counter with one more than was read, if unchanged since. */
  async #raised(ask: AskTable, partition: string): Promise<Write | undefined> {
    const key = this.#draw(from(COUNTERS));
    const answer = await ask(getOf(partition, key));
    if (answer === undefined) return undefined;
    const [seen] = answer.entities;
    if (seen === undefined) return writeOf('insert', partition, key, 1);
    const n = Number(/"n",(\d+)/.exec(seen.content)?.[1]) + 1;
    return { ...writeOf('update', partition, key, n), match: 'last', ifMatch: etagOf(seen.version ?? 0n) };
  }

  #name(what: string): string {
    return `${what}-${this.#stamp()}`;
  }

  #stamp(): number {
    this.#count += 1;
    return this.#count;
  }
}

export class BlobTurns {
  readonly #draw: Draw;
  readonly #ledger: BlobLedger;
  readonly #containers: readonly string[];
  #count = 0;

  constructor(draw: Draw, ledger: BlobLedger, containers: readonly string[]) {
    this.#draw = draw;
    this.#ledger = ledger;
    this.#containers = containers;
  }

  async take(ask: Ask<BlobCall, BlobAnswer>): Promise<void> {
    const container = this.#draw(from(this.#containers));
    const write = (step: Partial<Step> & Pick<Step, 'kind'>): Promise<unknown> => {
      this.#count += 1;
      // Length and bytes distinguish all puts.
      const size = this.#draw(from(LENGTHS)) + Math.floor(this.#count / 250);
      const whole = { blob: 0, other: 0, size, fill: this.#count % 250, ...step };
      return ask({ kind: 'write', container, step: whole });
    };
    await this.#draw(
      weighted<() => Promise<unknown>>(
        [3, () => write({ kind: 'put' })],
        [2, () => write({ kind: 'put', ifMatch: this.#ledger.etagOf(container, 0) })],
        [1, () => write({ kind: 'delete' })],
        [4, () => ask(blobRead(container))],
      ),
    )();
  }
}
