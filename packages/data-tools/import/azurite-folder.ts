// An Azurite folder as input of a load: one of its accounts, with rows as Azurite answered them. Everything is read and
// checked before the first row is yielded.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AzuriteBlobs, BLOB_FILE } from '../azurite/azurite-blobs.js';
import { AzuriteQueues, QUEUE_FILE } from '../azurite/azurite-queues.js';
import { type AzuriteTable, AzuriteTables, TABLE_FILE } from '../azurite/azurite-tables.js';
import { isAzuriteFolder, SERVICE_FILES } from '../azurite/is-azurite-folder.js';
import { LokiInvalid } from '../azurite/loki-file.js';
import { readRow } from '../line/read-rows.js';
import { compareText, type Row } from '../line/row.js';
import { RowError } from '../line/row-error.js';
import { RowShape } from '../line/row-shape.js';
import type { InputTable, LoadInput } from '../load/input.js';
import { systemCodeOf, ToolError } from '../source/tool-error.js';
import { checkContents, containerOf, policiesOf, queueOf, recordOf } from './azurite-contents.js';

/** The emulator's, which its documentation publishes. */
const ACCOUNT_DEFAULT = 'devstoreaccount1';
const PAGE_ROWS = 500;

/** Errors in Azurite's files are those of a damaged dump: nothing was written yet. */
export function whole<T>(read: () => T): T {
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
      `${directory} is not a folder of Azurite: it has none of ${SERVICE_FILES.join(', ')}. Give what \`azurite --location\` was given.`,
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

function tableOf(tables: AzuriteTables, table: AzuriteTable): InputTable {
  function* rows(): Generator<Row, void> {
    const shape = new RowShape();
    for (const entity of tables.entitiesOf(table)) {
      try {
        yield readRow(JSON.stringify(entity), shape);
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        const { PartitionKey, RowKey } = entity;
        throw new RowError(
          `Table ${table.name}, ${JSON.stringify(PartitionKey)} ${JSON.stringify(RowKey)}: ${error.message}.`,
        );
      }
    }
  }
  async function* pages(): AsyncGenerator<readonly Row[], void> {
    let page: Row[] = [];
    for (const row of rows()) {
      page.push(row);
      if (page.length < PAGE_ROWS) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }
  let count = 0;
  whole(() => {
    for (const _ of rows()) count++;
  });
  return {
    name: table.name,
    rows: count,
    policies: policiesOf(table.policies),
    hasDistinctKeys: true,
    pages,
  };
}

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
const readIf = <T>(directory: string, name: string, read: (directory: string) => T): T | undefined =>
  existsSync(join(directory, name)) ? whole(() => read(directory)) : undefined;

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
  const tables = readIf(directory, TABLE_FILE, AzuriteTables.read);
  const queues = readIf(directory, QUEUE_FILE, AzuriteQueues.read);
  const blobs = readIf(directory, BLOB_FILE, AzuriteBlobs.read);
  const all = [...(tables?.tables ?? []), ...(queues?.queues ?? []), ...(blobs?.containers ?? [])];
  const chosen = accountIn(new Set(all.map(each => each.account)), account);
  const own = <T extends { readonly account: string; readonly name: string }>(found: readonly T[]) =>
    found.filter(each => each.account === chosen).sort((one, other) => compareText(one.name, other.name));
  return {
    identity: [chosen, ...SERVICE_FILES.map(name => stampOf(join(directory, name)))].join(),
    isFile: false,
    tables: tables === undefined ? [] : own(tables.tables).map(each => tableOf(tables, each)),
    contents: {
      queues:
        queues === undefined
          ? []
          : own(queues.queues).map(each =>
              whole(() =>
                wanted.queues ? queueOf(queues, each, now) : { ...recordOf(each), messages: null, count: 0 },
              ),
            ),
      containers:
        blobs === undefined
          ? []
          : own(blobs.containers).map(each =>
              whole(() => {
                if (wanted.blobs) checkContents(blobs, each);
                return containerOf(blobs, each);
              }),
            ),
    },
    close: () => {},
  };
}
