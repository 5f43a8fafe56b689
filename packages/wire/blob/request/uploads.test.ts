// Bodies of uploads: limits by version at one below, at and one above; digests; and bodies of unknown length.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobError, type BlobErrorCode } from '#blobs';
import type { Headers } from './header-values.js';
import {
  APPEND_LIMITS,
  BLOCK_LIMITS,
  checkLengthSent,
  checkNoBody,
  digestsSent,
  type IncomingBody,
  PAGES_LIMITS,
  PUT_BLOB_LIMITS,
  tellsMd5,
  type UploadRules,
  uploadOf,
} from './uploads.js';

const MIB = 1_048_576;
const MD5 = Buffer.alloc(16).toString('base64');
const CRC64 = Buffer.alloc(8).toString('base64');

const bodyOf = (length: number | undefined): IncomingBody => ({
  length,
  pieces: (async function* none() {})(),
});
const fails = (code: BlobErrorCode, detail: Readonly<Record<string, unknown>>, run: () => unknown): void =>
  assert.throws(run, (error: unknown) => {
    assert.ok(error instanceof BlobError);
    assert.deepEqual([error.code, error.detail], [code, detail]);
    return true;
  });

function take(length: number, rules: Partial<UploadRules>, headers: Headers = {}) {
  const all = { version: '2026-04-06', limits: PUT_BLOB_LIMITS, mayBeEmpty: true, ...rules };
  return uploadOf({ 'content-length': String(length), ...headers }, bodyOf(length), all);
}

for (const [name, limits, byVersion] of [
  [
    'Put Blob',
    PUT_BLOB_LIMITS,
    [
      ['2009-09-19', 64],
      ['2016-05-30', 64],
      ['2016-05-31', 256],
      ['2019-12-11', 256],
      ['2019-12-12', 5000],
      ['2026-10-06', 5000],
    ],
  ],
  [
    'Put Block',
    BLOCK_LIMITS,
    [
      ['2016-05-30', 4],
      ['2016-05-31', 100],
      ['2019-12-11', 100],
      ['2019-12-12', 4000],
    ],
  ],
  [
    'Append Block',
    APPEND_LIMITS,
    [
      ['2022-11-01', 4],
      ['2022-11-02', 100],
    ],
  ],
  [
    'Put Page',
    PAGES_LIMITS,
    [
      ['2009-09-19', 4],
      ['2026-10-06', 4],
    ],
  ],
] as const)
  test(`${name} takes what its version allows`, () => {
    for (const [version, mib] of byVersion) {
      const limit = mib * MIB;
      for (const length of [limit - 1, limit]) assert.equal(take(length, { limits, version }).length, length);
      fails('RequestBodyTooLarge', { limit }, () => take(limit + 1, { limits, version }));
    }
  });

test('the length of a structured body is that of its content', () => {
  const wrapped = (length: number) => ({
    'x-ms-structured-body': 'XSM/1.0; properties=crc64',
    'x-ms-structured-content-length': String(length),
  });
  const limit = 4 * MIB;
  assert.equal(take(limit + 100, { limits: PAGES_LIMITS }, wrapped(limit)).length, limit);
  fails('RequestBodyTooLarge', { limit }, () =>
    take(limit + 100, { limits: PAGES_LIMITS }, wrapped(limit + 1)),
  );
});

test('an empty body only where there may be one', () => {
  assert.equal(take(0, { mayBeEmpty: true }).length, 0);
  fails('InvalidHeaderValue', { name: 'Content-Length', value: '0' }, () => take(0, { mayBeEmpty: false }));
});

test('a body whose length is not told is refused, also one in chunks', () => {
  const rules = { version: '2026-04-06', limits: PUT_BLOB_LIMITS, mayBeEmpty: true };
  const missing = { name: 'Content-Length' };
  fails('MissingContentLengthHeader', missing, () => uploadOf({}, bodyOf(0), rules));
  fails('MissingContentLengthHeader', missing, () => uploadOf({}, bodyOf(5), rules));
  fails('MissingContentLengthHeader', missing, () =>
    uploadOf({ 'content-length': '5' }, bodyOf(undefined), rules),
  );
  fails('MissingContentLengthHeader', missing, () => checkLengthSent({}));
  checkLengthSent({ 'content-length': '7' });
});

test('no body where none belongs', () => {
  checkNoBody({ 'content-length': '0' });
  fails('MissingContentLengthHeader', { name: 'Content-Length' }, () => checkNoBody({}));
  fails('InvalidHeaderValue', { name: 'Content-Length', value: '1' }, () =>
    checkNoBody({ 'content-length': '1' }),
  );
});

test('one digest, which is one', () => {
  const of = (headers: Headers) => digestsSent(headers, 'content-md5', 'x-ms-content-crc64');
  assert.deepEqual(of({}), { md5: undefined, crc64: undefined });
  assert.equal(of({ 'content-md5': MD5 }).md5?.length, 16);
  assert.equal(of({ 'x-ms-content-crc64': CRC64 }).crc64?.length, 8);
  fails('BothCrc64AndMd5HeaderPresent', {}, () => of({ 'content-md5': MD5, 'x-ms-content-crc64': CRC64 }));
  fails('InvalidMd5', {}, () => of({ 'content-md5': CRC64 }));
  fails('InvalidHeaderValue', { name: 'x-ms-content-crc64', value: MD5 }, () =>
    of({ 'x-ms-content-crc64': MD5 }),
  );
});

test('the MD5 is told up to 2019-02-02, and later to who sent one', () => {
  assert.equal(tellsMd5({}, '2019-02-02'), true);
  assert.equal(tellsMd5({}, '2019-07-07'), false);
  assert.equal(tellsMd5({ 'content-md5': MD5 }, '2019-07-07'), true);
});
