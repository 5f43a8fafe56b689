// Faults in the files of a store that no server has open: of the file itself, of queues, and of blobs' contents.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, Space } from '#store';
import { checkFile, openLmdbStore } from '#store-lmdb';
import { inspection } from '../../packages/cli/store-task/inspection.js';
import { CheckedContents } from '../../packages/store-lmdb/check/check-contents.js';
import { unreadLog } from '../../packages/store-lmdb/check/unread-log.js';
import { contentsOf } from '../../packages/store-lmdb/content/content-path.js';
import { type NamedContents, namedContents, sweepBlobs } from '../blobs/content-faults.js';
import { faultsOfQueueRows } from '../queues/queue-rows.js';

const ACCOUNT = 'devstoreaccount1';
const SPACES_MAX = 1000;

/** The faults of the file, and of the contents that its rows and those of the log name; throws if it is not a store. */
export async function faultsOfFile(directory: string): Promise<readonly string[]> {
  const path = join(directory, 'data.mdb');
  const contents = new CheckedContents(contentsOf(directory), (await unreadLog(path))?.records);
  return (await checkFile(path, inspection, undefined, contents)).findings;
}

/** Whatever died between two commits. */
export async function faultsOfQueues(directory: string): Promise<readonly string[]> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  try {
    return await faultsOfQueueRows(store);
  } finally {
    await store.close();
  }
}

/** After a sweep, the existing contents are those that rows name. */
export async function faultsOfContents(directory: string): Promise<readonly string[]> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  try {
    await sweepBlobs(store);
    const faults: string[] = [];
    for (const space of await store.listSpaces(ACCOUNT, 'blob', '', SPACES_MAX))
      faults.push(...(await faultsIn(store, space, join(directory, 'contents', String(space.id)))).faults);
    return faults;
  } finally {
    await store.close();
  }
}

function faultsIn(store: Engine, space: Space, directory: string): Promise<NamedContents> {
  const there = new Set(existsSync(directory) ? readdirSync(directory) : []);
  return namedContents(store, space, there, id => readFileSync(join(directory, id)));
}
