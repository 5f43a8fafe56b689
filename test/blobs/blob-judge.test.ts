// The judge of blobs refuses what no order of the calls explains, and accepts everything else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Courses } from '../histories/explain.js';
import type { BlobAnswer, BlobCall, BlobHappening } from './blob-call.js';
import { blobFaults } from './blob-judge.js';
import { bytesOf, type Step, sumOf } from './blob-model.js';

const container = 'c';
type Told = readonly [BlobCall, BlobAnswer | undefined];

const step = (kind: Step['kind'], fill: number, more: Partial<Step> = {}): Step => ({
  kind,
  blob: 0,
  other: 0,
  size: 10,
  fill,
  ...more,
});
const write = (one: Step, answer: Partial<BlobAnswer> | undefined): Told => [
  { kind: 'write', container, step: one },
  answer && { code: undefined, ...answer },
];
const put = (fill: number, etag: string | undefined, ifMatch?: string): Told =>
  write(step('put', fill, { ifMatch }), etag === undefined ? undefined : { etag });
const get = (answer: BlobAnswer): Told => [{ kind: 'read', container, blob: 'a', range: undefined }, answer];
const found = (fill: number, etag: string): Told =>
  get({ code: undefined, etag, text: sumOf(bytesOf(step('put', fill))) });
const MISSING = get({ code: 'BlobNotFound' });
const MADE: Told = [{ kind: 'make', container }, { code: undefined }];

/** One call after the other; those without an answer may happen at any time. */
const historyOf = (calls: readonly Told[]): readonly BlobHappening[] =>
  calls.map(
    ([call, answer], at): BlobHappening => ({
      step: at,
      invoked: 2 * at,
      answered: answer === undefined ? Number.POSITIVE_INFINITY : 2 * at + 1,
      call,
      answer,
    }),
  );

const faultsOf = (...calls: readonly Told[]): string =>
  blobFaults(historyOf([MADE, ...calls]))
    .map(({ message }) => message)
    .join();

const NO_ORDER = /No order of the calls on container c/;

test('a write with an unknown outcome may have happened, may happen late, or never', () => {
  const [first, unclear] = [put(1, '1'), put(2, undefined)];
  assert.equal(faultsOf(first, unclear, found(1, '1')), '');
  assert.equal(faultsOf(first, unclear, found(2, '2')), '');
  assert.equal(faultsOf(first, unclear, found(1, '1'), found(2, '2')), '');
});

test('a lost write, a stale read, a write that happened twice and a lost update are found', () => {
  const [first, again] = [put(1, '1'), put(2, '2')];
  assert.match(faultsOf(first, MISSING), NO_ORDER);
  assert.match(faultsOf(first, again, found(1, '1')), /possible before: .*\na 2\n/);
  const twice = [put(2, undefined), found(2, '2'), put(2, '3'), found(2, '3'), found(2, '4')];
  assert.match(faultsOf(first, ...twice), NO_ORDER);
  assert.match(faultsOf(first, again, put(3, '3', '1')), NO_ORDER);
  assert.match(faultsOf(first, put(2, '0')), NO_ORDER);
});

test('whose lease it is stays open until an answer shows it', () => {
  const lease = (fill: number, id: string): Told => write(step('lease', fill, { lease: id }), {});
  const unclear = (fill: number, id: string): Told => write(step('lease', fill, { lease: id }), undefined);
  const before = [MADE, put(1, '1'), lease(1, 'x'), unclear(0, 'x'), unclear(1, 'y')];
  for (const holder of ['x', 'y']) {
    const courses: Courses = new Map();
    assert.deepEqual(blobFaults(historyOf(before), courses), []);
    const refused = write(step('put', 2), { code: 'LeaseIdMissing' });
    assert.deepEqual(blobFaults(historyOf([refused, lease(1, holder)]), courses), []);
  }
});

test('two that win with one ETag, hold one lease or append at one place are found', () => {
  const first = put(1, '1');
  assert.match(faultsOf(first, put(2, '2', '1'), put(3, '3', '1')), NO_ORDER);
  const lease = (fill: number, id: string, code?: string): Told =>
    write(step('lease', fill, { lease: id }), { code });
  const refused = write(step('put', 2), { code: 'LeaseIdMissing' });
  assert.equal(
    faultsOf(first, lease(1, 'x'), lease(1, 'y', 'LeaseAlreadyPresent'), refused, lease(0, 'x'), put(3, '3')),
    '',
  );
  assert.match(faultsOf(first, lease(1, 'x'), lease(1, 'y')), NO_ORDER);
  assert.match(faultsOf(first, lease(1, 'x'), put(3, '3')), NO_ORDER);
  const append = (fill: number, offset: number): Told =>
    write(step('append', fill, { blob: 1 }), { etag: String(fill), offset });
  const made = write(step('makeAppend', 0, { blob: 1 }), { etag: '0' });
  assert.equal(faultsOf(made, append(1, 0), append(2, 10)), '');
  assert.match(faultsOf(made, append(1, 0), append(2, 0)), NO_ORDER);
});
