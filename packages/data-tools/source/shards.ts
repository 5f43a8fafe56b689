// Reads tables in parallel by key ranges. A Shard is one range that one reader goes through in order; when readers are
// idle, the rest of a shard that has more to come is cut in two. The caller handles each shard's pages
// separately, and is notified of a cut before the new shard begins, so that a journal can record it.
import { compareKeys, type Key, type Row } from '../line/row.js';
import { after, isAfter, type KeyRange } from './key-range.js';
import type { RowSource } from './row-source.js';

/** Then a part has two thousand rows, if rows are small. */
const PAGES_TO_CUT = 2;

export class Shard {
  readonly table: string;
  /** Unique in a run. */
  readonly id: number;
  readonly from: Key | undefined;
  #until: Key | undefined;
  /** The last key that was yielded. */
  position: Key | undefined;
  /** Since the shard began or was cut. */
  pages = 0;
  isDone = false;
  /** Pages before a cut is tried: short ranges are not worth one, and after a failure the next is later. */
  pagesToCut = PAGES_TO_CUT;

  constructor(table: string, id: number, { from, until }: KeyRange) {
    this.table = table;
    this.id = id;
    this.from = from;
    this.#until = until;
  }

  get until(): Key | undefined {
    return this.#until;
  }

  get range(): KeyRange {
    return { from: this.from, until: this.#until };
  }

  cutAt(key: Key): void {
    this.#until = key;
  }
}

interface ShardsOptions {
  readonly rows: Pick<RowSource, 'pages' | 'split'>;
  /** Maximum of concurrent readers. */
  readonly parallel: number;
  /** Reads the shard from `start` on; `pages` end where the shard is cut in the meantime. */
  readonly read: (shard: Shard, pages: AsyncIterable<readonly Row[]>) => Promise<void>;
  /** Called before the new shard begins, and at once with the cut at a key. */
  readonly onCut: (cut: Shard, at: Key, behind: Shard) => void;
  readonly signal: AbortSignal | undefined;
}

export class Shards {
  readonly #options: ShardsOptions;
  readonly #waiting: Shard[];
  readonly #active = new Set<Shard>();
  #nextId: number;
  #failure: { readonly error: unknown } | undefined;
  #cuts = 0;
  #wake: (() => void)[] = [];

  /** @param shards where each should begin: at its position, or at its start. */
  constructor(shards: readonly Shard[], nextId: number, options: ShardsOptions) {
    this.#options = options;
    this.#waiting = [...shards];
    this.#nextId = nextId;
  }

  /** Reads all; rejects with the first failure, when no reader is working any more. */
  async run(): Promise<void> {
    const readers = Array.from({ length: this.#options.parallel }, () => this.#reader());
    await Promise.all(readers);
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
        await this.#options.read(shard, this.#pages(shard));
        shard.isDone = true;
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

  async *#pages(shard: Shard): AsyncGenerator<readonly Row[], void> {
    const { rows, signal } = this.#options;
    const start = shard.position;
    const from = start === undefined ? shard.from : after(start);
    for await (const page of rows.pages(shard.table, { from, until: shard.until })) {
      signal?.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      const last = page.at(-1);
      // A cut may have happened while the page was loading.
      const isCut = last !== undefined && isAfter(last, shard.range);
      const own = isCut ? page.filter(row => !isAfter(row, shard.range)) : page;
      const end = own.at(-1);
      // The whole row would keep the text of its page in memory as long as the shard is known.
      if (end !== undefined) shard.position = { partitionKey: end.partitionKey, rowKey: end.rowKey };
      shard.pages++;
      if (shard.pages >= shard.pagesToCut) this.#wakeAll();
      if (own.length > 0) yield own;
      if (isCut) return;
    }
  }

  /** Cuts the shard that has been read least often in two, or waits until something changes. */
  async #steal(): Promise<void> {
    const shard = this.#toCut();
    if (shard === undefined) {
      await new Promise<void>(resolve => this.#wake.push(resolve));
      return;
    }
    const { position } = shard;
    shard.pagesToCut = 2 * shard.pages + PAGES_TO_CUT;
    this.#cuts++;
    try {
      const key = await this.#options.rows.split?.(shard.table, { from: position, until: shard.until });
      if (key !== undefined && this.#canCut(shard, key)) {
        const behind = new Shard(shard.table, this.#nextId++, { from: key, until: shard.until });
        shard.cutAt(key);
        shard.pages = 0;
        shard.pagesToCut = PAGES_TO_CUT;
        this.#options.onCut(shard, key, behind);
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
    return !shard.isDone && this.#active.has(shard) && isAhead && !isAfter(key, shard.range);
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
