// Each rule finds the planted fault, and finds none in a sound table.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareKeys, type Row } from '../line/row.js';
import { entitySize } from '../stats/table-stats.js';
import { rowOf, type Told } from '../testing/nasty-rows.js';
import type { Finding, Rule, RuleName } from './finding.js';
import { HotPartition } from './hot-partition.js';
import { KeyHygiene } from './key-hygiene.js';
import { AdviceOnTable, type TableAdvice } from './table-advice.js';

const NO_PRICES = { gib: undefined, tenThousandRequests: undefined };

function advise(
  rows: readonly Row[],
  prices: { gib: number | undefined; tenThousandRequests: number | undefined } = NO_PRICES,
): TableAdvice {
  const advice = new AdviceOnTable();
  for (const row of [...rows].sort(compareKeys)) advice.add(row);
  return advice.result('t', { prices });
}

const pad = (i: number, width = 6): string => String(i).padStart(width, '0');
/** Spread over seconds in no order of keys. */
const timeOf = (i: number): string =>
  `2020-01-01T${pad((i * 7919) % 24, 2)}:${pad((i * 104_729) % 60, 2)}:00Z`;
const rows = (count: number, make: (i: number) => Row): readonly Row[] =>
  Array.from({ length: count }, (_, i) => make(i));
const at = (row: Row, timestamp: string): Row => ({ ...row, timestamp });
const sound = (i: number, told: readonly Told[] = [['name', 'String', `name ${i}`]]): Row =>
  at(rowOf(`c${pad((i * 7) % 100, 3)}`, pad(i), told), timeOf(i));

type Planted = readonly [what: string, rule: RuleName, says: RegExp, rows: readonly Row[]];
const planted = (...all: Planted): Planted => all;

const PLANTED = [
  planted('numbers without zeros', 'key-hygiene', /PartitionKeys .* numbers of several widths/, [
    ...rows(200, i => at(rowOf(`order-${i}`, 'x', []), timeOf(i))),
  ]),
  planted('forbidden characters', 'key-hygiene', /Azure refuses .* "a\/b"/, [
    ...rows(200, i => sound(i)),
    rowOf('c000', 'a/b', []),
  ]),
  planted('case twins', 'key-hygiene', /differ from another key in case alone/, [
    ...rows(200, i => sound(i)),
    rowOf('c000', 'Ann', []),
    rowOf('c000', 'ann', []),
  ]),
  planted('several types', 'type-drift', /"n" has several types: Int32 150, String 50/, [
    ...rows(200, i => sound(i, [['n', i % 4 === 0 ? 'String' : 'Int32', '1']])),
  ]),
  planted('times as strings', 'type-drift', /"at" has times as strings/, [
    ...rows(200, i => sound(i, [['at', 'String', timeOf(i)]])),
  ]),
];

/** Feeds rows to one rule only: with all rules these take seconds. */
function findingsOf(rule: Rule, ordered: readonly Row[]): readonly Finding[] {
  for (const row of ordered) rule.add(row, 0);
  rule.end?.('p');
  return rule.findings();
}
/** `count` keys, then a twin of the last. */
const twins = (count: number): readonly Row[] => [
  ...rows(count, i => rowOf('p', `A${pad(i)}`, [])),
  rowOf('p', `a${pad(count - 1)}`, []),
];
/** `count` seconds with one write, then one with many. */
const seconds = (count: number): readonly Row[] => [
  ...rows(count, i => at(rowOf('p', pad(i), []), new Date(i * 1000).toISOString())),
  ...rows(1_001, i => at(rowOf('p', `z${pad(i)}`, []), '2020-01-01T00:00:00Z')),
];
const WIDE = Array.from({ length: 17 }, (_, i): Told => [`p${i}`, 'String', 'x'.repeat(21_000)]);
/** An entity of `count` bytes without a long value. */
function ofBytes(count: number): Row {
  const rest = count - entitySize(rowOf('c000', 'big', [...WIDE, ['rest', 'Binary', '']]));
  return rowOf('c000', 'big', [...WIDE, ['rest', 'Binary', Buffer.alloc(rest).toString('base64')]]);
}
const ELSEWHERE = rows(4_500, i => sound(i));

type Bound = readonly [
  counted: string,
  rule: RuleName,
  says: RegExp,
  least: number,
  planted: (count: number) => readonly Row[],
];
const bound = (...all: Bound): Bound => all;

/** What is counted, and the least that is a finding. */
const BOUNDS = [
  bound('rows before a share counts', 'hot-partition', /has 100 % of the rows/, 100, count =>
    rows(count, i => at(rowOf('all', pad(i), []), timeOf(i))),
  ),
  bound('rows of 1,000 in one partition', 'hot-partition', /"hot" has 20.1 % of the rows/, 201, count => [
    ...rows(1_000 - count, i => at(rowOf(`d${pad((i * 7) % 100, 3)}`, pad(i), []), timeOf(i))),
    ...rows(count, i => at(rowOf('hot', pad(i), []), timeOf(i))),
  ]),
  bound('writes in one second', 'hot-partition', /took 1001 writes in one second/, 1_001, count => [
    ...ELSEWHERE,
    ...rows(count, i => at(rowOf('c001', `w${pad(i)}`, []), '2020-01-01T00:00:00.5Z')),
  ]),
  bound('partitions that follow the time', 'append-only', /all writes go to the last/, 20, count =>
    rows(count, i => at(rowOf(`2020${pad(i)}`, 'x', []), `2020-01-01T00:00:${pad(i, 2)}Z`)),
  ),
  bound(
    'characters of a key',
    'key-hygiene',
    /1 of 201 RowKeys .* have more than 256 characters/,
    257,
    count => [...rows(200, i => sound(i)), rowOf('c000', 'k'.repeat(count), [])],
  ),
  bound('numbered keys among 100', 'key-hygiene', /RowKeys .* numbers of several widths/, 50, count => [
    ...rows(count, i => at(rowOf(`p${pad(i % 10)}`, String(i), []), timeOf(i))),
    ...rows(100 - count, i => at(rowOf(`p${pad(i % 10)}`, `name${'x'.repeat(i)}`, []), timeOf(i))),
  ]),
  bound('numbers as strings', 'type-drift', /"n" has numbers as strings/, 20, count =>
    rows(count, i => sound(i, [['n', 'String', String(i)]])),
  ),
  bound('numbers among 100 strings', 'type-drift', /"n" has numbers as strings \(95 % of 100\)/, 95, count =>
    rows(100, i => sound(i, [['n', 'String', i < count ? String(i) : `name ${i}`]])),
  ),
  bound(
    'bytes of an entity',
    'oversize',
    /An entity has 734004 bytes, .* of what the service keeps/,
    734_004,
    count => [...rows(200, i => sound(i)), ofBytes(count)],
  ),
  bound('properties of an entity', 'oversize', /An entity has 177 properties/, 177, count => [
    ...rows(200, i => sound(i)),
    rowOf(
      'c000',
      'wide',
      [...Array(count)].map((_, i): Told => [`p${i}`, 'Int32', '1']),
    ),
  ]),
  bound('characters of a value', 'oversize', /Property "text" has 45876 bytes/, 22_938, count => [
    ...rows(200, i => sound(i)),
    rowOf('c000', 'big', [['text', 'String', 'x'.repeat(count)]]),
  ]),
];

describe('advice', () => {
  /** Finds this and nothing else. */
  const finds = (all: readonly Row[], rule: RuleName, says: RegExp): void => {
    const { findings } = advise(all);
    const told = JSON.stringify(findings, null, 1);
    assert.deepEqual([...new Set(findings.map(each => each.rule))], [rule], told);
    assert(
      findings.some(each => says.test(each.says)),
      told,
    );
  };

  for (const [what, rule, says, least, make] of BOUNDS)
    test(`counts ${what}: ${least - 1} are few, ${least} are not`, () => {
      assert.deepEqual(advise(make(least - 1)).findings, []);
      finds(make(least), rule, says);
      finds(make(least + 1), rule, /./);
    });

  test('keeps 10,000 partitions for their order, and every second one beyond', () => {
    for (const count of [9_999, 10_000, 10_001, 30_000]) {
      const growing = rows(count, i =>
        at(
          rowOf(pad(i), 'x', []),
          `2020-01-01T${pad(Math.floor(i / 3600), 2)}:${pad(Math.floor(i / 60) % 60, 2)}:${pad(i % 60, 2)}Z`,
        ),
      );
      const [found] = advise(growing).findings;
      assert.deepEqual(found?.evidence, { correlation: 1, partitions: count, end: 'last' });
    }
  });

  test('seeks case twins among 50,000 keys of a partition', () => {
    const found = (count: number): boolean =>
      findingsOf(new KeyHygiene(), twins(count)).some(({ evidence }) => evidence.fault === 'case twins');
    assert.deepEqual([49_999, 50_000, 50_001].map(found), [true, true, false]);
  });

  test('counts the writes of 100,000 seconds of a partition', () => {
    const found = (count: number): boolean =>
      findingsOf(new HotPartition(), seconds(count - 1)).some(({ evidence }) => 'target' in evidence);
    assert.deepEqual([99_999, 100_000, 100_001].map(found), [true, true, false]);
  });

  for (const [what, rule, says, all] of PLANTED)
    test(`finds ${what}, and nothing else`, () => finds(all, rule, says));

  test('finds nothing in a sound table, nor in one of hashes', () => {
    assert.deepEqual(advise(rows(2000, i => sound(i))).findings, []);
    const hex = (i: number): string => ((i * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
    assert.deepEqual(advise(rows(2000, i => at(rowOf(hex(i), hex(i + 1), []), timeOf(i)))).findings, []);
    assert.deepEqual(advise([]).findings, []);
  });

  test('has sizes, and the cost by prices', () => {
    const advice = advise(
      rows(20_000, i => sound(i)),
      { gib: 0.045, tenThousandRequests: 0.00036 },
    );
    assert.equal(advice.rows, 20_000);
    assert.equal(advice.partitions, 100);
    assert(advice.sizes.p50 <= advice.sizes.p99 && advice.sizes.p99 <= advice.sizes.max);
    const { cost } = advice;
    assert.deepEqual(cost, {
      storageAMonth: (advice.bytes / 2 ** 30) * 0.045,
      scan: (20 / 10_000) * 0.00036,
      pointReads: 2 * 0.00036,
      singleWrites: 2 * 0.00036,
      batchedWrites: (200 / 10_000) * 0.00036,
    });
    assert.equal(advise(rows(10, i => sound(i))).cost, undefined);
  });
});
