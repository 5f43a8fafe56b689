// Runs the conformance suite on the LMDB store; again with keys cut so short that nearly every row has a long key; and
// again without reading the data file's pages. SHELFMARK_LONG adds runs with a log in both modes, keys cut shorter
// still, all laws without reading pages, and more histories.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conformance } from '#store/conformance';
import { type LmdbStoreInternals, type LmdbStoreOptions, openLmdbStore } from './lmdb-store.js';
import { newDirectory, openedStore, openSpace } from './testing/fixture.js';

const isLong = process.env.SHELFMARK_LONG === '1';
const histories = isLong ? 40 : 8;
/** Laws about order and scans: those that read the tree. */
const OF_SCANS = /: (?:law 1|law 3|scan|all laws): /;

interface Variant {
  readonly options: Omit<LmdbStoreOptions, 'directory'>;
  readonly internals?: LmdbStoreInternals;
  readonly keyLength?: number;
  /** Without SHELFMARK_LONG only the laws whose names match. */
  readonly only?: RegExp;
}

const NONE = /(?!)/;
const VARIANTS: Readonly<Record<string, Variant>> = {
  lmdb: { options: { durability: 'full' } },
  'lmdb, exclusive, with keys cut every 24 bytes': {
    options: { durability: 'none', exclusive: true },
    internals: { chunk: 24 },
    keyLength: 100,
  },
  'lmdb, exclusive, with a log from the first commit on': {
    options: { durability: 'full', exclusive: true },
    internals: { logAfter: 0 },
  },
  'lmdb, exclusive, with a log, and with keys cut every 24 bytes': {
    options: { durability: 'full', exclusive: true },
    internals: { chunk: 24, logAfter: 0 },
    keyLength: 100,
    only: NONE,
  },
  'lmdb, with scans by the cursor of the package': {
    options: { durability: 'none' },
    internals: { readsPages: false },
    only: OF_SCANS,
  },
  'lmdb with keys cut every 4 bytes': {
    options: { durability: 'none' },
    internals: { chunk: 4 },
    keyLength: 40,
    only: NONE,
  },
};

for (const [name, { options, internals = {}, only, ...suite }] of Object.entries(VARIANTS))
  conformance({
    ...suite,
    name,
    histories,
    test: (law, body) => test(law, { skip: !isLong && only?.test(law) === false }, body),
    open: ({ clock }) => openedStore(directory => openLmdbStore({ ...options, clock, directory }, internals)),
  });

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
