// What a row tells of a write whose answer was lost.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeWrite, type MarkedWrite, type Verdict } from './judge-write.js';
import { OperationMarks } from './operation-mark.js';

let drawn = 0;
const marks = new OperationMarks({}, { now: () => 0, random: count => new Uint8Array(count).fill(++drawn) });
const row = { partitionKey: 'p', rowKey: 'r', properties: [], bytes: 0 };
const [mine, before, other, another] = [marks.next(), marks.next(), marks.next(), marks.next()];

/** The row with these marks, newest first. */
function found(etag: string, ...there: readonly string[]) {
  let unknown: ReturnType<OperationMarks['added']> = [];
  for (const mark of [...there].reverse()) unknown = marks.added(mark, unknown);
  const [property] = unknown;
  return { etag, row: property ? { _op: JSON.parse(property.literal) } : {} };
}

const replace: MarkedWrite = {
  write: { kind: 'replace', table: 't', row, etag: 'old' },
  mark: mine,
  before,
};
const create: MarkedWrite = { write: { kind: 'create', table: 't', row }, mark: mine, before: undefined };
const put: MarkedWrite = { write: { kind: 'put', table: 't', row }, mark: mine, before: undefined };
const remove = (etag: string): MarkedWrite => ({
  write: { kind: 'delete', table: 't', partitionKey: 'p', rowKey: 'r', etag },
  mark: undefined,
  before: undefined,
});

const done = (etag: string | undefined): Verdict => ({ kind: 'done', etag });
const undone: Verdict = { kind: 'undone' };
const unknown: Verdict = { kind: 'unknown' };

type Case = readonly [string, MarkedWrite, ReturnType<typeof found> | undefined, Verdict];

const CASES: readonly Case[] = [
  ['a replace whose mark is the newest', replace, found('new', mine, before), done('new')],
  ['a replace behind another write', replace, found('newer', other, mine, before), done(undefined)],
  ['a replace of a row that is as it was', replace, found('old', before), undone],
  ['a replace where others wrote on the same row', replace, found('new', another, other, before), undone],
  ['a replace where the marks do not reach back', replace, found('new', another, other), unknown],
  ['a replace of a row that has no marks now', replace, found('new'), unknown],
  ['a replace of a row that is gone', replace, undefined, unknown],
  [
    'a replace of a row that had no mark, and is as it was',
    { ...replace, before: undefined },
    found('old'),
    undone,
  ],
  [
    'a replace of a row that had no mark, and has changed',
    { ...replace, before: undefined },
    found('new', other),
    unknown,
  ],
  ['a create whose mark is the newest', create, found('new', mine), done('new')],
  ['a create behind another write', create, found('newer', other, mine), done(undefined)],
  ["a create where there is another's row", create, found('new', other), undone],
  ['a create where there is nothing', create, undefined, undone],
  ['a put whose mark is the newest', put, found('new', mine), done('new')],
  ['a put over which others may have put', put, found('new', other), unknown],
  ['a delete of a row that is gone', remove('old'), undefined, done(undefined)],
  ['a delete of a row that is as it was', remove('old'), found('old', before), undone],
  ['a delete of a row that is another now', remove('old'), found('new', other), unknown],
  ['an unconditional delete of a row that is there', remove('*'), found('new', other), undone],
];

describe('a row tells of', () => {
  for (const [name, marked, answer, verdict] of CASES)
    test(`${name}: ${verdict.kind}`, () => assert.deepEqual(judgeWrite(marked, answer, marks), verdict));

  test('writes without marks only whether the row is as it was', () => {
    const bare = { ...replace, mark: undefined, before: undefined };
    assert.deepEqual(judgeWrite(bare, found('old'), undefined), undone);
    assert.deepEqual(judgeWrite(bare, found('new', mine), undefined), unknown);
    const bareCreate = { ...create, mark: undefined };
    assert.deepEqual(judgeWrite(bareCreate, found('new', mine), undefined), unknown);
    assert.deepEqual(judgeWrite(bareCreate, undefined, undefined), undone);
  });
});
