// Deleted rows on a cluster: two stores that share it answer like a map while dead rows become gaps and rows come back
// into them. No read walks many tombstones where many rows were deleted, by the node's own count.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Budget, Row, Space } from '#store';
import type { CassandraStore } from '../cassandra-store.js';
import { parsePlace } from '../place.js';
import { onCluster } from '../session/session.js';
import { dropKeyspace, newPlace, openStore, skip } from '../testing/cluster.js';

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

describe('cassandra: dead rows', { skip }, () => {
  const place = newPlace();
  let stores: readonly [CassandraStore, CassandraStore];
  before(async () => {
    const options = { leastDead: LEAST_DEAD };
    stores = [await openStore(place, options), await openStore(place, options)];
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

const someStep = fc.record({
  at: fc.constantFrom(0, 1),
  number: fc.nat(KEYS - 1),
  kind: fc.nat(9),
  count: fc.nat(KEYS - 1),
});

/** Random puts, deletes, scans and reads by either store, each compared with a map. */
async function compareWithMap(
  stores: readonly [CassandraStore, CassandraStore],
  seed: number,
): Promise<void> {
  const steps = fc.sample(someStep, { seed, numRuns: STEPS, unbiased: true });
  const space = await create(stores[0], `model${seed}`);
  const model = new Map<string, string>();
  const sorted = (from: string): string[] => [...model.keys()].filter(key => key >= from).sort();
  for (const [step, { at, number, kind, count }] of steps.entries()) {
    const store = stores[at];
    const key = keyOf(number);
    const what = `seed ${seed}, step ${step}`;
    if (kind < 3) {
      const puts = [{ key, value: Buffer.from(String(step)) }];
      await store.commit(space, 'p', NO_READS, () => ({ result: true, puts }));
      model.set(key, String(step));
    } else if (kind < 6) {
      const deletes = sorted(key).slice(0, 1 + (count % 10));
      await store.commit(space, 'p', { keys: deletes }, () => ({ result: true, deletes }));
      for (const gone of deletes) model.delete(gone);
    } else if (kind < 8) {
      assert.deepEqual(await keysFrom(store, space, key), sorted(key), what);
    } else if (kind < 9) {
      const range = { from: key, rows: 1 + count };
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
  const own = newPlace();
  const store = await openStore(own);
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
