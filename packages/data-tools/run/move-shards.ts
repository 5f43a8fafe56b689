// Reads tables by shards, in parallel, each into a sink of its own. A shard is one range of keys that one reader goes
// through in order; when readers are idle, the rest of a shard that has more to come is cut in two. A run can be killed
// at any moment and resumed: each sink is checkpointed once a second, and each cut of a shard is in the journal before
// one of its rows is written. The tool adds a state of its own.
import { compareKeys, type Key, type Row } from '../line/row.js';
import { after, isAfter, type KeyRange } from '../source/key-range.js';
import type { RowSource } from '../source/row-source.js';
import type { ToolContext } from './context.js';

/** Of a sink: what a resumed run needs to go on with it. */
interface Counted {
  readonly rows: number;
}

/** Its range, and how far it is: what a journal has of it, each time as a whole. */
export interface Shard<State> extends KeyRange {
  readonly table: string;
  /** Its index in the run. */
  readonly id: number;
  /** Where it is cut. */
  until?: Key | undefined;
  /** The last row that is done, and what the sink had then. */
  last?: Key | undefined;
  state?: State;
  isDone?: boolean;
}

export interface ShardEntry<State> {
  readonly kind: 'shards';
  readonly started: string;
  readonly shards: readonly Shard<State>[];
}

/** When a run began, and its shards. */
export class ShardRun<State> {
  started: string | undefined;
  /** By id. The first ones are whole tables. */
  readonly shards: Shard<State>[] = [];

  begin(started: string, tables: readonly string[]): ShardEntry<State> {
    this.started = started;
    this.shards.push(...tables.map((table, id) => ({ table, id })));
    return this.entry(...this.shards);
  }

  take({ started, shards }: ShardEntry<State>): void {
    this.started = started;
    for (const shard of shards) this.shards[shard.id] = shard;
  }

  entry(...shards: readonly Shard<State>[]): ShardEntry<State> {
    return { kind: 'shards', started: this.started ?? '', shards };
  }

  get tables(): readonly string[] {
    return [...new Set(this.shards.map(({ table }) => table))];
  }

  /** The shards of a table in the order of keys: only the first has no start. */
  shardsOf(table: string): readonly Shard<State>[] {
    const startOf = ({ from }: Shard<State>): Key => from ?? { partitionKey: '', rowKey: '' };
    return this.shards
      .filter(shard => shard.table === table)
      .sort((one, other) => compareKeys(startOf(one), startOf(other)));
  }

  /** Returns the new shard, which begins there. */
  cut(shard: Shard<State>, from: Key): Shard<State> {
    const behind = { table: shard.table, id: this.shards.length, from, until: shard.until };
    this.shards.push(behind);
    shard.until = from;
    return behind;
  }
}

/** Then a part has two thousand rows, if rows are small. */
const PAGES_TO_CUT = 2;

/** A shard that is being read. */
class Reading<State> {
  readonly shard: Shard<State>;
  /** The last key that was read. */
  position: Key | undefined;
  /** Since the shard began or was cut. */
  pages = 0;
  /** Pages before a cut is tried: short ranges are not worth one, and after a failure the next is later. */
  pagesToCut = PAGES_TO_CUT;

  constructor(shard: Shard<State>) {
    this.shard = shard;
  }
}

export interface ShardSink<State> {
  /** The last row that it has, after which reading continues. */
  readonly last: Key | undefined;
  /** How many rows it has from an earlier run. */
  readonly rows: number;
  /** Returns how many of the rows are done at once; it reports the others itself. */
  write(page: readonly Row[]): Promise<number>;
  /** Resolves when all rows so far are safe. */
  checkpoint(): Promise<State>;
  end(): Promise<State>;
  /** After a failure, also one of `end`. */
  close(): Promise<void>;
}

interface ShardMove<State> {
  readonly run: ShardRun<State>;
  readonly journal: { append(entry: ShardEntry<State>): void } | undefined;
  readonly rows: Pick<RowSource, 'pages' | 'split'>;
  /** Maximum of concurrent readers. */
  readonly parallel: number;
  readonly context: ToolContext;
  /** Whether the sink of a shard that an earlier run finished is still there. */
  readonly isThere: (shard: Shard<State>) => boolean;
  readonly open: (shard: Shard<State>) => Promise<ShardSink<State>>;
}

/** Rejects with the first failure, when no reader is working any more. @throws ToolError */
export async function moveShards<State extends Counted>(move: ShardMove<State>): Promise<void> {
  await new Readers(move).run();
}

class Readers<State extends Counted> {
  readonly #move: ShardMove<State>;
  readonly #waiting: Shard<State>[] = [];
  readonly #active = new Set<Reading<State>>();
  #failure: { readonly error: unknown } | undefined;
  #cuts = 0;
  #wake: (() => void)[] = [];

  constructor(move: ShardMove<State>) {
    this.#move = move;
    const { run, journal, context, isThere } = move;
    for (const shard of run.shards) {
      context.reporter.range('begins');
      if (shard.isDone && !isThere(shard)) {
        // A part that is read again may reach the old size, and is not done by that.
        Object.assign(shard, { last: undefined, state: undefined, isDone: false });
        journal?.append(run.entry(shard));
      }
      if (!shard.isDone) {
        this.#waiting.push(shard);
        continue;
      }
      context.reporter.range('done');
      context.reporter.rows(shard.state?.rows ?? 0);
    }
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#move.parallel }, () => this.#reader()));
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #reader(): Promise<void> {
    while (this.#failure === undefined) {
      const shard = this.#waiting.shift();
      if (shard === undefined) {
        if (this.#active.size === 0 && this.#cuts === 0) break;
        await this.#steal();
        continue;
      }
      const reading = new Reading(shard);
      this.#active.add(reading);
      try {
        await this.#read(reading);
      } catch (error) {
        this.#failure ??= { error };
      }
      this.#active.delete(reading);
      this.#wakeAll();
    }
    this.#wakeAll();
  }

  #wakeAll(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }

  async #read(reading: Reading<State>): Promise<void> {
    const { run, journal, context, open } = this.#move;
    const { reporter, checkpointMilliseconds } = context;
    const { shard } = reading;
    const sink = await open(shard);
    const reach = (state: State, isDone: boolean): void => {
      Object.assign(shard, { last: sink.last, state, isDone });
      journal?.append(run.entry(shard));
    };
    try {
      reading.position = sink.last;
      reporter.rows(sink.rows);
      let checkpointedAt = performance.now();
      for await (const page of this.#pages(reading)) {
        reporter.rows(await sink.write(page));
        if (journal === undefined || performance.now() - checkpointedAt < checkpointMilliseconds) continue;
        reach(await sink.checkpoint(), false);
        checkpointedAt = performance.now();
      }
      reach(await sink.end(), true);
    } catch (error) {
      await sink.close();
      throw error;
    }
    reporter.range('done');
  }

  /** From its position on, up to where the shard is cut in the meantime. */
  async *#pages(reading: Reading<State>): AsyncGenerator<readonly Row[], void> {
    const { rows, context } = this.#move;
    const { shard, position } = reading;
    const from = position === undefined ? shard.from : after(position);
    for await (const page of rows.pages(shard.table, { from, until: shard.until })) {
      context.source.signal?.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      const last = page.at(-1);
      // A cut may have happened while the page was loading.
      const isCut = last !== undefined && isAfter(last, shard);
      const own = isCut ? page.filter(row => !isAfter(row, shard)) : page;
      const end = own.at(-1);
      // The whole row would keep the text of its page in memory as long as the shard is known.
      if (end !== undefined) reading.position = { partitionKey: end.partitionKey, rowKey: end.rowKey };
      reading.pages++;
      if (reading.pages >= reading.pagesToCut) this.#wakeAll();
      if (own.length > 0) yield own;
      if (isCut) return;
    }
  }

  /** Cuts the shard that has been read most since its last cut in two, or waits until something changes. */
  async #steal(): Promise<void> {
    const [reading] = [...this.#active]
      .filter(({ pages, pagesToCut, position }) => pages >= pagesToCut && position !== undefined)
      .sort((one, other) => other.pages - one.pages);
    if (reading === undefined) {
      await new Promise<void>(resolve => this.#wake.push(resolve));
      return;
    }
    const { run, rows, journal, context } = this.#move;
    const { shard } = reading;
    reading.pagesToCut = 2 * reading.pages + PAGES_TO_CUT;
    this.#cuts++;
    try {
      const at = await rows.split?.(shard.table, { from: reading.position, until: shard.until });
      if (at !== undefined && this.#canCut(reading, at)) {
        const behind = run.cut(shard, at);
        Object.assign(reading, { pages: 0, pagesToCut: PAGES_TO_CUT });
        journal?.append(run.entry(shard, behind));
        context.reporter.range('begins');
        this.#waiting.push(behind);
      }
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#cuts--;
      this.#wakeAll();
    }
  }

  #canCut(reading: Reading<State>, key: Key): boolean {
    const { position, shard } = reading;
    const isAhead = position === undefined || compareKeys(position, key) < 0;
    return this.#active.has(reading) && isAhead && !isAfter(key, shard);
  }
}
