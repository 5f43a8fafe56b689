// Empty stores of each engine, by address, for suites that run against several of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engines } from '#server/parts';
import { cassandraEngine } from '../../packages/store-cassandra/cassandra-engine.js';
import { dropKeyspace, newPlace, openStore } from '../../packages/store-cassandra/testing/cluster.js';

/** A kind of store. */
interface StoreKind {
  readonly name: string;
  /** The address of an empty store, and how to remove it. */
  open(): Promise<{ readonly store: string; discard(): Promise<void> }>;
  /** Opens it so that dropping a space takes no time, for suites that drop many; absent if it takes none anyway. */
  readonly quick?: Engines | undefined;
}

export const memory: StoreKind = {
  name: 'memory',
  open: async () => ({ store: 'memory:', discard: async () => undefined }),
};

export const lmdb: StoreKind = {
  name: 'lmdb',
  open: async () => {
    const data = await mkdtemp(join(tmpdir(), 'shelfmark-test-'));
    return { store: `lmdb:${data}`, discard: () => rm(data, { recursive: true }) };
  },
};

/** On the node that SHELFMARK_CASSANDRA names, and only if selected. */
export const cassandra: StoreKind = {
  name: 'cassandra',
  quick: new Engines([{ ...cassandraEngine, open: (place, { clock }) => openStore(place, { clock }) }]),
  open: async () => {
    const place = newPlace();
    return { store: `cassandra:${place}`, discard: () => dropKeyspace(place) };
  },
};
