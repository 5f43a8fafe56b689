// Checks the engine's structures: nothing is found in a heavily used store, and each record that leads nowhere is
// found.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Inspection, Row, Space, StoreReport } from '#store';
import { type Environment, openEnvironment, openRoot } from '../environment.js';
import { Counters } from '../layout/catalog.js';
import { type RowKey, writeRowKey } from '../layout/rows.js';
import { Tree } from '../lmdb/tree.js';
import { openLmdbStore } from '../lmdb-store.js';
import { NO_INSPECTION, newDirectory, openSpace } from '../testing/fixture.js';
import { type Random, withRandom } from '../testing/log-batch.js';
import { checkFile } from './check.js';

const NOW = 17_000_000_000_000_000n;
const CHUNK = 16;
const ADDRESS = { account: 'dev', service: 'table', name: 'fruit' };

const check = (directory: string, inspection = NO_INSPECTION): Promise<StoreReport> =>
  checkFile(join(directory, 'data.mdb'), inspection);

async function churn(directory: string, random: Random): Promise<number> {
  const store = await openLmdbStore({ directory, durability: 'none' }, { chunk: CHUNK });
  const open = async () => {
    const space = await openSpace(store, ADDRESS);
    return space;
  };
  const rows = new Set<string>();
  let space = await open();
  for (let round = 0; round < 60; round += 1) {
    const names = Array.from({ length: 30 }, () => `k${random(200)}${'é'.repeat(random(40))}`);
    const puts = new Set(names.slice(0, 20));
    const deletes = new Set([...rows, ...names].filter(name => !puts.has(name) && random(4) === 0));
    const changes = {
      puts: [...puts].map(key => ({
        key,
        value: Buffer.alloc(random(10) === 0 ? random(30_000) : random(200)),
      })),
      deletes: [...deletes],
    };
    await store.commit(space, 'p', { keys: [] }, () => ({ result: true, ...changes }));
    for (const name of puts) rows.add(name);
    for (const name of deletes) rows.delete(name);
    if (round === 30) {
      await store.dropSpace(space);
      space = await open();
      rows.clear();
    }
  }
  await store.close();
  return rows.size;
}

test('a heavily used store is whole, and its rows are counted', t =>
  withRandom(1, async random => {
    const directory = newDirectory(t);
    const rows = await churn(directory, random);
    const report = await check(directory);
    assert.deepEqual(report.findings, []);
    assert.doesNotMatch(report.usage, /lost/);
    assert.equal(report.spaces[0]?.rows, rows);
  }));

test('a new store is whole', async t => {
  const directory = newDirectory(t);
  await (await openLmdbStore({ directory })).close();
  const { findings, spaces } = await check(directory);
  assert.deepEqual([findings, spaces], [[], []]);
});

test('what a domain finds is reported with its place', async t => {
  const directory = newDirectory(t);
  await damage(t, () => undefined, directory);
  const inspection: Inspection = {
    space: space => `a bad ${space.name}.`,
    row: (_, row) => (row.key === 'k' ? 'a bad row.' : undefined),
  };
  const { findings } = await check(directory, inspection);
  assert.deepEqual(findings, ['dev/fruit: a bad fruit.', 'dev/fruit: the row ("p", "k"): a bad row.']);
});

const rowOf = (key: string, version = NOW): Row => ({ partition: 'p', key, version, value: Buffer.of(1) });
const LONG = 'x'.repeat(40);

/** A store with the space 1 and three rows in it, two with long keys; `change` then damages it. */
async function damage(
  t: TestContext,
  change: (environment: Environment, counters: Counters) => void,
  directory?: string,
): Promise<readonly string[]> {
  const place = directory ?? newDirectory(t);
  const environment = openEnvironment({ directory: place, durability: 'none', chunk: CHUNK });
  const { catalog, rows } = environment;
  const counters = new Counters(() => NOW);
  await environment.transaction(() => {
    counters.load(catalog);
    const id = counters.nextSpaceId();
    catalog.putSpace({ ...ADDRESS, id, created: NOW, metadata: Buffer.alloc(0) });
    counters.useTick(NOW);
    for (const key of ['k', `${LONG}a`, `${LONG}b`]) rows.put(id, rowOf(key), counters);
    change(environment, counters);
    counters.save(catalog);
  });
  await environment.close();
  return (await check(place)).findings;
}

const spaceOf = (id: number, created: bigint): Space => ({
  ...ADDRESS,
  name: `n${id}`,
  id,
  created,
  metadata: Buffer.alloc(0),
});

test('rows and records that lead nowhere are findings', async t => {
  assert.deepEqual(await damage(t, () => undefined), []);
  const cases: readonly [RegExp, Parameters<typeof damage>[1]][] = [
    [/belongs to no space/, ({ rows }, counters) => rows.put(7, rowOf('k'), counters)],
    [
      /version that was not given out/,
      ({ rows }, counters) => rows.put(1, rowOf('late', NOW + 1n), counters),
    ],
    [/version that was not given out/, ({ rows }, counters) => rows.put(1, rowOf('old', NOW - 1n), counters)],
    [/id 5, which was not given out/, ({ catalog }) => catalog.putSpace(spaceOf(5, NOW))],
    [
      /created after the last tick/,
      ({ catalog }, counters) => catalog.putSpace(spaceOf(counters.nextSpaceId(), NOW + 1n)),
    ],
    [/id 1, which is no id or another's/, ({ catalog }) => catalog.putSpace(spaceOf(1, NOW))],
    [
      /'fruit' has the id 1, which is no id or another's/,
      ({ catalog }) => catalog.dropSpace({ ...spaceOf(1, NOW), name: 'none' }, NOW),
    ],
  ];
  for (const [pattern, change] of cases) assert.match((await damage(t, change)).join('\n'), pattern);
});

test("the log's record is checked", async t => {
  const mark = { epoch: 1n, state: 'read', tick: NOW } as const;
  const logged = { version: 2, chunk: CHUNK };
  const cases: readonly [RegExp, Parameters<typeof damage>[1]][] = [
    [/^$/, ({ catalog }) => catalog.putLogFence(mark)],
    [/has a tick that was not given out/, ({ catalog }) => catalog.putLogFence({ ...mark, tick: NOW + 1n })],
    [/contradict each other/, ({ catalog }) => catalog.putLogFence({ ...mark, state: 'used' })],
    [/contradict each other/, ({ catalog }) => catalog.putFormat(logged)],
    [/none that a program writes/, ({ catalog }) => catalog.putLogFence({ ...mark, epoch: 0n })],
  ];
  for (const [pattern, change] of cases) assert.match((await damage(t, change)).join('\n'), pattern);
  for (const state of ['used', 'taken'] as const) {
    const isInUse: Parameters<typeof damage>[1] = ({ catalog }) => {
      catalog.putLogFence({ ...mark, state });
      catalog.putFormat(logged);
    };
    assert.deepEqual(await damage(t, isInUse), []);
  }
});

test('records of the catalogue have their length and their kind', async t => {
  const length = 17;
  const sound = Buffer.from('0000000000000001030000000000000000', 'hex');
  for (const [value, isWhole] of [
    [sound, true],
    [sound.subarray(0, length - 1), false],
    [Buffer.concat([sound, Buffer.of(0)]), false],
    [Buffer.from('0000000000000001000000000000000000', 'hex'), false],
    [Buffer.from('0000000000000001040000000000000000', 'hex'), false],
  ] as const) {
    const directory = newDirectory(t);
    await damage(t, () => undefined, directory);
    const path = join(directory, 'data.mdb');
    const root = openRoot(path, 'none');
    const catalog = new Tree<RowKey>(root, path, 'catalog', writeRowKey);
    await root.transaction(() => catalog.put(Buffer.from('l'), value));
    await root.close();
    const { findings } = await check(directory);
    assert.equal(findings.length, isWhole ? 0 : 1, findings.join('\n'));
    if (!isWhole) await assert.rejects(openLmdbStore({ directory }), { code: 'corrupt' });
  }
});

interface Trees {
  readonly rows: Tree<RowKey>;
  readonly long: Tree<RowKey>;
}

/** A store with nested subtrees of long keys; `change` then damages its trees. */
async function damageTrees(t: TestContext, change: (trees: Trees) => void): Promise<readonly string[]> {
  const directory = newDirectory(t);
  await damage(t, () => undefined, directory);
  const path = join(directory, 'data.mdb');
  const root = openRoot(path, 'none');
  const trees = {
    rows: new Tree(root, path, 'rows', writeRowKey),
    long: new Tree(root, path, 'long', writeRowKey),
  };
  await root.transaction(() => change(trees));
  await root.close();
  return (await check(directory)).findings;
}

const keysOf = (tree: Tree<RowKey>): Buffer[] => tree.keys({ start: Buffer.of(0), end: Buffer.of(0xff) }, 10);
const isPointer = (key: Buffer): boolean => key.at(-1) === 0xff;

function removeRows(tree: Tree<RowKey>): void {
  for (const key of keysOf(tree)) {
    if (!isPointer(key)) tree.remove(key);
  }
}

test('long keys that lead nowhere, and subtrees that nothing leads to, are findings', async t => {
  const pointerOf = (tree: Tree<RowKey>): Buffer => keysOf(tree).find(isPointer) ?? assert.fail();
  const cases: readonly [RegExp, (trees: Trees) => void][] = [
    [/no pointer leads to the subtree 1/, ({ rows }) => rows.remove(pointerOf(rows))],
    [/no pointer leads to the subtree 2/, ({ long }) => long.remove(pointerOf(long))],
    [/leads to the empty subtree 2/, ({ long }) => removeRows(long)],
    [/pointer of a long key is damaged/, ({ rows }) => rows.put(pointerOf(rows), Buffer.alloc(8, 9))],
    [
      /pointer of a long key is damaged/,
      ({ long }) => long.put(pointerOf(long), Buffer.from('0000000000000001', 'hex')),
    ],
    [/is too short/, ({ rows }) => rows.put(Buffer.of(0, 0, 0, 1), Buffer.alloc(9))],
    [/without a partition/, ({ rows }) => rows.put(Buffer.of(0, 0, 0, 1, 65), Buffer.alloc(9))],
    [/not in the form/, ({ rows }) => rows.put(Buffer.of(0, 0, 0, 1, 0xc1, 0x81, 0), Buffer.alloc(9))],
    [/has no version/, ({ rows }) => rows.put(Buffer.of(0, 0, 0, 1, 65, 0), Buffer.alloc(7))],
  ];
  for (const [pattern, change] of cases) assert.match((await damageTrees(t, change)).join('\n'), pattern);
});
