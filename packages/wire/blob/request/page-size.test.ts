// How many entries a page has, at the edges of the limit, and what may be included.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobError } from '#blobs';
import { includedOf, pageSizeOf, topOf } from './page-size.js';

const asked = (name: string, text: string) => new Map([[name, text]]);

test('1 to 5,000 entries, more mean a whole page', () => {
  for (const [text, told, top] of [
    ['', undefined, 5000],
    ['1', 1, 1],
    ['2', 2, 2],
    ['4999', 4999, 4999],
    ['5000', 5000, 5000],
    ['5001', 5001, 5000],
    ['2147483647', 2_147_483_647, 5000],
  ] as const) {
    assert.equal(pageSizeOf(asked('maxresults', text)), told, text);
    assert.equal(topOf(asked('maxresults', text)), top, text);
  }
  for (const text of ['0', '-1', '-5000'])
    assert.throws(
      () => topOf(asked('maxresults', text)),
      (error: unknown) => {
        assert.ok(error instanceof BlobError);
        assert.equal(error.code, 'OutOfRangeQueryParameterValue');
        assert.deepEqual(error.detail, {
          name: 'maxresults',
          value: Number(text),
          minimum: 1,
          maximum: 5000,
        });
        return true;
      },
    );
  for (const text of ['x', '1.5', '1e3', '2147483648', ' '])
    assert.throws(() => topOf(asked('maxresults', text)), { code: 'InvalidQueryParameterValue' }, text);
});

test('words for what is included, in any case, with blanks and empty ones', () => {
  const included = (text: string) => [...includedOf(asked('include', text))];
  assert.deepEqual(included(''), []);
  assert.deepEqual(included('Metadata, TAGS'), ['metadata', 'tags']);
  assert.ok(included('copy,,snapshots').includes('snapshots'));
  for (const text of ['x', 'metadata,x', 'meta data'])
    assert.throws(() => included(text), { code: 'InvalidQueryParameterValue' }, text);
});
