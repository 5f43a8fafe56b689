// A store as it is at one moment, for checking or copying its file while others write: it holds one of LMDB's reader
// slots, so that no page of that moment is overwritten. It changes nothing in the store. unread-log.ts finds what is
// only in the store's log.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Inspection, StoreError } from '#store';
import { contentsOf } from '../content/content-path.js';
import { pinContents } from '../content/process-entry.js';
import { FILE_NAME, openRoot } from '../environment.js';
import { engineError } from '../lmdb/engine-error.js';
import { checkFileHead } from '../lmdb/file-head.js';
import { LastTransaction } from '../lmdb/last-transaction.js';
import type { RootDatabase, Transaction } from '../lmdb/lmdb.js';
import { type CheckReport, checkFile } from './check.js';
import { CheckedContents } from './check-contents.js';
import { closeCopy, type UnreadLog, unreadLog } from './unread-log.js';

/**
 * Checks a store as it is now; other processes may be writing to it.
 *
 * @throws StoreError as `checkFile`, and `busy` or `unsupported` if no snapshot of the store can be had.
 */
export async function checkSnapshot(
  directory: string,
  inspection: Inspection,
  onSlice?: () => void,
): Promise<CheckReport> {
  const path = dataFile(directory);
  if (isAtRest(path)) return checkBoth(path, inspection, onSlice);
  return withContentsPinned(path, async () => {
    const snapshot = new Snapshot(path);
    const report = await checkBoth(path, inspection, onSlice);
    await snapshot.close();
    return report;
  });
}

/**
 * Runs `use`, which reads rows of the store and then contents that they name: no process removes these in the meantime.
 */
export async function withContentsPinned<T>(path: string, use: () => Promise<T>): Promise<T> {
  if (isAtRest(path) || !isWritable(path)) return use();
  const pin = pinContents(dirname(path));
  try {
    return await use();
  } finally {
    pin.release();
  }
}

/** A log that cannot be read is a finding like any other: acknowledged writes are lost with it. */
async function checkBoth(path: string, inspection: Inspection, onSlice?: () => void): Promise<CheckReport> {
  const log = await unreadLog(path).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'corrupt') return error;
    throw error;
  });
  const records = log instanceof StoreError ? [] : log?.records;
  const contents = new CheckedContents(contentsOf(dirname(path)), records);
  const report = await checkFile(path, inspection, onSlice, contents);
  if (!(log instanceof StoreError)) return { ...report, loggedChanges: countChanges(log) };
  // The report already covers a damaged catalogue, which is where the log's epoch is.
  return report.findingCount > 0 ? report : { ...report, findings: [`log: ${log.message}`], findingCount: 1 };
}

const countChanges = (log: UnreadLog | undefined): number =>
  log?.records.reduce((count, { changes }) => count + changes.length, 0) ?? 0;

/**
 * Copies a store to a new file at `path`, as it is after the last commit of any process; not synced. The copy's trees
 * include what is only in the log: the log is read before the copy begins, so that whatever a checkpoint moves in the
 * meantime is in at least one of them, and what is in both is put once. The copy has no log. Writers wait only while
 * two pages are copied; the file grows by what they write until the copy ends, as with any reader.
 *
 * @throws StoreError
 */
export async function copySnapshot(directory: string, path: string): Promise<void> {
  const from = dataFile(directory);
  if (isAtRest(from)) {
    const log = await unreadLog(from);
    await copyFile(from, path, constants.COPYFILE_EXCL);
    // A read-only file is copied with its mode.
    await chmod(path, statSync(from).mode | 0o600);
    await closeCopy(path, log);
    return;
  }
  const snapshot = new Snapshot(from);
  const log = await unreadLog(from);
  await snapshot.copyTo(path);
  await snapshot.close();
  await closeCopy(path, log);
}

/** The data file in a store's directory. Fails with `unsupported` where there is none. */
export function dataFile(directory: string): string {
  const path = join(resolve(directory), FILE_NAME);
  if (existsSync(path) && statSync(path).size > 0) return path;
  throw new StoreError(
    'unsupported',
    `${resolve(directory)} holds no store: there is no ${FILE_NAME} with content.`,
  );
}

class Snapshot {
  readonly #path: string;
  readonly #root: RootDatabase;
  readonly #last: LastTransaction;
  readonly #transaction: Transaction;

  /**
   * Fails with `busy`, `unsupported` or `corrupt`; the message names the file. The process should exit after a failure.
   */
  constructor(path: string) {
    if (!isWritable(path))
      throw new StoreError(
        'unsupported',
        `${path} cannot be written to, which LMDB needs to hold off its writers.`,
      );
    checkFileHead(path);
    this.#path = path;
    try {
      this.#root = openRoot(path, 'full');
      const last = new LastTransaction(path);
      this.#last = last;
      this.#root.transactionSync(() => last.catchUp(this.#root.getWriteTxnId()));
      this.#transaction = this.#root.useReadTransaction();
    } catch (error) {
      throw engineError(error, path);
    }
  }

  async copyTo(path: string): Promise<void> {
    try {
      await this.#root.backup(path, false);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StoreError('busy', `${this.#path} cannot be copied to ${path}: ${reason}.`, error);
    }
  }

  async close(): Promise<void> {
    this.#transaction.done();
    await this.#root.close();
    this.#last.close();
  }
}

/** On a read-only medium, such as a backup's, no process writes, and LMDB has never created its lock file. */
const isAtRest = (path: string): boolean => !isWritable(path) && !existsSync(`${path}-lock`);

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
