// Values of headers and queries: lease actions with their bounds, ranges of bytes and of pages, times of snapshots: what is read, ignored and refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codesOf } from '#account/testing';
import { BlobError } from '#blobs';
import {
  type Headers,
  leaseActionOf,
  pageSpanOf,
  rangeOf as rangeIn,
  snapshotOf,
  sourceRangeOf,
} from './header-values.js';

const ONE = '00000000-0000-0000-0000-000000000001';
const TWO = '00000000-0000-0000-0000-000000000002';

const act = (action: string, more: Headers = {}) => leaseActionOf({ 'x-ms-lease-action': action, ...more });

function refusedAction(action: string, more?: Headers): string {
  try {
    act(action, more);
  } catch (error) {
    assert(error instanceof BlobError);
    return `${error.code} ${error.detail.name}`;
  }
  return 'none';
}

test('acquire for 15 to 60 seconds or for good', () => {
  const lasting = (seconds: string, more: Headers = {}) =>
    act('acquire', { 'x-ms-lease-duration': seconds, ...more });
  assert.deepEqual(lasting('15'), { kind: 'acquire', seconds: 15, proposedId: undefined });
  assert.deepEqual(lasting('60', { 'x-ms-proposed-lease-id': ONE }), {
    kind: 'acquire',
    seconds: 60,
    proposedId: ONE,
  });
  assert.deepEqual(lasting('-1'), { kind: 'acquire', seconds: 'infinite', proposedId: undefined });
  for (const seconds of ['14', '61', '0', '-2', '-15', 'x', '15.0', '1e1', ' 15', '999999', 'NaN'])
    assert.equal(
      refusedAction('acquire', { 'x-ms-lease-duration': seconds }),
      'InvalidHeaderValue x-ms-lease-duration',
      seconds,
    );
  assert.equal(refusedAction('acquire'), 'MissingRequiredHeader x-ms-lease-duration');
  assert.equal(
    refusedAction('acquire', { 'x-ms-lease-duration': '15', 'x-ms-proposed-lease-id': 'x' }),
    'InvalidHeaderValue x-ms-proposed-lease-id',
  );
});

test('renew, release and change name the lease', () => {
  const id = { 'x-ms-lease-id': ONE };
  assert.deepEqual(act('renew', id), { kind: 'renew', id: ONE });
  assert.deepEqual(act('Release', id), { kind: 'release', id: ONE });
  assert.deepEqual(act('change', { ...id, 'x-ms-proposed-lease-id': TWO }), {
    kind: 'change',
    id: ONE,
    proposedId: TWO,
  });
  for (const action of ['renew', 'release', 'change']) {
    assert.equal(refusedAction(action), 'MissingRequiredHeader x-ms-lease-id');
    assert.equal(refusedAction(action, { 'x-ms-lease-id': 'x' }), 'InvalidHeaderValue x-ms-lease-id');
  }
  assert.equal(refusedAction('change', id), 'MissingRequiredHeader x-ms-proposed-lease-id');
});

test('break at once, in 0 to 60 seconds, or when the lease ends', () => {
  const within = (seconds: string) => ({ 'x-ms-lease-break-period': seconds });
  assert.deepEqual(act('break'), { kind: 'break', seconds: undefined });
  for (const seconds of [0, 60])
    assert.deepEqual(act('break', within(`${seconds}`)), { kind: 'break', seconds });
  for (const seconds of ['-1', '61', 'x'])
    assert.equal(
      refusedAction('break', within(seconds)),
      'InvalidHeaderValue x-ms-lease-break-period',
      seconds,
    );
});

test('no action, and one that nobody knows', () => {
  assert.equal(refusedAction(''), 'MissingRequiredHeader x-ms-lease-action');
  for (const action of ['x', 'constructor', 'acquire ', 'break,renew'])
    assert.equal(refusedAction(action), 'InvalidHeaderValue x-ms-lease-action', action);
});

const refusal = codesOf(BlobError);
const rangeOf = (headers: Record<string, string>, version = '2026-04-06') => rangeIn(headers, version);

test('a range with its last byte, or to the end', () => {
  assert.deepEqual(rangeOf({ range: 'bytes=0-0' }), { from: 0, until: 1 });
  assert.deepEqual(rangeOf({ range: 'Bytes=5-9' }), { from: 5, until: 10 });
  assert.deepEqual(rangeOf({ range: 'bytes=5-' }), { from: 5, until: undefined });
  assert.equal(rangeOf({}), undefined);
});

test('before 2011-08-18 a range has an end', () => {
  for (const name of ['range', 'x-ms-range'])
    for (const version of ['2009-09-19', '2011-08-17']) {
      assert.equal(rangeOf({ [name]: 'bytes=2-' }, version), undefined);
      assert.deepEqual(rangeOf({ [name]: 'bytes=2-3' }, version), { from: 2, until: 4 });
    }
  assert.deepEqual(rangeOf({ range: 'bytes=2-' }, '2011-08-18'), { from: 2, until: undefined });
});

test('x-ms-range wins over Range', () => {
  assert.deepEqual(rangeOf({ range: 'bytes=0-0', 'x-ms-range': 'bytes=1-1' }), { from: 1, until: 2 });
  assert.deepEqual(rangeOf({ range: 'x', 'x-ms-range': 'bytes=1-' }), { from: 1, until: undefined });
});

const OTHER = ['x', 'bytes=', 'bytes=-', 'bytes=-5', 'bytes=5-4', 'bytes=0-0,2-2', 'bytes=a-b', 'lines=0-1'];

test('another form is ignored of what is read and refused of a source', () => {
  for (const text of [...OTHER, `bytes=0-${'9'.repeat(17)}`, 'bytes=1e1-', 'bytes = 0-1', 'bytes=0.5-1']) {
    assert.equal(rangeOf({ range: text }), undefined, text);
    assert.equal(rangeOf({ 'x-ms-range': text }), undefined, text);
    assert.equal(
      refusal(() => sourceRangeOf({ 'x-ms-source-range': text })),
      'InvalidHeaderValue',
      text,
    );
  }
});

test('without a range the source is copied as a whole', () => {
  assert.deepEqual(sourceRangeOf({}), { from: 0, until: undefined });
  assert.deepEqual(sourceRangeOf({ 'x-ms-source-range': 'bytes=2-3' }), { from: 2, until: 4 });
});

test('pages are whole', () => {
  const span = (text: string) => pageSpanOf({ 'x-ms-range': text });
  assert.deepEqual(span('bytes=0-511'), { from: 0, until: 512 });
  assert.deepEqual(pageSpanOf({ range: 'bytes=512-1535' }), { from: 512, until: 1536 });
  for (const text of ['bytes=0-510', 'bytes=0-512', 'bytes=1-512', 'bytes=511-1023'])
    assert.equal(
      refusal(() => span(text)),
      'InvalidPageRange',
      text,
    );
  for (const text of [...OTHER, 'bytes=0-'])
    assert.equal(
      refusal(() => span(text)),
      'InvalidHeaderValue',
      text,
    );
  assert.equal(
    refusal(() => pageSpanOf({})),
    'MissingRequiredHeader',
  );
});

test('the time of a snapshot', () => {
  const at = (text: string) => snapshotOf(new Map([['snapshot', text]]));
  assert.equal(at('1970-01-01T00:00:00.0000001Z'), 1n);
  assert.equal(at('2019-05-09T00:57:52.5355552Z'), 15_573_634_725_355_552n);
  assert.equal(at(''), undefined);
  assert.equal(snapshotOf(new Map()), undefined);
  assert.equal(snapshotOf(new Map([['prevsnapshot', '1970-01-01T00:00:00Z']]), 'prevsnapshot'), 0n);
  for (const text of ['x', '0', '2019-05-09', '2019-13-09T00:00:00Z', '2019-05-09T00:00:00Z,x', '1'])
    assert.equal(
      refusal(() => at(text)),
      'InvalidQueryParameterValue',
      text,
    );
});
