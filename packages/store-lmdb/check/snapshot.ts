// A store as it is at one moment, for checking or copying its file while others write: it holds one of LMDB's reader
// slots, so that no page of that moment is overwritten. It changes no row and no content. unread-log.ts finds what is
// only in the store's log.
import { accessSync, chownSync, constants, existsSync, statSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Inspection, StoreError, type StoreReport } from '#store';
import { assertFormat, contentsOf, FORMAT_NAME, PROCESSES_NAME } from '../content/content-path.js';
import { monotonicNow, ProcessEntry } from '../content/process-entry.js';
import { FILE_NAME, openRoot } from '../environment.js';
import { engineError } from '../lmdb/engine-error.js';
import { checkFileHead } from '../lmdb/file-head.js';
import { LastTransaction } from '../lmdb/last-transaction.js';
import type { RootDatabase } from '../lmdb/lmdb.js';
import { checkFile } from './check.js';
import { CheckedContents } from './check-contents.js';
import { counted } from './findings.js';
import { closeCopy, unreadLog } from './unread-log.js';

/**
 * Checks a store as it is now; other processes may be writing to it.
 *
 * @throws StoreError as `checkFile`, and `busy` or `unsupported` if no snapshot of the store can be had.
 */
export async function checkSnapshot(
  directory: string,
  inspection: Inspection,
  onSlice?: () => void,
): Promise<StoreReport> {
  const path = dataFile(directory);
  const check = () => checkBoth(path, inspection, onSlice);
  return withContentsPinned(path, () => (isAtRest(path) ? check() : withSnapshot(path, check)));
}

/**
 * Runs `use`, which reads rows of the store and then contents that they name: no process removes these in the meantime.
 * Fails with `unsupported` if another version wrote the contents.
 */
export async function withContentsPinned<T>(path: string, use: () => Promise<T>): Promise<T> {
  const contents = contentsOf(dirname(path));
  if (!isWritable(path)) {
    assertFormat(contents);
    return use();
  }
  // Creates nothing next to a file that is no store's.
  checkFileHead(path);
  const isNew = !existsSync(contents);
  // A server that writes its first content now finds the directory, and takes it for durable.
  const entry = new ProcessEntry(contents, true, monotonicNow());
  try {
    if (isNew) giveToOwner(contents, path);
    return await use();
  } finally {
    entry.close();
  }
}

/** Root may check the store of another user, whose server has to be able to write contents afterwards. */
function giveToOwner(contents: string, path: string): void {
  const { uid, gid } = statSync(path);
  if (process.getuid?.() !== 0 || uid === 0) return;
  try {
    for (const name of ['', PROCESSES_NAME, FORMAT_NAME]) chownSync(join(contents, name), uid, gid);
  } catch {
    // The file system has no owners, or this root may not change them.
  }
}

/** A log that cannot be read is a finding like any other: acknowledged writes are lost with it. */
async function checkBoth(path: string, inspection: Inspection, onSlice?: () => void): Promise<StoreReport> {
  const log = await unreadLog(path).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'corrupt') return error;
    throw error;
  });
  const records = log instanceof StoreError ? [] : (log?.records ?? []);
  const contents = new CheckedContents(contentsOf(dirname(path)), records);
  const report = await checkFile(path, inspection, onSlice, contents);
  const changes = records.reduce((count, record) => count + record.changes.length, 0);
  if (changes > 0) {
    const logged = `${counted(changes, 'change')} of rows in data.log, not counted above`;
    return { ...report, notes: [...report.notes, logged] };
  }
  // The report already covers a damaged catalogue, which is where the log's epoch is.
  if (!(log instanceof StoreError) || report.findingCount > 0) return report;
  return { ...report, findings: [`log: ${log.message}`], findingCount: 1 };
}

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
  const log = await withSnapshot(from, async root => {
    const unread = await unreadLog(from);
    try {
      await root.backup(path, false);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StoreError('busy', `${from} cannot be copied to ${path}: ${reason}.`, error);
    }
    return unread;
  });
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

/**
 * Runs `use` with a reader slot held. Fails with `busy`, `unsupported` or `corrupt`; the message names the file. The
 * process should exit after a failure.
 */
async function withSnapshot<T>(path: string, use: (root: RootDatabase) => Promise<T>): Promise<T> {
  if (!isWritable(path))
    throw new StoreError(
      'unsupported',
      `${path} cannot be written to, which LMDB needs to hold off its writers.`,
    );
  checkFileHead(path);
  const { root, last, transaction } = openSnapshot(path);
  const result = await use(root);
  transaction.done();
  await root.close();
  last.close();
  return result;
}

function openSnapshot(path: string) {
  try {
    const root = openRoot(path, 'full');
    const last = new LastTransaction(path);
    root.transactionSync(() => last.catchUp(root.getWriteTxnId()));
    return { root, last, transaction: root.useReadTransaction() };
  } catch (error) {
    throw engineError(error, path);
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
