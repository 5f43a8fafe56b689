// The judge of blobs refuses what no order of the calls explains, and accepts everything else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BlobAnswer, type BlobHappening, type BlobQuestion, blobFaults } from './blobs.js';

const put = (text: string, ifMatch?: string): BlobQuestion => ({ kind: 'put', text, ifMatch });
const GET: BlobQuestion = { kind: 'get' };
const created = (etag: string): BlobAnswer => ({ status: 201, etag, text: '' });
const shown = (text: string, etag: string): BlobAnswer => ({ status: 200, etag, text });
const MISSING: BlobAnswer = { status: 404, etag: '', text: '' };

/** One call after the other; those without an answer may happen at any time. */
function faultsOf(...calls: readonly (readonly [BlobQuestion, BlobAnswer | undefined])[]): readonly string[] {
  const history = calls.map(
    ([question, answer], at): BlobHappening => ({
      step: at,
      blob: 'b',
      invoked: 2 * at,
      answered: answer === undefined ? Number.POSITIVE_INFINITY : 2 * at + 1,
      question,
      answer,
    }),
  );
  return blobFaults(history);
}

test('blobs: a write with an unknown outcome may have happened, may happen late, or never', () => {
  const first = [put('a'), created('1')] as const;
  const unclear = [put('b'), undefined] as const;
  assert.deepEqual(faultsOf(first, unclear, [GET, shown('a', '1')]), []);
  assert.deepEqual(faultsOf(first, unclear, [GET, shown('b', '2')]), []);
  assert.deepEqual(faultsOf(first, unclear, [GET, shown('a', '1')], [GET, shown('b', '2')]), []);
});

test('blobs: a lost write, a stale read, a write that happened twice and a lost update are found', () => {
  const written = [put('a'), created('1')] as const;
  const again = [put('b'), created('2')] as const;
  assert.match(faultsOf(written, [GET, MISSING]).join(), /no order of the calls on b/);
  assert.match(faultsOf(written, again, [GET, shown('a', '1')]).join(), /possible before: b 2/);
  assert.match(
    faultsOf(
      written,
      [put('b'), undefined],
      [GET, shown('b', '2')],
      again,
      [GET, shown('b', '2')],
      [GET, shown('b', '3')],
    ).join(),
    /no order/,
  );
  assert.match(faultsOf(written, again, [put('c', '1'), created('3')]).join(), /no order/);
});
