// Deleted rows on a cluster: two stores that share it answer like a map while dead rows become gaps and rows come back
// into them. No read walks many tombstones where many rows were deleted, by the node's own count.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '#base';
import type { Budget, Row, Space } from '#store';
import { cassandraTools } from '../cassandra-engine.js';
import type { CassandraStore } from '../cassandra-store.js';
import { openCassandraStore } from '../open.js';
import { parsePlace } from '../place.js';
import { onCluster } from '../session/session.js';
import { dropKeyspace } from '../testing/drop-keyspace.js';

const host = process.env.SHELFMARK_CASSANDRA;
const LEASE_MS = 20;
const LEAST_DEAD = 3;
const KEYS = 60;
const STEPS = 400;
const ROWS = 5000;
/** Rows of one commit. */
const COMMIT = 100;
const TOMBSTONES_MAX = 1000;
const NO_READS = { keys: [] };
const EVERYTHING = Number.MAX_SAFE_INTEGER;
const all: Budget = { rows: EVERYTHING, bytes: EVERYTHING, examined: EVERYTHING, milliseconds: 60_000 };

const keyOf = (number: number): string => String(number).padStart(6, '0');

/** Numbers from 0 up to 1, the same for the same seed (Park and Miller). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const randomPlace = (): string => `//${host}/test_${randomBytes(6).toString('hex')}?create&replicas=1`;

const open = (place: string, leastDead?: number): Promise<CassandraStore> =>
  openCassandraStore(
    parsePlace(place),
    { clock: systemClock, leaseMs: LEASE_MS, leastDead },
    cassandraTools(place),
  );

async function create(store: CassandraStore, name: string): Promise<Space> {
  const space = await store.createSpace({ account: 'a', service: 'table', name }, Buffer.alloc(0));
  return space ?? assert.fail(`${name} is there.`);
}

async function keysFrom(store: CassandraStore, space: Space, from: string, budget = all): Promise<string[]> {
  const keys: string[] = [];
  let position: { partition: string; key: string } | undefined = { partition: 'p', key: from };
  while (position !== undefined && keys.length < budget.rows) {
    const range = { from: position, until: { partition: 'p\u0000', key: '' } };
    const end = await store.scan(space, range, budget, row => {
      keys.push(row.key);
      return true;
    });
    position = end.next;
  }
  return keys;
}

describe('cassandra: dead rows', {
  skip: host === undefined && 'SHELFMARK_CASSANDRA names no host',
}, () => {
  const place = randomPlace();
  let stores: readonly [CassandraStore, CassandraStore];
  before(async () => {
    stores = [await open(place, LEAST_DEAD), await open(place, LEAST_DEAD)];
  });
  after(async () => {
    for (const store of stores) await store.close();
    await dropKeyspace(place);
  });

  for (const seed of [1, 2, 3])
    test(`two stores answer like a map (seed ${seed})`, () => compareWithMap(stores, seed));

  test('a head that advances through many deletes is read without a walk', moveHead);
});

/** The maximum of all reads of rows in the last minutes, by the node's count. */
const tombstonesOfReads = (place: string): Promise<number> =>
  onCluster(parsePlace(place), async ({ run }) => {
    const { keyspace } = parsePlace(place);
    const rows = await run('SELECT keyspace_name, table_name, max FROM system_views.tombstones_per_read');
    const own = rows.find(row => row.keyspace_name === keyspace && row.table_name === 'row');
    return Number(own?.max ?? assert.fail('The node counts none.'));
  });

/** Random puts, deletes, scans and reads by either store, each compared with a map. */
async function compareWithMap(
  stores: readonly [CassandraStore, CassandraStore],
  seed: number,
): Promise<void> {
  const random = seeded(seed * 7919);
  const pick = (): number => Math.floor(random() * KEYS);
  const space = await create(stores[0], `model${seed}`);
  const model = new Map<string, string>();
  const sorted = (from: string): string[] => [...model.keys()].filter(key => key >= from).sort();
  for (let step = 0; step < STEPS; step++) {
    const store = stores[random() < 0.5 ? 0 : 1];
    const key = keyOf(pick());
    const kind = random();
    const what = `seed ${seed}, step ${step}`;
    if (kind < 0.3) {
      const puts = [{ key, value: Buffer.from(String(step)) }];
      await store.commit(space, 'p', NO_READS, () => ({ result: true, puts }));
      model.set(key, String(step));
    } else if (kind < 0.6) {
      const deletes = sorted(key).slice(0, 1 + Math.floor(random() * 10));
      await store.commit(space, 'p', { keys: deletes }, () => ({ result: true, deletes }));
      for (const gone of deletes) model.delete(gone);
    } else if (kind < 0.8) {
      assert.deepEqual(await keysFrom(store, space, key), sorted(key), what);
    } else if (kind < 0.9) {
      const range = { from: key, rows: 1 + Math.floor(random() * KEYS) };
      const read = await store.commit(space, 'p', { keys: [], range }, rows => ({
        result: rows.range.map((row: Row) => row.key),
      }));
      assert.deepEqual(read, sorted(key).slice(0, range.rows), what);
    } else {
      const [row] = await store.read(space, 'p', [key]);
      assert.equal(row?.value.toString(), model.get(key), what);
    }
  }
  for (const store of stores) assert.deepEqual(await keysFrom(store, space, ''), sorted(''));
}

async function moveHead(): Promise<void> {
  const own = randomPlace();
  const store = await open(own);
  try {
    const space = await create(store, 'head');
    for (let from = 0; from < ROWS; from += COMMIT) {
      const puts = Array.from({ length: COMMIT }, (_, i) => ({
        key: keyOf(from + i),
        value: Buffer.of(1),
      }));
      await store.commit(space, 'p', NO_READS, () => ({ result: true, puts }));
    }
    for (let from = 0; from < ROWS; from += COMMIT) {
      const deletes = Array.from({ length: COMMIT }, (_, i) => keyOf(from + i));
      await store.commit(space, 'p', { keys: deletes }, () => ({ result: true, deletes }));
      const [head] = await keysFrom(store, space, '', { ...all, rows: 1 });
      assert.equal(head, from + COMMIT < ROWS ? keyOf(from + COMMIT) : undefined);
    }
    // What reappears at the head is seen.
    const puts = [{ key: keyOf(ROWS / 2), value: Buffer.of(1) }];
    await store.commit(space, 'p', NO_READS, () => ({ result: true, puts }));
    assert.deepEqual(await keysFrom(store, space, ''), [keyOf(ROWS / 2)]);
    const walked = await tombstonesOfReads(own);
    assert(walked <= TOMBSTONES_MAX, `A read walked ${walked} tombstones.`);
  } finally {
    await store.close();
    await dropKeyspace(own);
  }
}
