// The store on LMDB: one directory, several processes at a time. It ties the parts together: reads use the trees and
// the WAL overlay, changes go through the commit queue, a background task removes dropped rows, contents are files.
import { dirname, resolve } from 'node:path';
import { type Clock, Semaphore, systemClock } from '#base';
import {
  type Budget,
  type Decide,
  type Engine,
  type EngineKind,
  type EngineTools,
  type Reads,
  type Row,
  type ScanEnd,
  type ScanRange,
  type Space,
  type SpaceAddress,
  type Statistic,
  StoreError,
  type Visit,
} from '#store';
import { freeBytes } from './check/file-trees.js';
import { lmdbTools } from './check/tools.js';
import { CommitOrder } from './commit/commit-order.js';
import { reclaimSome } from './commit/reclaim.js';
import { createSpace, dropSpace, updateSpace } from './commit/space-work.js';
import { assertFormat, contentsOf } from './content/content-path.js';
import { FileContents } from './content/file-contents.js';
import { type Environment, openEnvironment } from './environment.js';
import { Counters } from './layout/catalog.js';
import { DiskReserve } from './lmdb/disk-reserve.js';
import { copiedRowOf } from './overlay.js';
import { TreeReader } from './pages/tree-reader.js';
import { MergedCursor } from './scan/merged-cursor.js';
import { CooperativeScheduler, PageWalk } from './scan/page-walk.js';
import { RowCursor } from './scan/row-cursor.js';
import { statisticsOf } from './statistics.js';

export interface LmdbStoreOptions {
  /** Created if it does not exist. */
  readonly directory: string;
  readonly clock?: Clock | undefined;
  /**
   * `full`: acknowledged changes survive a power cut. `none`: they survive only a kill of the process, and a power cut
   * may damage the file. Default `full`.
   */
  readonly durability?: 'full' | 'none' | undefined;
  /**
   * True promises that no other process writes to the directory while this store is open. It makes commits faster, and
   * with durability `full` they go to a log first (commit/logged-batches.ts). If the promise is broken, no acknowledged
   * change is lost, and each was decided on the latest rows. But for a fraction of a second the reads of one process,
   * and its decisions without changes, may miss what the other one has written. Default false.
   */
  readonly exclusive?: boolean | undefined;
  /** Changes that may wait to be written; one more fails with `busy`. Default 5,000. */
  readonly waitingMax?: number | undefined;
}

/** For tests. */
export interface LmdbStoreInternals {
  /** The longest payload (rows.ts) that a new file stores under its whole key. */
  readonly chunk?: number | undefined;
  /** Size of the file that provides pages for deletes on a full disk. */
  readonly reserveBytes?: number | undefined;
  /** Groups of transactions before the log is begun, for durability `full`. */
  readonly logAfter?: number | undefined;
  /**
   * False: scans read with the `lmdb` package's cursor, as they do where the file's pages cannot be read. Default true.
   */
  readonly readsPages?: boolean | undefined;
}

/** Each scan holds one of LMDB's reader slots; environment.ts reserves this many for each of 64 processes. */
const SCANS_MAX = 64;
/** Milliseconds of each event-loop turn that scans use before they yield. */
const SLICE_MS = 4;

/** Fails with a `StoreError` whose message names the directory: `busy`, `unsupported`, `corrupt` or `full`. */
export async function openLmdbStore(
  options: LmdbStoreOptions,
  internals: LmdbStoreInternals = {},
): Promise<Engine> {
  const { directory, durability = 'full', clock = systemClock, exclusive } = options;
  assertFormat(contentsOf(directory));
  const environment = openEnvironment({ directory, durability, exclusive, chunk: internals.chunk });
  return new OpenStore(environment, { ...options, ...internals, clock });
}

/** `lmdb:DIR` */
export const lmdbEngine: EngineKind = {
  scheme: 'lmdb',
  placeName: 'DIR',
  open: (place, options) => openLmdbStore({ ...options, directory: resolve(place) }),
  tools: lmdbTools,
};

class OpenStore implements Engine {
  readonly content: FileContents;
  readonly tools: EngineTools;
  readonly #environment: Environment;
  readonly #clock: Clock;
  readonly #room: DiskReserve;
  readonly #commits: CommitOrder;
  readonly #scans = new Semaphore(SCANS_MAX);
  readonly #trees: TreeReader;
  readonly #share = new CooperativeScheduler(SLICE_MS);
  #closing: Promise<void> | undefined;

  constructor(
    environment: Environment,
    options: LmdbStoreOptions & LmdbStoreInternals & { readonly clock: Clock },
  ) {
    const { clock, exclusive = false, waitingMax, reserveBytes, durability } = options;
    const { catalog, rows, path } = environment;
    this.tools = lmdbTools(options.directory);
    this.#environment = environment;
    const map = options.readsPages === false ? undefined : environment.map;
    this.#trees = new TreeReader(environment.last, map, path);
    this.#clock = clock;
    this.#room = new DiskReserve({ path, reserveBytes, freeBytes: () => freeBytes(path) });
    this.content = new FileContents({
      directory: dirname(path),
      isDurable: durability !== 'none',
      isExclusive: exclusive,
      isLiving: space => {
        environment.snapshot.refresh();
        return catalog.isLiving(space);
      },
      livingIds: () => catalog.livingIds(),
      hasSpace: bytes => this.#room.mayTake(bytes),
    });
    this.#commits = new CommitOrder({
      environment,
      counters: new Counters(clock),
      task: () => reclaimSome(catalog, rows, this.#room.isShort),
      reserve: this.#room,
      waitingMax,
      // Without syncs a log saves nothing.
      isLogged: exclusive && durability !== 'none',
      logAfter: options.logAfter,
    });
    if (catalog.firstDropped() !== undefined) this.#commits.wake();
  }

  async createSpace(
    address: SpaceAddress,
    metadata: Buffer,
    onExisting?: (existing: Space) => void,
  ): Promise<Space | undefined> {
    this.#assertOpen();
    const work = createSpace(this.#environment.catalog, address, metadata);
    const { space, isNew } = await this.#commits.submit(work);
    if (isNew) return space;
    onExisting?.(space);
    return undefined;
  }

  async getSpace(address: SpaceAddress): Promise<Space | undefined> {
    this.#assertOpen();
    this.#environment.snapshot.refresh();
    return this.#environment.catalog.getSpace(address);
  }

  async listSpaces(account: string, service: string, from: string, limit: number): Promise<readonly Space[]> {
    this.#assertOpen();
    this.#environment.snapshot.refresh();
    return this.#environment.catalog.listSpaces(account, service, from, limit);
  }

  async updateSpace(space: Space, change: (metadata: Buffer) => Buffer): Promise<Space | undefined> {
    this.#assertOpen();
    return this.#commits.submit(updateSpace(this.#environment.catalog, space, change));
  }

  async dropSpace(space: Space, check?: (metadata: Buffer) => void): Promise<boolean> {
    this.#assertOpen();
    const isDropped = await this.#commits.submit(dropSpace(this.#environment.catalog, space, check));
    if (!isDropped) return false;
    this.#commits.wake();
    this.content.dropSpace(space.id);
    return true;
  }

  async read(
    space: Space,
    partition: string,
    keys: readonly string[],
  ): Promise<readonly (Row | undefined)[]> {
    this.#assertOpen();
    this.#environment.snapshot.refresh();
    const rows: (Row | undefined)[] = [];
    for (const key of keys) rows.push(this.#readRow(space.id, partition, key));
    return rows;
  }

  async scan(space: Space, range: ScanRange, budget: Budget, visit: Visit): Promise<ScanEnd> {
    this.#assertOpen();
    if (budget.rows <= 0) return { next: range.from, examined: 0 };
    await this.#scans.enter();
    try {
      return await this.#walk(space, range, budget, visit);
    } finally {
      this.#scans.leave();
    }
  }

  async commit<R>(space: Space, partition: string, reads: Reads, decide: Decide<R>): Promise<R | undefined> {
    this.#assertOpen();
    return this.#commits.commit({ space, partition, reads, decide });
  }

  health(): string | undefined {
    return this.#commits.statistics().hasGivenUp ? 'the store gave up after a failed write' : undefined;
  }

  statistics(): readonly Statistic[] {
    const { fileBytes, mapBytes } = this.#environment.sizes();
    const commits = this.#commits.statistics();
    const contents = { ...this.content.counts, waitingDrops: this.content.waitingDrops };
    return statisticsOf({ commits, fileBytes, mapBytes, contents });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#commits.close();
    await this.#scans.empty();
    await this.content.close();
    await this.#environment.close();
    this.#room.close();
  }

  async #walk(space: Space, range: ScanRange, budget: Budget, visit: Visit): Promise<ScanEnd> {
    this.#environment.snapshot.refresh();
    const transaction = this.#environment.useReadTransaction();
    const openRange = this.#trees.within(transaction);
    // From the same moment: what the snapshot lacks is in the overlay; the reverse only repeats changes.
    const { overlay } = this.#commits;
    const recent = overlay.within(space.id, range, 'durable');
    const isHolding = recent.length > 0;
    if (isHolding) overlay.hold();
    try {
      const cursor = new RowCursor(this.#environment.rows, space.id, range, openRange);
      try {
        const source = recent.length === 0 ? cursor : new MergedCursor(cursor, recent);
        const walk = new PageWalk(source, budget, visit, this.#clock);
        for (;;) {
          const turn = this.#share.enter();
          if (turn !== undefined) await turn;
          // It may have waited for a reader slot or its slice, and the store may be closed by now.
          this.#assertOpen();
          const end = this.#slice(walk);
          if (end !== undefined) return end;
        }
      } finally {
        cursor.close();
      }
    } finally {
      if (isHolding) overlay.leave();
      transaction.done();
    }
  }

  /** What is durable in the log hides what the tree has. */
  #readRow(space: number, partition: string, key: string): Row | undefined {
    const change = this.#commits.overlay.durable(space, partition, key);
    return change === undefined ? this.#environment.rows.get(space, partition, key) : copiedRowOf(change);
  }

  #slice(walk: PageWalk): ScanEnd | undefined {
    const start = performance.now();
    try {
      return walk.walk(start + SLICE_MS);
    } finally {
      this.#share.leave(performance.now() - start);
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('closed', 'The store is closed.');
  }
}
