// Which answers pass as right, and that no others do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyComplaint, filterComplaint, isAbsent, propertiesComplaint, statusComplaint } from './checks.js';
import { expectedProperties, groupRows, loadedEntity, RANK_SOUGHT, soughtRows } from './dataset.js';
import type { Check } from './job.js';
import type { Response } from './response-parser.js';
import { MEMBERS, PARTITION_ROWS, partBytes, renderText, scatter } from './template.js';

const ROWS = 2000;
const SEQUENCE = 7;

const response = (status: number, body: unknown): Response => ({
  status,
  head: '',
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const complain = (check: Check, body: unknown): string | undefined =>
  bodyComplaint(check, response(200, body), SEQUENCE, ROWS);

test('a loaded entity is a kilobyte of what is expected of its row', () => {
  for (const [sequence, offset] of [
    [0, 0],
    [7, 42],
    [120_000, 99],
  ] as const) {
    const entity: unknown = JSON.parse(renderText(loadedEntity(offset), sequence, ROWS));
    assert.equal(propertiesComplaint(entity, expectedProperties(sequence * MEMBERS + offset)), undefined);
    assert.equal(partBytes(loadedEntity(offset)), 1024);
  }
});

test('an entity must be that of the row, in full', () => {
  const row = expectedProperties(scatter(SEQUENCE, ROWS));
  const check = { kind: 'entity' } as const;
  assert.equal(complain(check, { ...row, Stock: 1, Timestamp: 'whenever' }), undefined);
  assert.match(complain(check, { ...row, Notes: 'short' }) ?? '', /^Notes is "short"/);
  assert.match(complain(check, { ...row, Rank: undefined }) ?? '', /^Rank is undefined/);
  assert.match(complain(check, expectedProperties(1)) ?? '', /^RowKey is|^Name is/);
  assert.match(complain(check, 'gibberish') ?? '', /no entity/);
});

test('a range must hold its rows in order and no others', () => {
  const check = { kind: 'range' } as const;
  const value = groupRows(scatter(SEQUENCE, ROWS)).map(expectedProperties);
  assert.equal(complain(check, { value }), undefined);
  assert.match(complain(check, { value: value.slice(1) }) ?? '', /^99 entities instead of 100/);
  assert.match(complain(check, { value: [...value].reverse() }) ?? '', /is "/);
  assert.equal(complain(check, { values: value }), 'not a page');
});

test('a filter must find the rows sought, over all pages', () => {
  const rows = 3 * PARTITION_ROWS;
  const sought = soughtRows(1, rows);
  assert.equal(sought.length, 10);
  assert.ok(sought.every(row => expectedProperties(row).Rank === RANK_SOUGHT));
  assert.ok(sought.every(row => row >= PARTITION_ROWS && row < 2 * PARTITION_ROWS));
  assert.equal(filterComplaint(sought.map(expectedProperties), 1, rows), undefined);
  assert.match(filterComplaint(sought.map(expectedProperties).slice(1), 1, rows) ?? '', /^9 entities/);
  assert.match(filterComplaint(sought.map(expectedProperties), 0, rows) ?? '', /^PartitionKey is/);
});

test('every member of a batch must be done', () => {
  const done = 'HTTP/1.1 204 No Content\r\n\r\n';
  const check = { kind: 'batch' } as const;
  assert.equal(complain(check, done.repeat(MEMBERS)), undefined);
  assert.match(complain(check, done.repeat(MEMBERS - 1)) ?? '', /^99 of 100 members done/);
  assert.match(complain(check, 'HTTP/1.1 409 Conflict') ?? '', /^0 of 100/);
});

test('other bytes, and bodies where none belong, are wrong', () => {
  assert.equal(complain({ kind: 'bytes', body: 'abc' }, 'abc'), undefined);
  assert.equal(complain({ kind: 'bytes', body: 'abc' }, 'abd'), 'other bytes');
  assert.equal(complain({ kind: 'empty', status: 204 }, ''), undefined);
  assert.match(complain({ kind: 'empty', status: 204 }, 'x') ?? '', /a body/);
});

test('statuses', () => {
  const complaint = (check: Check, status: number) => statusComplaint(check, response(status, 'why'));
  assert.equal(complaint({ kind: 'entity' }, 200), undefined);
  assert.equal(complaint({ kind: 'entity' }, 404), 'status 404: why');
  assert.equal(complaint({ kind: 'empty', status: 204 }, 204), undefined);
  assert.equal(complaint({ kind: 'empty', status: 204 }, 200), 'status 200: why');
  assert.equal(complaint({ kind: 'batch' }, 202), undefined);
  assert.equal(complaint({ kind: 'deleted' }, 404), undefined);
  assert.equal(complaint({ kind: 'deleted' }, 412), 'status 412: why');
});

test('a delete of a missing row is recognized', () => {
  assert.equal(isAbsent({ kind: 'deleted' }, response(404, '')), true);
  assert.equal(isAbsent({ kind: 'deleted' }, response(204, '')), false);
  assert.equal(isAbsent({ kind: 'deletedBatch' }, response(202, 'HTTP/1.1 404 Not Found')), true);
  assert.equal(isAbsent({ kind: 'deletedBatch' }, response(202, 'HTTP/1.1 204 No Content')), false);
  assert.equal(isAbsent({ kind: 'entity' }, response(404, '')), false);
});
