// Query Entities: pages that neither skip nor repeat, a page's cost, and the caller's key range
// (protocol: queries, sas#key-ranges).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#base';
import { openMemoryStore, type ScanRange } from '#store';
import type { Property } from '../entity/edm.js';
import type { EntityKey } from '../entity/entity-key.js';
import { execute } from '../execute.js';
import type { ComparisonOperator, Filter } from '../filter/filter.js';
import type { Operation, QueryEntities } from '../operation.js';
import {
  insert,
  keyOf,
  number,
  openTable,
  outcomeOf,
  refusalOf,
  TABLE,
  type TestAccount,
} from '../testing/account.js';
import { and, compare, integer, or, string } from '../testing/filter.js';

const QUERY: QueryEntities = {
  kind: 'queryEntities',
  table: TABLE,
  filter: undefined,
  top: 1000,
  from: undefined,
};
const keyed = (name: 'PartitionKey' | 'RowKey', operator: ComparisonOperator, value: string): Filter =>
  compare(name, operator, string(value));
const isOne = compare('n', 'eq', integer(1));

const page = ({ run }: TestAccount, options: Partial<QueryEntities> = {}, within?: ScanRange) =>
  outcomeOf('entities', run({ ...QUERY, ...options }, within));
const keysOf = ({ rows }: { rows: readonly { partition: string; key: string }[] }) =>
  rows.map(({ partition, key }) => `${partition}/${key}`);

/** Partitions a to d of five rows each; every other row has n = 1. */
async function openRows(): Promise<TestAccount> {
  const account = await openTable();
  for (const partitionKey of ['a', 'b', 'c', 'd'])
    for (let i = 0; i < 5; i++) await insert(account, keyOf(`r${i}`, partitionKey), number('n', i % 2));
  return account;
}

test('a page costs the rows that it examines', async () => {
  const account = await openRows();
  const partition = keyed('PartitionKey', 'eq', 'b');
  const cases: readonly (readonly [string, Filter | undefined, number, number])[] = [
    ['point', and(partition, keyed('RowKey', 'eq', 'r3')), 1, 1],
    ['point that is missing', and(partition, keyed('RowKey', 'eq', 'x')), 0, 0],
    ['range', and(partition, keyed('RowKey', 'ge', 'r1'), keyed('RowKey', 'lt', 'r4')), 3, 3],
    ['range and property', and(partition, keyed('RowKey', 'gt', 'r1'), isOne), 3, 1],
    ['partition', partition, 5, 5],
    ['partition and property', and(partition, isOne), 5, 2],
    ['partitions', keyed('PartitionKey', 'ge', 'c'), 10, 10],
    ['row key only', keyed('RowKey', 'eq', 'r0'), 20, 4],
    ['property', isOne, 20, 8],
    ['table', undefined, 20, 20],
    ['nothing can match', and(partition, keyed('PartitionKey', 'eq', 'c')), 0, 0],
  ];
  for (const [name, filter, examined, count] of cases) {
    const found = await page(account, { filter });
    assert.deepEqual([found.examined, found.rows.length, found.next], [examined, count, undefined], name);
  }
});

test('a page ends at $top, and its token is the next row to look at', async () => {
  const account = await openRows();
  const first = await page(account, { top: 7 });
  assert.deepEqual([first.rows.length, first.examined], [7, 7]);
  assert.deepEqual(first.next, keyOf('r2', 'b'));
  const second = await page(account, { top: 13, from: first.next });
  assert.deepEqual([second.rows.length, second.next], [13, undefined]);
  assert.deepEqual([...keysOf(first), ...keysOf(second)], keysOf(await page(account)));
});

test('a token may name a missing row, and a key outside the range of the filter', async () => {
  const account = await openRows();
  const filter = keyed('PartitionKey', 'eq', 'c');
  const froms: readonly (readonly [EntityKey, number])[] = [
    [keyOf('', ''), 5],
    [keyOf('r3', 'a'), 5],
    [keyOf('r2x', 'c'), 2],
    [keyOf('zzz', 'c'), 0],
    [keyOf('', 'd'), 0],
    [keyOf('', '\uffff'), 0],
  ];
  for (const [from, count] of froms)
    assert.equal((await page(account, { filter, from })).rows.length, count, from.partitionKey);
});

test('a page ends after five seconds, and the next continues', async () => {
  const account = await openRows();
  account.clock.step = 10_000_000n;
  const first = await page(account);
  assert.ok(first.rows.length > 0 && first.rows.length < 20 && first.next);
  account.clock.step = 0n;
  const rest = await page(account, { from: first.next });
  assert.equal(first.rows.length + rest.rows.length, 20);
});

test('a page ends when its rows fill eight MiB', async () => {
  const account = await openTable();
  const large = Array.from(
    { length: 15 },
    (_, i): Property => ({
      name: `b${i}`,
      type: 'Edm.Binary',
      value: Buffer.alloc(65_536),
    }),
  );
  for (let i = 0; i < 10; i++) await insert(account, keyOf(`r${i}`), ...large);
  const first = await page(account);
  // Each is stored in 1.3 MiB of text.
  assert.equal(first.rows.length, 7);
  assert.equal((await page(account, { from: first.next })).rows.length, 3);
});

test('a missing table is refused, also with an empty range; a filter of wrong types comes first', async () => {
  const account = await openTable();
  await refusalOf('TableNotFound', account.run({ ...QUERY, table: 'Missing' }));
  await refusalOf('TableNotFound', account.run({ ...QUERY, table: 'Missing', top: 0 }));
  const filter = compare('RowKey', 'eq', integer(1));
  await refusalOf('InvalidInput:FilterTypes', account.run({ ...QUERY, table: 'Missing', filter }));
});

test('the caller sees exactly the rows of the key range, and only these are examined', async () => {
  const account = await openRows();
  const within = { from: { partition: 'b', key: 'r3' }, until: { partition: 'c', key: 'r2' } };
  const inside = ['b/r3', 'b/r4', 'c/r0', 'c/r1'];
  const all = await page(account, {}, within);
  assert.deepEqual([keysOf(all), all.examined, all.next], [inside, 4, undefined]);
  const first = await page(account, { top: 3 }, within);
  assert.deepEqual([keysOf(first), first.next], [inside.slice(0, 3), keyOf('r1', 'c')]);
  const last = await page(account, { top: 1, from: first.next }, within);
  assert.deepEqual([keysOf(last), last.next], [['c/r1'], undefined]);
  assert.deepEqual(keysOf(await page(account, { from: keyOf('', '') }, within)), inside);
  assert.deepEqual(keysOf(await page(account, { from: keyOf('', 'd') }, within)), []);
  assert.deepEqual(keysOf(await page(account, { filter: isOne }, within)), ['b/r3', 'c/r1']);
  assert.equal((await page(account, { filter: keyed('PartitionKey', 'eq', 'a') }, within)).examined, 0);
  const open = { from: { partition: 'd', key: 'r3' } };
  assert.deepEqual(keysOf(await page(account, {}, open)), ['d/r3', 'd/r4']);
});

test('a scan learns what the filter costs', async () => {
  const store = openMemoryStore();
  const scan = store.scan.bind(store);
  const costs: number[] = [];
  store.scan = (space, range, budget, visit) =>
    scan(space, range, budget, row => {
      const isTaken = visit(row);
      costs.push(budget.effort?.steps ?? 0);
      return isTaken;
    });
  const context = { store, account: 'account1', within: undefined };
  const run = (operation: Operation) => execute(operation, context, systemClock);
  await run({ kind: 'createTable', table: TABLE });
  for (const rowKey of ['a', 'b', 'c'])
    await run({ kind: 'insertEntity', table: TABLE, key: keyOf(rowKey), properties: [number('n', 0)] });
  await run({ ...QUERY, filter: or(...Array.from({ length: 500 }, () => isOne)) });
  const [first = 0, ...others] = costs;
  assert(first >= 500 && first < 5000, String(first));
  assert.deepEqual(others, [2 * first, 3 * first]);
});
