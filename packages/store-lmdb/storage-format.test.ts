// Compares the bytes on disk with the worked examples of docs/storage-format.md. A change here is a new format version.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Space, Store } from '#store';
import { openEnvironment, openRoot } from './environment.js';
import { writeRowKey } from './layout/rows.js';
import { Tree } from './lmdb/tree.js';
import { openLmdbStore } from './lmdb-store.js';
import { newDirectory } from './testing/fixture.js';
import { beginLog, endLog } from './wal/recovery.js';

const LONGEST = '\uffff'.repeat(1024);
const EF_BF_BF = 'efbfbf';

test('the worked examples of docs/storage-format.md', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, clock: () => 17_000_000_000_000_000n, durability: 'none' });
  const fruit = await createSpace(store, 'fruit', '{}');
  await put(store, fruit, 'p1', [{ key: 'é', value: Buffer.from('pear') }]);
  await put(store, fruit, LONGEST, [{ key: LONGEST, value: Buffer.from('long') }]);
  const gone = await createSpace(store, 'gone', '');
  // More than the background takes at a time, so that the record of the drop outlives the close.
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ key: `${index}`, value: Buffer.alloc(0) }));
  await put(store, gone, 'p', rows);
  await Promise.all([store.dropSpace(gone), store.close()]);

  const { catalog, rows: rowsTree, long } = await dump(directory);
  assert.deepEqual(catalog, [
    ['63', '003c6568f12e800500000000000000020000000000000001'],
    ['6400000002', '003c6568f12e8005'],
    ['66', '00010fb1'],
    ['73646576007461626c65006672756974', '00000001003c6568f12e80007b7d'],
  ]);
  const chunk = `${EF_BF_BF.repeat(1024)}00${EF_BF_BF.repeat(1024)}`.slice(0, 2 * 4017);
  assert.deepEqual(rowsTree.slice(0, 2), [
    ['00000001703100c3a9', '003c6568f12e800170656172'],
    [`00000001${chunk}ff`, '0000000000000001'],
  ]);
  const rest = EF_BF_BF.repeat(1024).slice(2 * 944);
  assert.deepEqual(long, [[`0000000000000001${rest}`, '003c6568f12e80026c6f6e67']]);
});

test('the worked example of a log that is in use', async t => {
  const directory = newDirectory(t);
  const environment = openEnvironment({ directory, durability: 'none' });
  const { catalog } = environment;
  await environment.transaction(() => {
    catalog.putCounters({ tick: 17_000_000_000_000_005n, spaceId: 2, subtreeId: 1 });
    for (const epoch of [1n, 2n, 3n]) {
      assert.equal(beginLog(catalog, 4017), epoch);
      if (epoch < 3n) endLog(catalog);
    }
  });
  await environment.close();
  const records = (await dump(directory)).catalog.filter(([key]) => key === '66' || key === '6c');
  assert.deepEqual(records, [
    ['66', '00020fb1'],
    ['6c', '000000000000000301003c6568f12e8005'],
  ]);
});

async function createSpace(store: Store, name: string, metadata: string): Promise<Space> {
  const space = await store.createSpace({ account: 'dev', service: 'table', name }, Buffer.from(metadata));
  assert(space !== undefined);
  return space;
}

async function put(store: Store, space: Space, partition: string, puts: { key: string; value: Buffer }[]) {
  await store.commit(space, partition, { keys: [] }, () => ({ result: true, puts }));
}

/** The first entries of each database, in hexadecimal. */
async function dump(directory: string) {
  const path = join(directory, 'data.mdb');
  const root = openRoot(path, 'none');
  const entriesOf = (name: string) => {
    const tree = new Tree(root, path, name, writeRowKey);
    const keys = tree.keys({ start: Buffer.of(0), end: Buffer.of(0xff) }, 10);
    // lmdb redefines the length of a longer buffer; not every version of Node.js asks for it.
    const hex = (bytes: Buffer | undefined) => bytes?.toString('hex', 0, bytes.length);
    return keys.map(key => [key.toString('hex'), hex(tree.get(key))]);
  };
  const entries = { catalog: entriesOf('catalog'), rows: entriesOf('rows'), long: entriesOf('long') };
  await root.close();
  return entries;
}
