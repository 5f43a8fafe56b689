// The write-ahead log in use: batches of changes are appended to its file (log-file.ts) and then durable; a checkpoint
// later puts them into LMDB's tree, many batches per transaction, and frees their segment. commit/logged-batches.ts
// decides what a batch is and which callers wait for it, commit/commit-order.ts when a log is begun.
//
// A process that opened the store in the meantime may have fenced the log off (recovery.ts). So no caller is answered
// for an appended batch before the fence in the catalogue was checked again.

import { dirname } from 'node:path';
import { nextTurn } from '#base';
import type { Catalog, Counters } from '../layout/catalog.js';
import type { Rows } from '../layout/rows.js';
import type { ReadSnapshot } from '../lmdb/tree.js';
import { bytesOf, isReplacedBy, Overlay } from '../overlay.js';
import {
  BLOCK_BYTES,
  LOG_BYTES,
  LogFile,
  type RecordDraft,
  RecordMemory,
  type TickRange,
} from './log-file.js';
import type { LogClaim } from './recovery.js';

/** Why something failed, whatever was thrown. */
export interface Failure {
  readonly reason: unknown;
}

/** Changes that become durable together. */
interface DecidedBatch extends TickRange {
  /** Its changes as the log has them. */
  readonly record: RecordDraft;
}

/**
 * `last`: it is durable, and the log was fenced off: whatever was decided after it is not. `lost`: it is not in the
 * log, which was fenced off or closed before. `unknown`: it was fenced off, and whether the batch is durable can no longer be known. A failure: the file
 * failed and is no longer used, and after a crash of the process the batch may reappear.
 */
export type Appended = 'durable' | 'last' | 'lost' | 'unknown' | Failure;

/** What the log needs from its environment. */
interface CheckpointTarget {
  readonly catalog: Catalog;
  readonly rows: Rows;
  readonly snapshot: ReadSnapshot;
  /** The data file, which the log is next to. */
  readonly path: string;
  readonly log: LogClaim;
}

interface WriteAheadLogOptions {
  readonly environment: CheckpointTarget;
  readonly counters: Counters;
  /** Whether the disk has headroom for the tree to take a segment's changes. */
  readonly isAmple: () => boolean;
  /** A checkpoint has ended; with the reason if it failed. */
  readonly onCheckpoint: (failure?: Failure) => void;
}

interface Logged extends DecidedBatch {
  /** The log's segment, 0 or 1. */
  readonly segment: number;
}

/** A record is in one segment, and the first one is shorter by the head of the file. */
export const RECORD_BYTES_MAX = LOG_BYTES / 2 - BLOCK_BYTES;
/** Changes are handed to LMDB's thread one by one; more in one piece would hold up the event loop. */
const SLICE_CHANGES_MAX = 512;
/**
 * A checkpoint begins when this much of the log is not in the tree: the more there is, the more changes share pages and
 * syncs.
 */
const CHECKPOINT_BYTES = 1024 * 1024;
const CHECKPOINT_AFTER_MILLISECONDS = 250;
const RETRY_AFTER_MILLISECONDS = 1000;

export class WriteAheadLog {
  readonly overlay = new Overlay();
  /** For the records of its batches. */
  readonly memory = new RecordMemory();
  readonly #environment: CheckpointTarget;
  readonly #counters: Counters;
  readonly #isAmple: () => boolean;
  readonly #onCheckpoint: WriteAheadLogOptions['onCheckpoint'];
  #file: LogFile | undefined;
  /** Durable and not in the tree, the oldest first. */
  #logged: Logged[] = [];
  #loggedBytes = 0;
  /** The file cannot be trusted any more; the catalogue records this once the tree has everything that is durable. */
  #hasFailed = false;
  /** The segment is full, and the disk had no headroom for another one. */
  #isFull = false;
  #timer: NodeJS.Timeout | undefined;
  #checkpoint: Promise<void> | undefined;
  #takingBack: Promise<bigint | undefined> | undefined;
  /** Why the last checkpoint failed. */
  #failure: Failure | undefined;

  constructor({ environment, counters, isAmple, onCheckpoint }: WriteAheadLogOptions) {
    this.#environment = environment;
    this.#counters = counters;
    this.#isAmple = isAmple;
    this.#onCheckpoint = onCheckpoint;
  }

  /** There is a file with room to append to, and nothing keeps the tree from taking its changes. */
  get isUsable(): boolean {
    if (this.#isFull && this.#isAmple()) this.#isFull = false;
    return this.#file !== undefined && this.#failure === undefined && !this.#isFull;
  }

  /** Everything durable is in the tree. */
  get isEmpty(): boolean {
    return this.#logged.length === 0 && !this.#hasFailed;
  }

  /**
   * Creates the file, then installs it and records it in the catalogue, in one write transaction: without the write
   * lock it might replace another process's log that is in use. A failure leaves the store without a log, only slower.
   */
  async begin(inTransaction: (place: () => boolean) => Promise<boolean>): Promise<void> {
    if (!this.#isAmple()) return;
    const { log: claim, path } = this.#environment;
    let file: LogFile | undefined;
    try {
      const epoch = claim.nextEpoch();
      const own = await LogFile.prepare(dirname(path), epoch);
      file = own;
      const isPlaced = await inTransaction(() => {
        // Another process has begun one since.
        if (claim.nextEpoch() !== epoch) return false;
        own.place();
        // A commit that was decided before this fence was seen finds another last tick.
        this.#counters.useTick(this.#counters.nextTick());
        claim.begin();
        return true;
      });
      if (isPlaced) this.#file = file;
      else await file.withdraw();
    } catch {
      claim.disown();
      await file?.withdraw().catch(() => undefined);
    }
  }

  /**
   * Where a record of this many bytes goes next: `later` is after a checkpoint, `nowhere` while the disk has no
   * headroom for another segment.
   */
  placeFor(length: number): 'here' | 'later' | 'nowhere' {
    const file = this.#file;
    if (file === undefined) return 'nowhere';
    if (file.hasRoom(length)) return 'here';
    if (this.#logged.some(({ segment }) => segment !== file.half)) {
      void this.#checkpointNow();
      return 'later';
    }
    this.#isFull = !this.#isAmple();
    if (this.#isFull) return 'nowhere';
    file.turn();
    return 'here';
  }

  /** Only where `placeFor` said `here`. */
  async append(batch: DecidedBatch): Promise<Appended> {
    const file = this.#file;
    if (file === undefined) return 'lost';
    try {
      await file.append(batch.record, batch);
    } catch (reason) {
      this.#hasFailed = true;
      this.#closeFile();
      return { reason };
    }
    this.#environment.snapshot.renew();
    if (file !== this.#file || !this.#environment.catalog.ownsLog(file.epoch)) return this.#lose(batch);
    const { basis, tick, record } = batch;
    for (const change of record.changes) this.overlay.settle(change, tick);
    this.#logged.push({ basis, tick, record, segment: file.half });
    this.#loggedBytes += record.length;
    this.#schedule();
    return 'durable';
  }

  /** Checkpoints until the tree has everything durable; returns the reason if it cannot. */
  async drain(): Promise<Failure | undefined> {
    if (this.isEmpty) return undefined;
    // One that began before may have failed already: its failure says nothing of now.
    await this.#checkpoint;
    this.#failure = undefined;
    while (!this.isEmpty && this.#failure === undefined) await this.#checkpointNow();
    return this.#failure;
  }

  /** Call after `drain`. Removes the log if the tree has all of it. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    if (!this.isEmpty) return file.close();
    try {
      await this.#environment.log.end();
      await file.discard();
    } catch {
      // The next opening finds that the tree has all of it.
      file.close();
    }
  }

  #schedule(): void {
    const hasFailed = this.#failure !== undefined;
    if (this.#loggedBytes >= CHECKPOINT_BYTES && !hasFailed) return void this.#checkpointNow();
    const milliseconds = hasFailed ? RETRY_AFTER_MILLISECONDS : CHECKPOINT_AFTER_MILLISECONDS;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#failure = undefined;
      void this.#checkpointNow();
    }, milliseconds).unref();
  }

  /** Fulfilled, whatever happened, when the tree has what was durable at the beginning. */
  #checkpointNow(): Promise<void> {
    this.#checkpoint ??= this.#writeToTree().finally(() => {
      this.#checkpoint = undefined;
      if (this.#failure !== undefined || this.#logged.length > 0) this.#schedule();
      this.#onCheckpoint(this.#failure);
    });
    return this.#checkpoint;
  }

  async #writeToTree(): Promise<void> {
    const batches = this.#logged.slice();
    const slices: (readonly Logged[])[] = [];
    const writes: Promise<boolean>[] = [];
    try {
      for (let from = 0; from < batches.length; from += slices.at(-1)?.length ?? 0) {
        // The slices that LMDB's thread finds when it has finished one share its next transaction.
        if (from > 0) await nextTurn();
        const slice = sliceOf(batches, from);
        slices.push(slice);
        writes.push(this.#writeSlice(slice));
        // Awaited below.
        writes.at(-1)?.catch(() => undefined);
      }
      if (this.#hasFailed && batches.length === 0) await this.#endFailed();
      for (const [index, slice] of slices.entries()) {
        if (await writes[index]) this.#release(slice);
        else return void (await this.#takeBackOnce());
      }
    } catch (reason) {
      await Promise.allSettled(writes);
      this.#failure = { reason };
    }
  }

  /**
   * False if another process has written since the batch before the slice. The tree is a state of the store after each
   * slice: a row is left out only for a later change in the same slice. A backup that reads the log before it copies
   * the tree relies on that.
   */
  #writeSlice(slice: readonly Logged[]): Promise<boolean> {
    const { catalog, rows } = this.#environment;
    const { basis } = slice[0] as Logged;
    const { tick } = slice.at(-1) as Logged;
    return catalog.writeIfTick(basis, () => {
      for (const { record } of slice)
        for (const change of record.changes)
          if (!isReplacedBy(change, tick)) rows.apply(change.key, bytesOf(change));
      this.#counters.saveAs(tick, catalog);
    });
  }

  /** LMDB has copied the batches into the tree. */
  #release(slice: readonly Logged[]): void {
    this.#forget(slice);
    // If a scan holds them it keeps its views; the memory is left to the collector when these go.
    if (!this.overlay.isHeld) for (const { record } of slice) record.release();
  }

  /** The batches are in the tree. */
  #forget(slice: readonly Logged[]): void {
    this.#logged.splice(0, slice.length);
    for (const { record } of slice) {
      this.#loggedBytes -= record.length;
      for (const change of record.changes) this.overlay.forget(change);
    }
    this.#environment.snapshot.invalidate();
  }

  /** The log was fenced off after the batch was on disk: the process that did so may have replayed it into the tree. */
  async #lose({ tick }: DecidedBatch): Promise<Appended> {
    let last: bigint | undefined;
    try {
      last = await this.#takeBackOnce().catch(() => this.#takeBackOnce());
    } catch {
      // A batch that the other process has replayed must not be decided again.
      return 'unknown';
    }
    if (last === undefined) return 'unknown';
    return tick <= last ? 'last' : 'lost';
  }

  /** Both an append and a checkpoint may find out. */
  #takeBackOnce(): Promise<bigint | undefined> {
    this.#takingBack ??= this.#takeBack().catch((reason: unknown) => {
      this.#takingBack = undefined;
      throw reason;
    });
    return this.#takingBack;
  }

  /** Another process writes too: everything in the log goes into the tree, and this store continues without a log. */
  async #takeBack(): Promise<bigint | undefined> {
    this.#closeFile();
    const last = await this.#environment.log.takeBack();
    this.#forget(this.#logged.slice());
    return last;
  }

  async #endFailed(): Promise<void> {
    await this.#environment.log.end();
    this.#hasFailed = false;
  }

  #closeFile(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

/** Whole batches, the oldest first, at least one. */
function sliceOf(batches: readonly Logged[], from: number): readonly Logged[] {
  let changes = 0;
  let until = from;
  do {
    changes += batches[until]?.record.changes.length ?? 0;
    until += 1;
  } while (
    until < batches.length &&
    changes + (batches[until]?.record.changes.length ?? 0) <= SLICE_CHANGES_MAX
  );
  return batches.slice(from, until);
}
