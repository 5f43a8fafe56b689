// Runs the conformance suite on the LMDB store, and once more with keys cut so short that nearly every row takes the way
// of long keys.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { conformance, type OpenedStore } from '#store/conformance';
import { type LmdbStoreInternals, type LmdbStoreOptions, openLmdbStore } from './lmdb-store.js';

conformance({
  name: 'lmdb',
  test,
  open: ({ clock }) => open({ clock, durability: 'full' }, {}),
});

conformance({
  name: 'lmdb as the only writer',
  test,
  open: ({ clock }) => open({ clock, durability: 'full', isOnlyWriter: true }, {}),
});

conformance({
  name: 'lmdb as the only writer with keys cut every 8 bytes',
  test,
  keyLength: 40,
  open: ({ clock }) => open({ clock, durability: 'none', isOnlyWriter: true }, { chunk: 8 }),
});

conformance({
  name: 'lmdb with keys cut every 4 bytes',
  test,
  keyLength: 40,
  open: ({ clock }) => open({ clock, durability: 'none' }, { chunk: 4 }),
});

async function open(
  options: Omit<LmdbStoreOptions, 'directory'>,
  internals: LmdbStoreInternals,
): Promise<OpenedStore> {
  const directory = await mkdtemp(join(tmpdir(), 'lmdb-store-'));
  let store = await openLmdbStore({ ...options, directory }, internals);
  return {
    store,
    async reopen() {
      await store.close();
      store = await openLmdbStore({ ...options, directory });
      return store;
    },
    async close() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}
