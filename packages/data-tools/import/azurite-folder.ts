// An Azurite folder as input of a load: one of its accounts, with rows as Azurite answered them. Everything is read and
// checked before the first row is yielded.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAzuriteFolder, LokiFile, SERVICE_FILES } from '../azurite/loki-file.js';
import type { LoadInput } from '../load/input.js';
import { type LoadOptions, loadFrom } from '../load/load.js';
import type { ToolContext, ToolResult } from '../run/context.js';
import { ToolError } from '../source/tool-error.js';
import { azuriteBlobs, azuriteQueues } from './azurite-contents.js';
import { azuriteTables } from './azurite-tables.js';

/** The emulator's, which its documentation publishes. */
const ACCOUNT_DEFAULT = 'devstoreaccount1';

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
  const told = accounts.size === 0 ? 'no account at all' : [...accounts].sort().join(', ');
  if (wanted !== undefined) {
    if (accounts.has(wanted)) return wanted;
    throw new ToolError('notThere', `The folder has no account ${wanted}, but ${told}.`);
  }
  const [first = ACCOUNT_DEFAULT] = accounts;
  if (accounts.size <= 1) return first;
  throw new ToolError('usage', `The folder has several accounts, ${told}: name one with --account.`);
}

interface FolderOptions {
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
  const stamps: string[] = [];
  /** Azurite's data for a service, if it was ever used. */
  const read = (name: string): LokiFile | undefined => {
    const path = join(directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    stamps.push(stat === undefined ? '' : `${stat.size}:${stat.mtimeMs}`);
    return stat && new LokiFile(path);
  };
  const { tables, queues, blobs } = SERVICE_FILES;
  const [ofTables, ofQueues, ofBlobs] = [read(tables), read(queues), read(blobs)];
  const accountsOf = (file: LokiFile | undefined, collection: string, name: string): readonly string[] =>
    file?.documents(collection).map(document => file.text(document, name)) ?? [];
  const accounts = new Set([
    ...accountsOf(ofTables, '$TABLES_COLLECTION$', 'account'),
    ...accountsOf(ofQueues, '$QUEUES_COLLECTION$', 'accountName'),
    ...accountsOf(ofBlobs, '$CONTAINERS_COLLECTION$', 'accountName'),
  ]);
  const chosen = accountIn(accounts, account);
  return {
    identity: [chosen, ...stamps].join(),
    isFile: false,
    tables: ofTables ? azuriteTables(ofTables, chosen) : [],
    contents: {
      queues: ofQueues ? azuriteQueues(ofQueues, chosen, { directory, isWanted: wanted.queues, now }) : [],
      containers: ofBlobs ? azuriteBlobs(ofBlobs, chosen, { directory, isWanted: wanted.blobs }) : [],
    },
  };
}

export interface ImportOptions extends LoadOptions {
  /** Which of several accounts in the folder. */
  readonly account?: string | undefined;
}

/** All queues and blobs that the target supports, unless tables are named. */
function wantedContents({ names, target, queues, blobs }: ImportOptions): FolderOptions['wanted'] {
  const isAll = names.length === 0 && queues === undefined && blobs === undefined;
  return { queues: queues ?? (isAll && target.has('queue')), blobs: blobs ?? (isAll && target.has('blob')) };
}

/** Imports; the exit code is `conflict` if rows were left alone or refused. @throws ToolError */
export function importAzurite(options: ImportOptions, context: ToolContext): Promise<ToolResult> {
  const journal = options.journal ?? `${options.input.replace(/\/+$/, '')}.import.journal`;
  const wanted = wantedContents(options);
  return loadFrom(
    'import-azurite',
    () => openAzuriteFolder(options.input, { account: options.account, wanted, now: Date.now() }),
    { ...options, ...wanted, journal },
    context,
  );
}
