// An Azurite folder as input of a load: one of its accounts, with rows as Azurite answered them. Everything is read and
// checked before the first row is yielded.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAzuriteFolder, LokiInvalid, SERVICE_FILES } from '../azurite/loki-file.js';
import { compareText, RowError } from '../line/row.js';
import type { LoadInput } from '../load/input.js';
import { systemCodeOf, ToolError } from '../source/tool-error.js';
import { azuriteBlobs } from './azurite-blobs.js';
import { azuriteQueues } from './azurite-queues.js';
import { azuriteTables } from './azurite-tables.js';
import type { Owned } from './owned.js';

/** The emulator's, which its documentation publishes. */
const ACCOUNT_DEFAULT = 'devstoreaccount1';

/** Errors in Azurite's files are those of a damaged dump: nothing was written yet. */
function whole<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof LokiInvalid || error instanceof RowError)
      throw new ToolError('damaged', `${error.message} Nothing was written.`, { cause: error });
    throw error;
  }
}

/** @throws ToolError notThere or usage, unless it is an Azurite folder. */
function checkIsFolder(directory: string): void {
  if (!existsSync(directory)) throw new ToolError('notThere', `${directory} is not there.`);
  if (!statSync(directory).isDirectory()) throw new ToolError('usage', `${directory} is not a directory.`);
  if (existsSync(join(directory, 'SHA256SUMS')))
    throw new ToolError('usage', `${directory} is a dump: \`shelfmark load ${directory}\` is for it.`);
  if (!isAzuriteFolder(directory))
    throw new ToolError(
      'usage',
      `${directory} is not a folder of Azurite: it has none of ${Object.values(SERVICE_FILES).join(', ')}. Give what \`azurite --location\` was given.`,
    );
}

/** The account to import: the named one, or the only one, or the emulator's own. @throws ToolError */
function accountIn(accounts: ReadonlySet<string>, wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (accounts.has(wanted)) return wanted;
    throw new ToolError('notThere', `The folder has no account ${wanted}, but ${told(accounts)}.`);
  }
  const [first = ACCOUNT_DEFAULT] = accounts;
  if (accounts.size <= 1) return first;
  throw new ToolError(
    'usage',
    `The folder has several accounts, ${told(accounts)}: name one with --account.`,
  );
}

const told = (accounts: ReadonlySet<string>): string =>
  accounts.size === 0 ? 'no account at all' : [...accounts].sort().join(', ');

const stampOf = (path: string): string => {
  try {
    const { size, mtimeMs } = statSync(path);
    return `${size}:${mtimeMs}`;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return '';
    throw error;
  }
};

/** Azurite's data for a service, if it was ever used. */
const readIf = <T>(directory: string, name: string, read: () => readonly T[]): readonly T[] =>
  existsSync(join(directory, name)) ? whole(read) : [];

export interface FolderOptions {
  /** Which of several accounts. */
  readonly account: string | undefined;
  /** The selection to write: all its contents must exist. */
  readonly wanted: { readonly queues: boolean; readonly blobs: boolean };
  /** Milliseconds since 1970: expired messages are skipped. */
  readonly now: number;
}

/** @throws ToolError damaged, notThere or usage */
export function openAzuriteFolder(directory: string, { account, wanted, now }: FolderOptions): LoadInput {
  checkIsFolder(directory);
  const { tables: tableFile, queues: queueFile, blobs: blobFile } = SERVICE_FILES;
  const tables = readIf(directory, tableFile, () => azuriteTables(directory));
  const queues = readIf(directory, queueFile, () =>
    azuriteQueues(directory, { isWanted: wanted.queues, now }),
  );
  const containers = readIf(directory, blobFile, () => azuriteBlobs(directory, wanted.blobs));
  const accounts = [...tables, ...queues, ...containers].map(each => each.account);
  const chosen = accountIn(new Set(accounts), account);
  const own = <T>(found: readonly Owned<T>[]): readonly T[] =>
    found
      .filter(each => each.account === chosen)
      .sort((one, other) => compareText(one.name, other.name))
      .map(each => whole(each.open));
  return {
    identity: [chosen, ...Object.values(SERVICE_FILES).map(name => stampOf(join(directory, name)))].join(),
    isFile: false,
    tables: own(tables),
    contents: { queues: own(queues), containers: own(containers) },
    close: () => {},
  };
}
