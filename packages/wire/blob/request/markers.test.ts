// Markers: what a list gives comes back as the same position; what it never gave is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codesOf } from '#account/testing';
import { codePoint } from '#base/testing';
import { BlobError } from '#blobs';
import {
  blobMarker,
  blobPosition,
  containerPosition,
  foundMarker,
  foundPosition,
  includedOf,
  pageSizeOf,
  rangePosition,
  topOf,
} from './markers.js';

type Parse = (query: ReadonlyMap<string, string>) => unknown;

const at = (marker: string): ReadonlyMap<string, string> => new Map([['marker', marker]]);

const codeOf = codesOf(BlobError);
const refusal = (parse: Parse, marker: string): string => codeOf(() => parse(at(marker)));

const name = fc.string({ unit: codePoint, minLength: 1, maxLength: 40 });
const tick = fc.bigInt({ min: 0n, max: 0x7fff_ffff_ffff_ffffn });

test('the position of a blob, of a snapshot and of a match round trip', () => {
  fc.assert(
    fc.property(name, name, fc.option(tick, { nil: undefined }), (container, blob, snapshot) => {
      assert.deepEqual(blobPosition(at(blobMarker({ blob, snapshot }))), { blob, snapshot });
      assert.deepEqual(foundPosition(at(foundMarker({ container, blob }))), { container, blob });
    }),
  );
});

test('the first page begins where startFrom says, later ones at the marker', () => {
  const marker = blobMarker({ blob: 'c', snapshot: undefined });
  assert.deepEqual(blobPosition(new Map([['startfrom', 'a/b']])), { blob: 'a/b', snapshot: undefined });
  const both = new Map([
    ['startfrom', 'a/b'],
    ['marker', marker],
  ]);
  assert.deepEqual(blobPosition(both), { blob: 'c', snapshot: undefined });
});

test('markers of another form', () => {
  const never = [
    'x',
    '1!',
    '1!!',
    '2!QQ',
    '1!Q=',
    '1!Q+',
    '1!QQ!x!',
    '1! ',
    '1!QQ!-1',
    '!',
    '1!QQ!1!2',
    '\0',
  ];
  for (const marker of [...never, '1!QQ!12345678901234567890', '1!QQ!x'])
    assert.equal(refusal(blobPosition, marker), 'OutOfRangeInput', marker);
  for (const marker of ['x', '1!QQ', '1!QQ!', '1!!QQ', '1!QQ!QQ!QQ', '1!Q+!QQ'])
    assert.equal(refusal(foundPosition, marker), 'OutOfRangeInput', marker);
});

test('of containers a name, with or without the account', () => {
  const of = (query: ReadonlyMap<string, string>) => containerPosition(query, 'acc');
  assert.equal(of(at('/acc/name')), 'name');
  assert.equal(of(at('name')), 'name');
  for (const marker of ['/acc/', '/other/name', '/acc/a/b', '/'])
    assert.equal(refusal(of, marker), 'OutOfRangeInput', marker);
});

test('of ranges a byte', () => {
  assert.equal(rangePosition(at('512')), 512);
  for (const marker of ['-1', 'x', '1.5', '1e3', '1'.repeat(16)])
    assert.equal(refusal(rangePosition, marker), 'OutOfRangeInput', marker);
});

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
