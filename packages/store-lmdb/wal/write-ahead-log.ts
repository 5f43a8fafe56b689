// What is durable in the log and not in the tree yet: takes decided changes into the log (log-file.ts), and brings the tree up
// behind it, many commits a transaction. Which changes, and who waits for them, is early-commits.ts's affair; when there is a
// log at all, that of start-log.ts.
//
// A process that opened the store meanwhile may have taken the log over (take-log.ts). So nobody is answered for what was
// appended before the mark in the catalogue was looked at again.

import type { Environment } from '../environment.js';
import type { Counters } from '../layout/counters.js';
import { type LogFile, logBytes } from './log-file.js';
import { type Change, WalOverlay } from './wal-overlay.js';

/** Why something failed, whatever was thrown. */
export interface Failure {
  readonly reason: unknown;
}

/** Changes that belong together, between two ticks. */
export interface DecidedBatch {
  /** The last tick before it. */
  readonly basis: bigint;
  /** Its last tick. */
  readonly tick: bigint;
  readonly changes: readonly Change[];
}

/**
 * `last`: it is durable, and the log was taken over: whatever was decided after it is not. `unknown`: the log was taken over, and
 * nobody can tell any more whether it is durable.
 */
export type Appended = 'durable' | 'last' | 'lost' | 'unknown';

export interface WriteAheadLogOptions {
  readonly environment: Environment;
  readonly counters: Counters;
  /** Whether there is place in the tree for what a half of the log holds. */
  readonly isAmple: () => boolean;
  /** The tree took something in, or could not: then with the reason. */
  readonly onApplied: (failure?: Failure) => void;
}

interface Logged extends DecidedBatch {
  /** Of the log, 0 or 1. */
  readonly half: number;
}

/** More would hold up the event loop: they are handed to LMDB's thread one by one. */
const APPLY_CHANGES_MAX = 512;
const APPLY_BYTES_MAX = 1024 * 1024;
/**
 * The tree is brought up once so many changes wait for it, or after the time. The more they are, the fewer pages each costs; but the system
 * writes these in one piece, during which nobody else gets that processor: up to 13 ms, of the 15 to 20 that 512 take. 128 take 6 to 7 in
 * all. Where writes come faster than that, more have gathered by the time it is done.
 */
const APPLY_CHANGES_MIN = 128;
const APPLY_AFTER_MILLISECONDS = 250;
const RETRY_AFTER_MILLISECONDS = 1000;
/** A scan sorts what is recent in one piece. A batch of more goes into the tree directly. */
export const RECENT_CHANGES_MAX = 4096;
/** A larger batch goes into the tree directly: its rows share pages there, and would be written twice. */
export const LOGGED_BYTES_MAX = 128 * 1024;
/** More who wait together share the pages of the tree and its two syncs, and that costs less work than to write twice. */
const LOGGED_CALLERS_MAX = 8;
/** Batches of more, in a row, that a pause leaves behind: they would wait until the tree is brought up, and for it a second time. */
const CROWDS_LOGGED_MAX = 4;
/** With its keys, which may be longer than the values. */
const RECORD_BYTES_MAX = 2 * LOGGED_BYTES_MAX;
/** After a larger batch, or works that need the tree as it is, others are near, and each would wait until it is brought up. */
const REST_MILLISECONDS = 100;

export class WriteAheadLog {
  readonly recent = new WalOverlay();
  readonly #environment: Environment;
  readonly #counters: Counters;
  readonly #isAmple: () => boolean;
  readonly #onApplied: WriteAheadLogOptions['onApplied'];
  #file: LogFile | undefined;
  /** Durable and not in the tree, the oldest first. */
  #logged: Logged[] = [];
  #loggedChanges = 0;
  #restUntil = 0;
  /** Batches of more callers than the log is for, one after the other. */
  #crowds = 0;
  /** The file is not to be trusted any more; the mark says so once all that is recent is in the tree. */
  #isFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #applying: Promise<void> | undefined;
  #takingBack: Promise<bigint | undefined> | undefined;
  /** Why the tree could not be brought up when it was last tried. */
  #failure: Failure | undefined;

  constructor({ environment, counters, isAmple, onApplied }: WriteAheadLogOptions) {
    this.#environment = environment;
    this.#counters = counters;
    this.#isAmple = isAmple;
    this.#onApplied = onApplied;
  }

  /** All that is durable is in the tree. */
  get isEmpty(): boolean {
    return this.#logged.length === 0 && !this.#isFailed;
  }

  /** The tree cannot be brought up: nothing is to be decided on top of what it lacks. */
  get isStuck(): boolean {
    return this.#failure !== undefined;
  }

  /** The mark in the catalogue is this file's. */
  begin(file: LogFile): void {
    this.#file = file;
  }

  /** Where changes go next: `later` while the tree has to be brought up first, after which `onApplied` is called. */
  placeFor(changes: readonly Change[], bytes: number, callers: number): 'log' | 'tree' | 'later' {
    const file = this.#file;
    this.#crowds = callers > LOGGED_CALLERS_MAX ? this.#crowds + 1 : 0;
    if (bytes > LOGGED_BYTES_MAX || this.#crowds > CROWDS_LOGGED_MAX) this.#rest();
    const isToLog = file !== undefined && performance.now() >= this.#restUntil;
    if (isToLog && this.#loggedChanges + changes.length <= RECENT_CHANGES_MAX) {
      const length = logBytes(changes);
      // What removes rows has keys alone, and may have many.
      if (length <= RECORD_BYTES_MAX && (file.hasRoom(length) || this.#turn(file))) return 'log';
    }
    if (this.isEmpty) return 'tree';
    if (this.#failure === undefined) void this.#applyNow();
    return 'later';
  }

  /** Rejects if the log failed; then it is used no more, and the batch may come back after a failure of the process. */
  async append(batch: DecidedBatch): Promise<Appended> {
    const file = this.#file;
    if (file === undefined) throw new Error('There is no log to append to.');
    try {
      await file.append(batch);
    } catch (error) {
      this.#isFailed = true;
      this.#giveUpFile();
      throw error;
    }
    if (!this.#environment.ownsLog()) return this.#lose(batch);
    for (const change of batch.changes) this.recent.add(change);
    this.#logged.push({ ...batch, half: file.half });
    this.#loggedChanges += batch.changes.length;
    this.#schedule();
    return 'durable';
  }

  /** Past the log, into the tree. Only if nothing is recent. */
  async pass(batch: DecidedBatch): Promise<Appended> {
    return (await this.#writeToTree(batch)) ? 'durable' : 'lost';
  }

  /** Brings the tree up with all that is recent; gives what kept it from that. */
  async drain(): Promise<Failure | undefined> {
    if (this.isEmpty) return undefined;
    this.#failure = undefined;
    while (!this.isEmpty && this.#failure === undefined) await this.#applyNow();
    this.#rest();
    return this.#failure;
  }

  /** After `drain`; without the log if the tree has all of it. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    if (!this.isEmpty) return file.close();
    try {
      await this.#environment.endLog();
      await file.discard();
    } catch {
      // The next opening finds that the tree has all of it.
      file.close();
    }
  }

  #rest(): void {
    this.#restUntil = performance.now() + REST_MILLISECONDS;
  }

  /** Goes on in the other half, if all that it holds is in the tree. */
  #turn(file: LogFile): boolean {
    if (this.#logged.some(({ half }) => half !== file.half) || !this.#isAmple()) return false;
    file.turn();
    return true;
  }

  #schedule(): void {
    if (this.#failure !== undefined) return;
    if (this.#loggedChanges >= APPLY_CHANGES_MIN) void this.#applyNow();
    else this.#applyAfter(APPLY_AFTER_MILLISECONDS);
  }

  #applyAfter(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#failure = undefined;
      void this.#applyNow();
    }, milliseconds).unref();
  }

  /** Fulfilled, whatever happened, after the next transaction. */
  #applyNow(): Promise<void> {
    this.#applying ??= this.#apply().finally(() => {
      this.#applying = undefined;
      if (this.#failure !== undefined) this.#applyAfter(RETRY_AFTER_MILLISECONDS);
      else if (this.#logged.length > 0) this.#schedule();
      this.#onApplied(this.#failure);
    });
    return this.#applying;
  }

  async #apply(): Promise<void> {
    const batches = this.#oldest();
    const [first, last] = [batches[0], batches.at(-1)];
    try {
      if (first !== undefined && last !== undefined) await this.#bringUp(batches, first.basis, last.tick);
      else if (this.#isFailed) await this.#endFailed();
    } catch (reason) {
      this.#failure = { reason };
    }
  }

  async #bringUp(batches: readonly Logged[], basis: bigint, tick: bigint): Promise<void> {
    if (await this.#writeToTree({ basis, tick, changes: lastChanges(batches) })) this.#forget(batches);
    else await this.#takeBackOnce();
  }

  /** False if somebody else has written since `basis`. */
  #writeToTree({ basis, tick, changes }: DecidedBatch): Promise<boolean> {
    const { catalog, rows } = this.#environment;
    return catalog.writeIfTick(basis, () => {
      for (const { key, bytes } of changes) rows.apply(key, bytes);
      this.#counters.saveAs(tick, catalog);
    });
  }

  #oldest(): Logged[] {
    const batches: Logged[] = [];
    let [changes, bytes] = [0, 0];
    for (const batch of this.#logged) {
      for (const change of batch.changes) bytes += change.bytes?.length ?? 0;
      changes += batch.changes.length;
      if (batches.length > 0 && (changes > APPLY_CHANGES_MAX || bytes > APPLY_BYTES_MAX)) break;
      batches.push(batch);
    }
    return batches;
  }

  /** The batches are in the tree. */
  #forget(batches: readonly Logged[]): void {
    this.#logged.splice(0, batches.length);
    for (const { changes } of batches) {
      this.#loggedChanges -= changes.length;
      for (const change of changes) this.recent.forget(change);
    }
    this.#environment.invalidateSnapshot();
  }

  /** The log was taken over after the batch was on disk: whoever did so may have seen it, and then it is in the tree. */
  async #lose({ tick }: DecidedBatch): Promise<Appended> {
    const last = await this.#takeBackOnce();
    if (last === undefined) return 'unknown';
    return tick <= last ? 'last' : 'lost';
  }

  /** It may be found out twice, by an append and by bringing up the tree. */
  #takeBackOnce(): Promise<bigint | undefined> {
    this.#takingBack ??= this.#releaseBuffer().catch((reason: unknown) => {
      this.#takingBack = undefined;
      throw reason;
    });
    return this.#takingBack;
  }

  /** Somebody else writes too: all that is in the log gets into the tree, and this store goes on without one. */
  async #releaseBuffer(): Promise<bigint | undefined> {
    this.#giveUpFile();
    const last = await this.#environment.takeLogBack();
    this.recent.clear();
    this.#logged = [];
    this.#loggedChanges = 0;
    this.#environment.invalidateSnapshot();
    return last;
  }

  async #endFailed(): Promise<void> {
    await this.#environment.endLog();
    this.#isFailed = false;
  }

  #giveUpFile(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

/** Of each row, without the changes that a later one of the same batches covers. */
function lastChanges(batches: readonly Logged[]): Change[] {
  const last = new WalOverlay();
  for (const { changes } of batches) for (const change of changes) last.add(change);
  const isLast = (change: Change): boolean => last.find(...change.key) === change;
  return batches.flatMap(({ changes }) => changes.filter(isLast));
}
