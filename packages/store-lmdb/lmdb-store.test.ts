// Runs the conformance suite on the LMDB store; again with keys cut so short that nearly every row has a long key; and
// again without reading the data file's pages. SHELFMARK_LONG adds runs with a log in both modes, keys cut shorter
// still, all laws without reading pages, and more histories.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conformance, type OpenedStore } from '#store/conformance';
import { type LmdbStoreInternals, type LmdbStoreOptions, openLmdbStore } from './lmdb-store.js';
import { newDirectory, openedStore, openSpace } from './testing/fixture.js';

const isLong = process.env.SHELFMARK_LONG === '1';
const histories = isLong ? 40 : 8;
/** Laws about order and scans: those that read the tree. */
const OF_SCANS = /: (?:law 1|law 3|scan|all laws): /;

conformance({
  name: 'lmdb',
  test,
  histories,
  open: ({ clock }) => open({ clock, durability: 'full' }, {}),
});

conformance({
  name: 'lmdb, exclusive, with keys cut every 24 bytes',
  test,
  histories,
  keyLength: 100,
  open: ({ clock }) => open({ clock, durability: 'none', exclusive: true }, { chunk: 24 }),
});

conformance({
  name: 'lmdb, exclusive, with a log from the first commit on',
  test,
  histories,
  open: ({ clock }) => open({ clock, durability: 'full', exclusive: true }, { logAfter: 0 }),
});

conformance({
  name: 'lmdb, exclusive, with a log, and with keys cut every 24 bytes',
  test: (name, body) => test(name, { skip: !isLong }, body),
  keyLength: 100,
  open: ({ clock }) => open({ clock, durability: 'full', exclusive: true }, { chunk: 24, logAfter: 0 }),
});

conformance({
  name: 'lmdb, with scans by the cursor of the package',
  test: (name, body) => test(name, { skip: !isLong && !OF_SCANS.test(name) }, body),
  histories,
  open: ({ clock }) => open({ clock, durability: 'none' }, { readsPages: false }),
});

conformance({
  name: 'lmdb with keys cut every 4 bytes',
  test: (name, body) => test(name, { skip: !isLong }, body),
  keyLength: 40,
  open: ({ clock }) => open({ clock, durability: 'none' }, { chunk: 4 }),
});

function open(
  options: Omit<LmdbStoreOptions, 'directory'>,
  internals: LmdbStoreInternals,
): Promise<OpenedStore> {
  return openedStore(directory => openLmdbStore({ ...options, directory }, internals));
}

test('a stream of commits goes to the log again after one that needs a transaction', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, durability: 'none', exclusive: true }, { chunk: 16 });
  t.after(() => store.close());
  const space = await openSpace(store);
  const keys = ['a', 'b', 'k'.repeat(40), 'c'];
  let isOver = false;
  const write = async (writer: number): Promise<number> => {
    let count = 0;
    for (; !isOver; count += 1) {
      const key = keys[count % keys.length] ?? '';
      const put = (value: Buffer) => ({ result: true, puts: [{ key, value }] });
      await store.commit(space, `${writer}`, { keys: [key] }, ({ keys: [row] }) => {
        assert.equal(row?.value.toString(), count < keys.length ? undefined : `${count - keys.length}`);
        return put(Buffer.from(`${count}`));
      });
    }
    return count;
  };
  const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
  for (let round = 0; round < 20; round += 1) {
    const dropped = await store.createSpace(
      { account: 'a', service: 't', name: `${round}` },
      Buffer.alloc(0),
    );
    assert(dropped !== undefined && (await store.dropSpace(dropped)));
  }
  isOver = true;
  for (const count of await Promise.all(writers)) assert(count > 10);
});
