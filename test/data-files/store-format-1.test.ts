// A store of format 1 as it was written when the format was new: every later version opens it and answers as it did.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Clock } from '#base';
import type { Store } from '#store';
import { checkFile, openLmdbStore } from '#store-lmdb';
import {
  decodeEntity,
  execute,
  inspectRow,
  inspectSpace,
  type Operation,
  type Outcome,
  TableError,
} from '#tables';
import { ROOT } from '../support/spawned-server.js';
import {
  ACCOUNT,
  DROPPED_ROWS,
  type FixtureEntity,
  HELD_NAME,
  IDENTIFIERS,
  OTHER_ACCOUNT,
  SERVICE_PROPERTIES,
  START,
  TABLES,
} from './store-format-1.js';

const FIXTURE = join(ROOT, 'test', 'fixtures', 'store-format-1', 'data.mdb.gz');
const clock: Clock = () => START;

async function copyFixture(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'store-format-1-'));
  t.after(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'data.mdb'), gunzipSync(await readFile(FIXTURE)));
  return directory;
}

const check = (directory: string) =>
  checkFile(join(directory, 'data.mdb'), { space: inspectSpace, row: inspectRow });

const runOn =
  (store: Store, deletion?: { readonly ticks: bigint; readonly clock: Clock }) =>
  (operation: Operation, account = ACCOUNT): Promise<Outcome> =>
    execute(operation, { store, account, within: undefined, deletion }, clock);

async function entitiesOf(
  run: (operation: Operation) => Promise<Outcome>,
  table: string,
): Promise<FixtureEntity[]> {
  const outcome = await run({ kind: 'queryEntities', table, filter: undefined, top: 1000, from: undefined });
  assert(outcome.kind === 'entities' && outcome.next === undefined);
  return outcome.rows.map(({ partition, key, version, value }) => ({
    partitionKey: partition,
    rowKey: key,
    version,
    properties: decodeEntity(value),
  }));
}

test('a store of format 1 is whole', async t => {
  const report = await check(await copyFixture(t));
  assert.deepEqual(report.findings, []);
  const counts = report.spaces.map(({ account, service, name, rows }) => [account, service, name, rows]);
  assert.deepEqual(counts, [
    [ACCOUNT, 'dropped table', HELD_NAME, 0],
    [ACCOUNT, 'properties', 'table', 0],
    ...[...TABLES].map(([name, { length }]) => [ACCOUNT, 'table', name.toLowerCase(), length]),
    [OTHER_ACCOUNT, 'table', 'types', 0],
  ]);
  assert.equal(report.droppedSpaces, 1);
  assert.equal(report.droppedRows, DROPPED_ROWS);
});

test('a store of format 1 answers as it always did', async t => {
  const store = await openLmdbStore({ directory: await copyFixture(t), clock });
  t.after(() => store.close());
  const run = runOn(store, { ticks: 1n, clock });
  const names = await run({ kind: 'queryTables', filter: undefined, top: 1000, from: undefined });
  assert.deepEqual(names, { kind: 'tables', names: [...TABLES.keys()], next: undefined });
  for (const [table, entities] of TABLES) {
    assert.deepEqual(await entitiesOf(run, table), entities);
    for (const { partitionKey, rowKey, version } of entities) {
      const found = await run({ kind: 'getEntity', table, key: { partitionKey, rowKey } });
      assert(found.kind === 'entity' && found.row.version === version);
    }
  }
  const acl = await run({ kind: 'getTableAcl', table: 'Types' });
  assert.deepEqual(acl, { kind: 'acl', identifiers: IDENTIFIERS });
  const properties = await run({ kind: 'getServiceProperties' });
  assert.deepEqual(properties, { kind: 'serviceProperties', properties: SERVICE_PROPERTIES });
  const isRefused = (error: unknown) => error instanceof TableError && error.code === 'TableBeingDeleted';
  await assert.rejects(run({ kind: 'createTable', table: HELD_NAME }), isRefused);
});

test('a store of format 1 is written to, and its dropped rows are reclaimed', async t => {
  const directory = await copyFixture(t);
  const store = await openLmdbStore({ directory, clock });
  const run = runOn(store);
  for (const [table, entities] of TABLES) {
    for (const { partitionKey, rowKey } of entities) {
      const key = { partitionKey, rowKey };
      await run({ kind: 'updateEntity', table, key, properties: [], condition: { kind: 'any' } });
    }
    const later = await entitiesOf(run, table);
    assert(later.every(({ version }, index) => version > (entities[index]?.version ?? 0n)));
  }
  await run({ kind: 'createTable', table: 'Dropped' });
  assert.deepEqual(await entitiesOf(run, 'dropped'), []);
  await store.close();
  const report = await check(directory);
  assert.deepEqual([report.findings, report.droppedSpaces], [[], 0]);
});
