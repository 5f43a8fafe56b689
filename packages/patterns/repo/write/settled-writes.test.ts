// What a row shows about a write whose answer was lost.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OperationIds } from './operation-id.js';
import { type IdentifiedWrite, judgeWrite, type Verdict } from './settled-writes.js';

let drawn = 0;
const operationIds = new OperationIds(
  {},
  { now: () => 0, random: count => new Uint8Array(count).fill(++drawn) },
);
const row = { partitionKey: 'p', rowKey: 'r', properties: [], bytes: 0 };
const [mine, previousId, other, another] = [
  operationIds.next(),
  operationIds.next(),
  operationIds.next(),
  operationIds.next(),
];

/** The row with these operation ids, newest first. */
function found(etag: string, ...there: readonly string[]) {
  let unknown: ReturnType<OperationIds['added']> = [];
  for (const operationId of [...there].reverse()) unknown = operationIds.added(operationId, unknown);
  const [property] = unknown;
  return { etag, row: property ? { _op: JSON.parse(property.literal) } : {} };
}

const replace: IdentifiedWrite = {
  write: { kind: 'replace', table: 't', row, etag: 'old' },
  operationId: mine,
  previousId,
};
const create: IdentifiedWrite = {
  write: { kind: 'create', table: 't', row },
  operationId: mine,
  previousId: undefined,
};
const put: IdentifiedWrite = {
  write: { kind: 'upsert', table: 't', row },
  operationId: mine,
  previousId: undefined,
};
const remove = (etag: string): IdentifiedWrite => ({
  write: { kind: 'delete', table: 't', partitionKey: 'p', rowKey: 'r', etag },
  operationId: undefined,
  previousId: undefined,
});

const done = (etag: string | undefined): Verdict => ({ kind: 'done', etag });
const undone: Verdict = { kind: 'undone' };
const unknown: Verdict = { kind: 'unknown' };

type Case = readonly [string, IdentifiedWrite, ReturnType<typeof found> | undefined, Verdict];

const CASES: readonly Case[] = [
  ['a replace whose operation id is the newest', replace, found('new', mine, previousId), done('new')],
  ['a replace behind another write', replace, found('newer', other, mine, previousId), done(undefined)],
  ['a replace of a row that is as it was', replace, found('old', previousId), undone],
  ['a replace where others wrote on the same row', replace, found('new', another, other, previousId), undone],
  ['a replace where the operation ids do not reach back', replace, found('new', another, other), unknown],
  ['a replace of a row that has no operation ids now', replace, found('new'), unknown],
  ['a replace of a row that is gone', replace, undefined, unknown],
  [
    'a replace of a row that had no operation id, and is as it was',
    { ...replace, previousId: undefined },
    found('old'),
    undone,
  ],
  [
    'a replace of a row that had no operation id, and has changed',
    { ...replace, previousId: undefined },
    found('new', other),
    unknown,
  ],
  ['a create whose operation id is the newest', create, found('new', mine), done('new')],
  ['a create behind another write', create, found('newer', other, mine), done(undefined)],
  ["a create where there is another's row", create, found('new', other), undone],
  ['a create where there is nothing', create, undefined, undone],
  ['a put whose operation id is the newest', put, found('new', mine), done('new')],
  ['a put over which others may have put', put, found('new', other), unknown],
  ['a delete of a row that is gone', remove('old'), undefined, done(undefined)],
  ['a delete of a row that is as it was', remove('old'), found('old', previousId), undone],
  ['a delete of a row that is another now', remove('old'), found('new', other), unknown],
  ['an unconditional delete of a row that is there', remove('*'), found('new', other), undone],
];

describe('a row tells of', () => {
  for (const [name, operation, answer, verdict] of CASES)
    test(`${name}: ${verdict.kind}`, () =>
      assert.deepEqual(judgeWrite(operation, answer, operationIds), verdict));

  test('writes without operation ids only whether the row is as it was', () => {
    const bare = { ...replace, operationId: undefined, previousId: undefined };
    assert.deepEqual(judgeWrite(bare, found('old'), undefined), undone);
    assert.deepEqual(judgeWrite(bare, found('new', mine), undefined), unknown);
    const bareCreate = { ...create, operationId: undefined };
    assert.deepEqual(judgeWrite(bareCreate, found('new', mine), undefined), unknown);
    assert.deepEqual(judgeWrite(bareCreate, undefined, undefined), undone);
  });
});
