// Reads tables by shards, in parallel, each into a sink of its own. A shard is one range of keys that one reader goes
// through in order; when readers are idle, the rest of a shard that has more to come is cut in two. A run can be killed
// at any moment and resumed: each sink is checkpointed once a second, and each cut of a shard is in the journal before
// one of its rows is written. The tool adds its own fields to a checkpoint and an end.
import { compareKeys, type Key, type Row } from '../line/row.js';
import { after, isAfter, type KeyRange, WHOLE } from '../source/key-range.js';
import type { RowSource } from '../source/row-source.js';
import type { ToolContext } from './context.js';

/** A key in a journal. */
type Pair = readonly [partitionKey: string, rowKey: string];

const pairOf = ({ partitionKey, rowKey }: Key): Pair => [partitionKey, rowKey];
const keyOf = ([partitionKey, rowKey]: Pair): Key => ({ partitionKey, rowKey });

export interface Reached<State> {
  /** The last row that is done. */
  readonly last: Key;
  readonly state: State;
}

export type ShardEntry<State, End> =
  | { readonly kind: 'start'; readonly started: string; readonly tables: readonly string[] }
  | { readonly kind: 'cut'; readonly shard: number; readonly at: Pair; readonly behind: number }
  | { readonly kind: 'checkpoint'; readonly shard: number; readonly last: Pair; readonly state: State }
  | { readonly kind: 'done'; readonly shard: number; readonly end: End };

/** Then a part has two thousand rows, if rows are small. */
const PAGES_TO_CUT = 2;

export class Shard {
  readonly table: string;
  /** Unique in a run. */
  readonly id: number;
  readonly from: Key | undefined;
  /** Where it is cut. */
  until: Key | undefined;
  /** The last key that was read. */
  position: Key | undefined;
  /** Since the shard began or was cut. */
  pages = 0;
  /** Pages before a cut is tried: short ranges are not worth one, and after a failure the next is later. */
  pagesToCut = PAGES_TO_CUT;

  constructor(table: string, id: number, { from, until }: KeyRange) {
    this.table = table;
    this.id = id;
    this.from = from;
    this.until = until;
  }
}

/** When a run began, its tables, its shards with their cuts, and the progress of each. */
export class ShardState<State, End> {
  started: string | undefined;
  tables: readonly string[] = [];
  /** By id: the id of a table's first shard is the table's index. */
  readonly shards = new Map<number, Shard>();
  readonly checkpoints = new Map<number, Reached<State>>();
  readonly ends = new Map<number, End>();

  begin(started: string, tables: readonly string[]): void {
    this.started = started;
    this.tables = tables;
    for (const [id, table] of tables.entries()) this.shards.set(id, new Shard(table, id, WHOLE));
  }

  /** Returns the new shard, which begins there. */
  cut(shard: Shard, from: Key, id = Math.max(...this.shards.keys()) + 1): Shard {
    const behind = new Shard(shard.table, id, { from, until: shard.until });
    this.shards.set(id, behind);
    shard.until = from;
    shard.pages = 0;
    shard.pagesToCut = PAGES_TO_CUT;
    return behind;
  }

  /** The shards of a table in the order of keys: only the first has no start. */
  shardsOf(table: string): readonly Shard[] {
    const startOf = ({ from }: Shard): Key => from ?? { partitionKey: '', rowKey: '' };
    return [...this.shards.values()]
      .filter(shard => shard.table === table)
      .sort((one, other) => compareKeys(startOf(one), startOf(other)));
  }

  take(entry: ShardEntry<State, End>): void {
    if (entry.kind === 'start') this.begin(entry.started, entry.tables);
    else if (entry.kind === 'done') this.ends.set(entry.shard, entry.end);
    else if (entry.kind === 'checkpoint')
      this.checkpoints.set(entry.shard, { last: keyOf(entry.last), state: entry.state });
    else {
      const shard = this.shards.get(entry.shard);
      if (shard !== undefined) this.cut(shard, keyOf(entry.at), entry.behind);
    }
  }
}

export interface ShardSink<State, End> {
  /** How many rows it has from an earlier run, and the last of them, after which reading continues. */
  readonly rows: number;
  readonly last: Key | undefined;
  /** Returns how many of the rows are done at once; it reports the others itself. */
  write(page: readonly Row[]): Promise<number>;
  /** What is safe so far; undefined before the first row is. */
  checkpoint(): Promise<Reached<State> | undefined>;
  end(): Promise<End>;
  /** After a failure. */
  close(): Promise<void>;
}

interface Counted {
  readonly rows: number;
}

interface ShardMove<State, End> {
  readonly state: ShardState<State, End>;
  readonly journal: { append(entry: ShardEntry<State, End>): void } | undefined;
  readonly rows: Pick<RowSource, 'pages' | 'split'>;
  /** Maximum of concurrent readers. */
  readonly parallel: number;
  readonly context: ToolContext;
  /** Whether the sink of a shard that an earlier run finished is still there. */
  readonly isThere: (shard: Shard, end: End) => boolean;
  readonly open: (shard: Shard, from: Reached<State> | undefined) => Promise<ShardSink<State, End>>;
}

/** Rejects with the first failure, when no reader is working any more. @throws ToolError */
export async function moveShards<State, End extends Counted>(move: ShardMove<State, End>): Promise<void> {
  await new Readers(move).run();
}

class Readers<State, End extends Counted> {
  readonly #move: ShardMove<State, End>;
  readonly #waiting: Shard[] = [];
  readonly #active = new Set<Shard>();
  #failure: { readonly error: unknown } | undefined;
  #cuts = 0;
  #wake: (() => void)[] = [];

  constructor(move: ShardMove<State, End>) {
    this.#move = move;
    const { state, context, isThere } = move;
    for (const shard of state.shards.values()) {
      context.reporter.range('begins');
      const end = state.ends.get(shard.id);
      if (end === undefined || !isThere(shard, end)) {
        state.ends.delete(shard.id);
        this.#waiting.push(shard);
        continue;
      }
      context.reporter.range('done');
      context.reporter.rows(end.rows);
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
      this.#active.add(shard);
      try {
        await this.#read(shard);
      } catch (error) {
        this.#failure ??= { error };
      }
      this.#active.delete(shard);
      this.#wakeAll();
    }
    this.#wakeAll();
  }

  #wakeAll(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }

  async #read(shard: Shard): Promise<void> {
    const { state, journal, context, open } = this.#move;
    const { reporter, checkpointMilliseconds } = context;
    const sink = await open(shard, state.checkpoints.get(shard.id));
    try {
      shard.position = sink.last;
      reporter.rows(sink.rows);
      let checkpointedAt = performance.now();
      for await (const page of this.#pages(shard)) {
        reporter.rows(await sink.write(page));
        if (journal === undefined || performance.now() - checkpointedAt < checkpointMilliseconds) continue;
        const reached = await sink.checkpoint();
        if (reached === undefined) continue;
        checkpointedAt = performance.now();
        const last = pairOf(reached.last);
        journal.append({ kind: 'checkpoint', shard: shard.id, last, state: reached.state });
      }
    } catch (error) {
      await sink.close();
      throw error;
    }
    const end = await sink.end();
    state.ends.set(shard.id, end);
    journal?.append({ kind: 'done', shard: shard.id, end });
    reporter.range('done');
  }

  /** From its position on, up to where the shard is cut in the meantime. */
  async *#pages(shard: Shard): AsyncGenerator<readonly Row[], void> {
    const { rows, context } = this.#move;
    const from = shard.position === undefined ? shard.from : after(shard.position);
    for await (const page of rows.pages(shard.table, { from, until: shard.until })) {
      context.source.signal?.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      const last = page.at(-1);
      // A cut may have happened while the page was loading.
      const isCut = last !== undefined && isAfter(last, shard);
      const own = isCut ? page.filter(row => !isAfter(row, shard)) : page;
      const end = own.at(-1);
      // The whole row would keep the text of its page in memory as long as the shard is known.
      if (end !== undefined) shard.position = { partitionKey: end.partitionKey, rowKey: end.rowKey };
      shard.pages++;
      if (shard.pages >= shard.pagesToCut) this.#wakeAll();
      if (own.length > 0) yield own;
      if (isCut) return;
    }
  }

  /** Cuts the shard that has been read most since its last cut in two, or waits until something changes. */
  async #steal(): Promise<void> {
    const shard = this.#toCut();
    if (shard === undefined) {
      await new Promise<void>(resolve => this.#wake.push(resolve));
      return;
    }
    const { state, rows, journal, context } = this.#move;
    shard.pagesToCut = 2 * shard.pages + PAGES_TO_CUT;
    this.#cuts++;
    try {
      const at = await rows.split?.(shard.table, { from: shard.position, until: shard.until });
      if (at !== undefined && this.#canCut(shard, at)) {
        const behind = state.cut(shard, at);
        journal?.append({ kind: 'cut', shard: shard.id, at: pairOf(at), behind: behind.id });
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

  #canCut(shard: Shard, key: Key): boolean {
    const isAhead = shard.position === undefined || compareKeys(shard.position, key) < 0;
    return this.#active.has(shard) && isAhead && !isAfter(key, shard);
  }

  #toCut(): Shard | undefined {
    let best: Shard | undefined;
    for (const shard of this.#active) {
      if (shard.pages < shard.pagesToCut || shard.position === undefined) continue;
      if (best === undefined || shard.pages > best.pages) best = shard;
    }
    return best;
  }
}
