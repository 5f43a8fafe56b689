// The judge of rows accepts histories that some order of the calls explains, and refuses what was lost, doubled, dirty,
// stale or torn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etagOf } from '../../../histories/tick.js';
import type {
  Answer,
  Call,
  TableHappening as Happening,
  SentWrite,
} from '../../../simulation/judge/history.js';
import { rowFaults } from './rows.js';

const [TABLE, PARTITION] = ['t', 'p'];
const GROUP = ['g1', 'g2'];
const PLAIN = {
  code: undefined,
  index: undefined,
  versions: [],
  entities: [],
  next: undefined,
  tables: [],
  nextTable: undefined,
  texts: [],
};

/** A call with its answer, undefined if unknown. */
type Told = readonly [Call, Answer | undefined];

const writeOf = (kind: SentWrite['kind'], key: string, n: number, ifMatch?: bigint): SentWrite => ({
  kind,
  partition: PARTITION,
  key,
  properties: [['n', { type: 'Edm.Int32', text: String(n) }]],
  match: 'absent',
  ifMatch: ifMatch === undefined ? undefined : etagOf(ifMatch),
});
const writes = (...all: readonly SentWrite[]): Call => ({
  kind: 'writes',
  table: TABLE,
  writes: all,
  isBatch: all.length > 1,
  prefer: undefined,
});
const insert = (key: string, n: number): Call => writes(writeOf('insert', key, n));
const update = (key: string, n: number, ifMatch: bigint): Call => writes(writeOf('update', key, n, ifMatch));
const both = (n: number): Call => writes(...GROUP.map(key => writeOf('insertOrReplace', key, n)));
const done = (...versions: readonly bigint[]): Answer => ({ ...PLAIN, status: 204, versions });
const refused = (status: number, code: string): Answer => ({ ...PLAIN, status, code });

const entity = (key: string, n: number, version: bigint) => ({
  partition: PARTITION,
  key,
  version,
  content: `["n",${n}]`,
});
const get = (key: string): Call => ({
  kind: 'get',
  table: TABLE,
  isBatch: false,
  partition: PARTITION,
  key,
  select: undefined,
});
const found = (key: string, n: number, version: bigint): Told => [
  get(key),
  { ...PLAIN, status: 200, entities: [entity(key, n, version)] },
];
const missing = (key: string): Told => [get(key), refused(404, 'ResourceNotFound')];
const page = (...seen: readonly (readonly [string, number, bigint])[]): Told => [
  {
    kind: 'page',
    table: TABLE,
    filter: {
      kind: 'compare',
      name: 'PartitionKey',
      operator: 'eq',
      constant: { type: 'Edm.String', text: PARTITION },
      mirrored: false,
    },
    top: undefined,
    select: undefined,
    from: undefined,
  },
  { ...PLAIN, status: 200, entities: seen.map(([key, n, version]) => entity(key, n, version)) },
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
    GROUP,
  ).join('\n');

/** All begin before any is answered. */
const faultsAtOnce = (...told: readonly Told[]): string =>
  rowFaults(
    told.map((one, at) => happening(one, at, at, told.length + at)),
    GROUP,
  ).join('\n');

const INSERTED: Told = [insert('a', 1), done(10n)];
const UPDATED: Told = [update('a', 2, 10n), done(20n)];
const REMOVED: Told = [writes({ ...writeOf('delete', 'a', 0), properties: [], ifMatch: '*' }), done()];

test('rows: right histories are accepted, sequential and concurrent', () => {
  assert.equal(faultsOf(INSERTED, found('a', 1, 10n), UPDATED, found('a', 2, 20n), page(['a', 2, 20n])), '');
  assert.equal(faultsOf(missing('a'), INSERTED, REMOVED, missing('a'), page()), '');
  assert.equal(faultsOf([both(1), done(10n, 10n)], page(['g1', 1, 10n], ['g2', 1, 10n])), '');
  assert.equal(faultsAtOnce(INSERTED, missing('a'), found('a', 1, 10n)), '');
  assert.equal(faultsAtOnce(INSERTED, [insert('a', 2), refused(409, 'EntityAlreadyExists')]), '');
  const late = refused(412, 'UpdateConditionNotSatisfied');
  assert.equal(faultsOf(INSERTED, UPDATED, [update('a', 3, 10n), late], found('a', 2, 20n)), '');
});

test('rows: a write with an unknown outcome may have happened, may happen late, or never', () => {
  const unclear: Told = [update('a', 2, 10n), undefined];
  assert.equal(faultsOf(INSERTED, unclear, found('a', 1, 10n)), '');
  assert.equal(faultsOf(INSERTED, unclear, found('a', 2, 20n)), '');
  assert.equal(faultsOf(INSERTED, unclear, found('a', 1, 10n), found('a', 2, 20n)), '');
  assert.match(faultsOf(INSERTED, unclear, found('a', 2, 20n), found('a', 1, 10n)), /No order of the calls/);
});

test('rows: a lost acknowledged write is found', () => {
  assert.match(faultsOf(INSERTED, missing('a')), /No order of the calls on p\/a/);
  assert.match(faultsOf(INSERTED, page()), /No order/);
  assert.match(faultsOf(INSERTED, UPDATED, found('a', 1, 10n)), /possible before: .*2/);
  assert.match(faultsOf(INSERTED, REMOVED, found('a', 1, 10n)), /No order/);
  const lostUpdate: Told = [update('a', 3, 10n), done(30n)];
  assert.match(faultsOf(INSERTED, UPDATED, lostUpdate), /No order/);
});

test('rows: a write that happens twice is found', () => {
  const again: Told = [insert('a', 1), refused(409, 'EntityAlreadyExists')];
  assert.match(faultsOf(again), /No order/);
  assert.match(faultsOf(INSERTED, REMOVED, found('a', 1, 30n)), /No order/);
  assert.match(faultsOf(INSERTED, found('a', 1, 10n), found('a', 1, 20n)), /No order/);
  const twice: Told = [update('a', 2, 10n), undefined];
  assert.match(faultsOf(INSERTED, twice, UPDATED, found('a', 2, 20n), found('a', 2, 30n)), /No order/);
});

test('rows: what was refused, or never written, is not seen', () => {
  const dirty: Told = [update('a', 2, 5n), refused(412, 'UpdateConditionNotSatisfied')];
  assert.equal(faultsOf(INSERTED, dirty, found('a', 1, 10n)), '');
  assert.match(faultsOf(INSERTED, dirty, found('a', 2, 20n)), /No order/);
  assert.match(faultsOf(INSERTED, found('a', 7, 10n)), /No order/);
  assert.match(faultsAtOnce(INSERTED, found('a', 7, 10n)), /No order/);
});

test('rows: a transaction that is seen in part is found', () => {
  const written: Told = [both(1), done(10n, 10n)];
  const torn = /rows of one transaction were not seen together/;
  assert.match(faultsOf(written, page(['g1', 1, 10n])), torn);
  const [first, second] = GROUP.map((key, at) => [key, 1 + at, 10n * BigInt(1 + at)] as const);
  assert(first && second);
  assert.match(faultsOf(written, [both(2), undefined], page(first, second)), torn);
});

test('rows: ticks of a partition rise with time, and no two commits share one', () => {
  const other: Told = [insert('b', 1), done(10n)];
  assert.match(faultsOf(INSERTED, other), /two commits of p have the tick 10/);
  assert.match(faultsOf(INSERTED, [insert('b', 1), done(9n)]), /has an earlier tick in p/);
  assert.equal(faultsAtOnce(INSERTED, [insert('b', 1), done(9n)]), '');
});

test('rows: many writes with unknown outcomes may all have happened, or none', () => {
  const many = (count: number): readonly Told[] =>
    Array.from({ length: count }, (_, at) => [writes(writeOf('insertOrReplace', 'a', 100 + at)), undefined]);
  assert.equal(faultsOf(INSERTED, ...many(30), found('a', 1, 10n)), '');
  assert.equal(faultsOf(INSERTED, ...many(30), found('a', 107, 20n)), '');
  assert.match(faultsOf(INSERTED, ...many(5), found('a', 7, 10n)), /No order/);
});
