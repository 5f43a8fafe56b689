// Reads the whole state: through a server, or from the files of a store when no server runs.
import { join } from 'node:path';
import { collectRows, type Row, type Space, type Store } from '#store';
import { checkFile, openLmdbStore } from '#store-lmdb';
import { decodeEntity } from '#tables';
import { inspection } from '../../packages/cli/store-task/inspection.js';
import { decodeCount } from '../../packages/queues/message-count.js';
import { decodeMessage, decodeVisibilityKey, partitionOf } from '../../packages/queues/message-rows.js';
import { CheckedContents } from '../../packages/store-lmdb/check/check-contents.js';
import { unreadLog } from '../../packages/store-lmdb/check/unread-log.js';
import { contentsOf } from '../../packages/store-lmdb/content/content-path.js';
import { Connection } from '../support/worker-processes.js';
import type { Found } from './history.js';
import { WORK } from './queues/queue-hand.js';
import { foundInQueue } from './queues/queue-life.js';
import { pageRequest, pathOf, tablesRequest, textOf } from './tables/request.js';
import { tickOf } from './tick.js';

type Finds = Map<string, { text: string; tick: bigint }>;

const ACCOUNT = 'devstoreaccount1';
const UNBOUNDED = { rows: 1e9, bytes: 1e12, examined: 1e9, milliseconds: 1e9 };
const EVERYTHING = { from: { partition: '', key: '' } };
const SPACES_MAX = 1000;

export async function foundByServer(port: number): Promise<Found> {
  const connection = new Connection(port);
  const found: Finds = new Map();
  const { status, body } = await connection.request(tablesRequest());
  if (status !== 200) throw new Error(`The tables were answered ${status} ${body}`);
  for (const { TableName } of JSON.parse(body).value) {
    found.set(TableName, { text: 'a table', tick: 0n });
    await addRows(connection, TableName, found);
  }
  connection.close();
  return found;
}

async function addRows(connection: Connection, table: string, found: Finds): Promise<void> {
  for (let next: readonly [string, string] | undefined; ; ) {
    const { status, headers, body } = await connection.request(pageRequest(table, next));
    if (status !== 200) throw new Error(`A page of ${table} was answered ${status} ${body}`);
    for (const entity of JSON.parse(body).value) {
      const { PartitionKey: partition, RowKey: row, 'odata.etag': etag } = entity;
      const names = Object.keys(entity).filter(name => /^[a-z]$/.test(name));
      const properties = Object.fromEntries(names.map(name => [name, entity[name]]));
      found.set(pathOf({ table, partition, row }), { text: textOf(properties), tick: tickOf(etag) });
    }
    const partition = headers['x-ms-continuation-nextpartitionkey'];
    if (partition === undefined) return;
    next = [String(partition), String(headers['x-ms-continuation-nextrowkey'] ?? '')];
  }
}

/** The faults of the file, and of the contents that its rows and those of the log name; throws if it is not a store. */
export async function faultsOfFile(directory: string): Promise<readonly string[]> {
  const path = join(directory, 'data.mdb');
  const contents = new CheckedContents(contentsOf(directory), (await unreadLog(path))?.records);
  return (await checkFile(path, inspection, undefined, contents)).findings;
}

/** Opens the store like a server, for as long as this takes. */
export async function foundInStore(directory: string): Promise<Found> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  try {
    const found: Finds = new Map();
    for (const space of await store.listSpaces(ACCOUNT, 'table', '', SPACES_MAX)) {
      found.set(space.name, { text: 'a table', tick: 0n });
      for (const { partition, key, version, value } of await rowsOf(store, space)) {
        const path = pathOf({ table: space.name, partition, row: key });
        found.set(path, { text: storedText(value), tick: version });
      }
    }
    for (const space of await store.listSpaces(ACCOUNT, 'queue', '', SPACES_MAX)) {
      // Its messages move, so their history is of another kind.
      if (space.name === WORK) continue;
      const texts = (await livingRows(store, space)).filter(isMessage).map(row => decodeMessage(row).text);
      for (const [path, image] of foundInQueue(space.name, texts)) found.set(path, image);
    }
    return found;
  } finally {
    await store.close();
  }
}

const isPlace = ({ key }: Row): boolean => key.startsWith('at/');
const isMessage = ({ key }: Row): boolean => key.startsWith('id/');

/** The rows of the current queue, without what was in it when it was cleared. */
async function livingRows(store: Store, space: Space): Promise<readonly Row[]> {
  return (await rowsOf(store, space)).filter(({ partition }) => partition === partitionOf(space));
}

/** Every message has one place and every place a message, and the count matches, whatever died between two commits. */
export async function faultsOfQueues(directory: string): Promise<readonly string[]> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  try {
    const faults: string[] = [];
    for (const space of await store.listSpaces(ACCOUNT, 'queue', '', SPACES_MAX)) {
      const rows = await livingRows(store, space);
      const placed = rows.filter(isPlace).map(({ key }) => decodeVisibilityKey(key).id);
      const there = rows.filter(isMessage).map(({ key }) => key.slice('id/'.length));
      const count = decodeCount(rows.find(({ key }) => key === 'count'));
      if (placed.sort().join() !== there.sort().join() || count !== there.length)
        faults.push(
          `${space.name} has ${placed.length} places, ${there.length} messages and counts ${count}.`,
        );
    }
    return faults;
  } finally {
    await store.close();
  }
}

async function rowsOf(store: Store, space: Space): Promise<readonly Row[]> {
  return (await collectRows(store, space, EVERYTHING, UNBOUNDED)).rows;
}

function storedText(value: Buffer): string {
  const properties = decodeEntity(value).map(({ name, value }) => [name, value]);
  return textOf(Object.fromEntries(properties));
}
