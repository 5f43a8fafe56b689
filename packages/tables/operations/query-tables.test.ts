// Query Tables: order, case, filters and pages (protocol: tables#list), and that accounts do not see each other's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComparisonOperator, Filter } from '../filter/filter.js';
import type { QueryTables } from '../operation.js';
import { openAccount, outcomeOf, type TestAccount } from '../testing/account.js';
import { and, compare, not, or, property, string, truth } from '../testing/filter.js';

const QUERY: QueryTables = { kind: 'queryTables', filter: undefined, top: 1000, from: undefined };
const named = (operator: ComparisonOperator, value: string): Filter =>
  compare('TableName', operator, string(value));

async function openTables(...names: string[]): Promise<TestAccount> {
  const account = openAccount();
  for (const table of names) await account.run({ kind: 'createTable', table });
  return account;
}
const page = ({ run }: TestAccount, options: Partial<QueryTables> = {}) =>
  outcomeOf('tables', run({ ...QUERY, ...options }));
const namesOf = async (account: TestAccount, options: Partial<QueryTables> = {}) =>
  (await page(account, options)).names;

test('tables come in the order of their names without case, spelled as they were made', async () => {
  const account = await openTables('beta', 'Alpha', 'GAMMA', 'alpha2', 'Beta1');
  assert.deepEqual(await namesOf(account), ['Alpha', 'alpha2', 'beta', 'Beta1', 'GAMMA']);
  assert.deepEqual(await namesOf(openAccount()), []);
});

test('names are compared without case, by every operator', async () => {
  const account = await openTables('Alpha', 'beta', 'Gamma');
  const cases: readonly (readonly [Filter, readonly string[]])[] = [
    [named('eq', 'aLPHA'), ['Alpha']],
    [named('ne', 'BETA'), ['Alpha', 'Gamma']],
    [named('lt', 'BETA'), ['Alpha']],
    [named('le', 'BETA'), ['Alpha', 'beta']],
    [named('gt', 'BETA'), ['Gamma']],
    [named('ge', 'BETA'), ['beta', 'Gamma']],
    [not(named('eq', 'GAMMA')), ['Alpha', 'beta']],
    [or(named('eq', 'ALPHA'), named('eq', 'gamma')), ['Alpha', 'Gamma']],
    // The prefix idiom of the clients.
    [and(named('ge', 'Be'), named('lt', 'Be{')), ['beta']],
    [named('eq', 'delta'), []],
    [truth(true), ['Alpha', 'beta', 'Gamma']],
    [property('TableName'), []],
  ];
  for (const [filter, names] of cases) assert.deepEqual(await namesOf(account, { filter }), names);
});

test('pages of every size give all tables once', async () => {
  const account = await openTables('a00', 'A01', 'b00', 'B01', 'c00', 'C01', 'd00');
  const all = await namesOf(account);
  for (let top = 1; top <= 8; top++) {
    const seen: string[] = [];
    let from: string | undefined;
    do {
      const { names, next } = await page(account, { top, from });
      assert.ok(names.length <= top);
      seen.push(...names);
      from = next;
    } while (from !== undefined);
    assert.deepEqual(seen, all);
  }
});

test('a token names the next table, in lower case, and stays good when that table goes', async () => {
  const account = await openTables('aaa', 'Bbb', 'ccc');
  const { names, next } = await page(account, { top: 1 });
  assert.deepEqual([names, next], [['aaa'], 'bbb']);
  await account.run({ kind: 'deleteTable', table: 'BBB' });
  assert.deepEqual(await namesOf(account, { from: next }), ['ccc']);
  assert.deepEqual(await namesOf(account, { from: 'CC' }), ['ccc']);
  assert.deepEqual(await namesOf(account, { from: 'zzz' }), []);
});

test('more tables than are read at once', async () => {
  const names = Array.from({ length: 2_005 }, (_, i) => `t${String(i).padStart(5, '0')}`);
  const account = await openTables(...names);
  const first = await page(account);
  assert.deepEqual([first.names.length, first.next], [1000, 't01000']);
  assert.deepEqual(await namesOf(account, { filter: named('eq', 'T02004') }), ['t02004']);
  assert.equal((await page(account, { from: 't01500' })).names.length, 505);
});

test('a filter of many comparisons yields the thread, by its cost', async () => {
  const account = await openTables(...Array.from({ length: 30 }, (_, i) => `Table${i}`));
  const turnsOf = async (comparisons: number): Promise<number> => {
    const filter = or(...Array.from({ length: comparisons }, () => named('eq', 'none')));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      if (isOver) return;
      turns += 1;
      setImmediate(count);
    };
    const listed = namesOf(account, { filter });
    setImmediate(count);
    assert.deepEqual(await listed, []);
    isOver = true;
    return turns;
  };
  assert.equal(await turnsOf(1), 0);
  // 30 tables of 5,000 comparisons of a step each: at least two turns in between.
  assert((await turnsOf(5000)) >= 2);
});
