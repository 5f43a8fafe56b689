// A store's claim on the log next to its data file, by the log's fence in the catalogue (recovery.ts): this process may
// use the log, or another one does, or did until it was killed.
import { dirname } from 'node:path';
import { type Catalog, isUnread, type LogFence } from '../layout/catalog.js';
import type { Rows } from '../layout/rows.js';
import { spendReserve } from '../lmdb/disk-reserve.js';
import { LOG_BYTES } from './read-log.js';
import { beginLog, endLog, fenceLog, replayLog } from './recovery.js';

interface LogClaimOptions {
  readonly catalog: Catalog;
  /** Where a log's changes go. */
  readonly rows: Rows;
  /** The data file. */
  readonly path: string;
  /** A write transaction; fulfilled when it is durable. */
  readonly transaction: (write: () => void) => Promise<void>;
}

/** Space that a whole log's changes take in the trees, unless they are spread too thin. */
const REPLAY_BYTES = 2 * LOG_BYTES;

export class LogClaim {
  readonly #options: LogClaimOptions;
  readonly #catalog: Catalog;
  /** The epoch of the log that this store writes to. */
  #epoch: bigint | undefined;
  /** The transaction in which this store marked a log as taken. */
  #takenIn: number | undefined;

  constructor(options: LogClaimOptions) {
    this.#options = options;
    this.#catalog = options.catalog;
  }

  /** The epoch of the next log. */
  nextEpoch(): bigint {
    return (this.#catalog.getLogFence()?.epoch ?? 0n) + 1n;
  }

  /** Call inside a write transaction in which no other process has begun a log before. */
  begin(): void {
    this.#epoch = beginLog(this.#catalog, this.#options.rows.chunk);
  }

  /** Call if no log was begun after all. */
  disown(): void {
    this.#epoch = undefined;
  }

  /** Whether another process's log must be replayed before anything is decided. */
  isForeign(): boolean {
    return this.#isForeign(this.#catalog.getLogFence());
  }

  /** Call when all of this store's log is in the trees. */
  async end(): Promise<void> {
    await this.#options.transaction(() => {
      if (!this.isForeign()) endLog(this.#catalog);
    });
    this.#epoch = undefined;
  }

  /**
   * Replays this store's log into the trees, as another process does when it opens the store. Returns the last tick
   * that came from it; undefined if that can no longer be known, since another log was begun in the meantime.
   */
  async takeBack(): Promise<bigint | undefined> {
    const epoch = this.#epoch;
    this.#epoch = undefined;
    let mark: LogFence | undefined;
    try {
      await this.#options.transaction(() => {
        mark = this.#catalog.getLogFence();
      });
    } catch (error) {
      this.#epoch = epoch;
      throw error;
    }
    return mark?.epoch === epoch ? mark?.tick : undefined;
  }

  /**
   * Replays into the trees what is only in the log, whichever process uses it. Another process may take the log, and
   * begin another, at the same time.
   */
  take(writeSync: <T>(write: () => T) => T): void {
    if (isUnread(this.#catalog.getLogFence())) spendReserve(dirname(this.#options.path), REPLAY_BYTES);
    while (writeSync(() => fenceLog(this.#catalog))) writeSync(() => replayLog(this.#options));
  }

  /**
   * Call inside a write transaction, of this number, which is to end if this did something: each step must be durable
   * before the next. LMDB's package may give one transaction to several callers.
   */
  takeStep(transaction: number): boolean {
    const mark = this.#catalog.getLogFence();
    if (!this.#isForeign(mark)) return false;
    if (mark?.state === 'used') {
      fenceLog(this.#catalog);
      this.#takenIn = transaction;
    } else if (transaction !== this.#takenIn) replayLog(this.#options);
    return true;
  }

  #isForeign(mark: LogFence | undefined): boolean {
    return isUnread(mark) && (mark.state === 'taken' || mark.epoch !== this.#epoch);
  }
}
