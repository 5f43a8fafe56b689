// The judge of rows accepts histories that some order of the calls explains, however many answers were lost, and refuses
// ticks that fall. The simulation's planted faults show what else its judge finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etagOf } from '../../../histories/tick.js';
import { NOTHING } from '../../../simulation/judge/answer.js';
import type { Answer, Call, TableHappening as Happening, Write } from '../../../simulation/judge/history.js';
import { getOf, TABLE, writeOf as write, writes } from '../work/turns.js';
import { rowFaults } from './rows.js';

const PARTITION = 'p';

/** A call with its answer, undefined if unknown. */
type Told = readonly [Call, Answer | undefined];

const writeOf = (kind: Write['kind'], key: string, n: number): Write => write(kind, PARTITION, key, n);
const insert = (key: string, n: number): Call => writes([writeOf('insert', key, n)]);
const update = (key: string, n: number, ifMatch: bigint): Call =>
  writes([{ ...writeOf('update', key, n), ifMatch: etagOf(ifMatch) }]);
const done = (...versions: readonly bigint[]): Answer => ({ ...NOTHING, status: 204, versions });

const entity = (key: string, n: number, version: bigint) => ({
  partition: PARTITION,
  key,
  version,
  content: `["n",${n}]`,
});
const found = (key: string, n: number, version: bigint): Told => [
  getOf(PARTITION, key),
  { ...NOTHING, status: 200, entities: [entity(key, n, version)] },
];

const happening = ([call, answer]: Told, step: number, invoked: number, answered: number): Happening => ({
  step,
  client: step,
  level: 'minimalmetadata',
  invoked,
  answered: answer === undefined ? Number.POSITIVE_INFINITY : answered,
  call,
  answer,
});

/** One call after the other; those without an answer may happen at any time. */
const faultsOf = (...told: readonly Told[]): string =>
  rowFaults(
    told.map((one, at) => happening(one, at, 2 * at, 2 * at + 1)),
    TABLE,
  ).join('\n');

/** All begin before any is answered. */
const faultsAtOnce = (...told: readonly Told[]): string =>
  rowFaults(
    told.map((one, at) => happening(one, at, at, told.length + at)),
    TABLE,
  ).join('\n');

const INSERTED: Told = [insert('a', 1), done(10n)];

test('rows: a write with an unknown outcome may have happened, may happen late, or never', () => {
  const unclear: Told = [update('a', 2, 10n), undefined];
  assert.equal(faultsOf(INSERTED, unclear, found('a', 1, 10n)), '');
  assert.equal(faultsOf(INSERTED, unclear, found('a', 2, 20n)), '');
  assert.equal(faultsOf(INSERTED, unclear, found('a', 1, 10n), found('a', 2, 20n)), '');
  assert.match(faultsOf(INSERTED, unclear, found('a', 2, 20n), found('a', 1, 10n)), /No order of the calls/);
});

test('rows: ticks of a partition rise with time, and no two commits share one', () => {
  const other: Told = [insert('b', 1), done(10n)];
  assert.match(faultsOf(INSERTED, other), /two commits of p have the tick 10/);
  assert.match(faultsOf(INSERTED, [insert('b', 1), done(9n)]), /has an earlier tick in p/);
  assert.equal(faultsAtOnce(INSERTED, [insert('b', 1), done(9n)]), '');
});

test('rows: many writes with unknown outcomes may all have happened, or none', () => {
  const many = (count: number): readonly Told[] =>
    Array.from({ length: count }, (_, at) => [
      writes([writeOf('insertOrReplace', 'a', 100 + at)]),
      undefined,
    ]);
  assert.equal(faultsOf(INSERTED, ...many(30), found('a', 1, 10n)), '');
  assert.equal(faultsOf(INSERTED, ...many(30), found('a', 107, 20n)), '');
  assert.match(faultsOf(INSERTED, ...many(5), found('a', 7, 10n)), /No order/);
});
