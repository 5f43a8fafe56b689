// Headers that describe a blob: by version, with and without its content, of a part, of a snapshot, and overridden by a signature.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlobProperties } from '#blobs';
import type { Header } from '../shared/answer.js';
import { BLOB, MD5, TICKS } from '../testing/shown-blob.js';
import { addWholeDigest, blobHeaders, contentFacts } from './blob-headers.js';

const TIME = 'Thu, 09 May 2019 01:19:36 GMT';
const LATEST = '2026-04-06';

const wholeDigest = (blob: BlobProperties, version: string): Header[] => {
  const headers: Header[] = [];
  addWholeDigest(blob, version, headers);
  return headers;
};

const shown = (more: Partial<BlobProperties> = {}, version = LATEST, isContent = true) =>
  new Map(blobHeaders({ ...BLOB, ...more }, version, isContent));

test('the content of the whole has its MD5, a part its place', () => {
  const { type, headers } = contentFacts(BLOB, undefined, undefined);
  assert.equal(type, 'text/plain');
  assert.deepEqual(headers, [
    ['Cache-Control', 'no-cache'],
    ['Content-MD5', MD5.toString('base64')],
    ['Last-Modified', TIME],
    ['Accept-Ranges', 'bytes'],
    ['ETag', '"0x8D6D41C664D0400"'],
  ]);
  const part = new Map(contentFacts(BLOB, undefined, { from: 2, until: 5 }).headers);
  assert.equal(part.get('Content-Range'), 'bytes 2-4/10');
  assert.equal(part.get('Content-MD5'), undefined);
  assert.deepEqual(wholeDigest(BLOB, '2017-11-09'), [['x-ms-blob-content-md5', MD5.toString('base64')]]);
  assert.deepEqual(wholeDigest(BLOB, '2017-11-08'), []);
  assert.deepEqual(
    wholeDigest({ ...BLOB, properties: { ...BLOB.properties, contentMd5: undefined } }, LATEST),
    [],
  );
});

test("a signature's headers take the place of the blob's, the others stay", () => {
  const overrides = {
    contentType: 'text/html',
    contentEncoding: 'gzip',
    contentLanguage: 'de',
    contentDisposition: 'attachment',
    cacheControl: undefined,
  };
  const { type, headers } = contentFacts(BLOB, overrides, undefined);
  assert.equal(type, 'text/html');
  assert.deepEqual(headers.slice(0, 4), [
    ['Content-Encoding', 'gzip'],
    ['Content-Language', 'de'],
    ['Content-Disposition', 'attachment'],
    ['Cache-Control', 'no-cache'],
  ]);
});

test('what a version does not know it is not told', () => {
  const since = (name: string, before: string, from: string, isContent = true) => {
    assert.equal(shown({}, before, isContent).has(name), false, `${name} ${before}`);
    assert.equal(shown({}, from, isContent).has(name), true, `${name} ${from}`);
  };
  since('x-ms-creation-time', '2017-11-08', '2017-11-09');
  since('x-ms-server-encrypted', '2015-12-10', '2015-12-11');
  since('x-ms-access-tier', '2017-04-16', '2017-04-17', false);
});

test('tiers are told without the content alone before 2026-10-06, and of snapshots from 2019-12-12 on', () => {
  const tierOf = (more: Partial<BlobProperties>, isContent = false) =>
    [...shown(more, LATEST, isContent)].filter(([name]) => name.startsWith('x-ms-access-tier'));
  assert.deepEqual(tierOf({}), [
    ['x-ms-access-tier', 'Hot'],
    ['x-ms-access-tier-inferred', 'true'],
  ]);
  const tier = { name: 'Cool', changed: TICKS };
  assert.deepEqual(tierOf({ tier }), [
    ['x-ms-access-tier', 'Cool'],
    ['x-ms-access-tier-change-time', TIME],
  ]);
  assert.deepEqual(
    [...shown({ tier }, '2026-04-06', true)].filter(([name]) => /tier/.test(name)),
    [],
  );
  const snapshot = shown({ snapshot: TICKS + 5n, lease: undefined }, '2019-12-11', false);
  assert.equal(snapshot.get('x-ms-snapshot'), '2019-05-09T01:19:36.0000005Z');
  assert.equal(snapshot.has('x-ms-access-tier'), false);
  assert.equal(snapshot.has('x-ms-lease-state'), false);
  assert.equal(shown({ snapshot: TICKS }, '2019-12-12', false).get('x-ms-access-tier'), 'Hot');
});

test('a copy tells where it came from, and when it was complete', () => {
  const copy = { id: 'i', source: 'http://s', status: 'success', copied: 5, total: 8 } as const;
  const told = (completed: bigint | undefined) =>
    [...shown({ copy: { ...copy, completed } })].filter(([name]) => name.startsWith('x-ms-copy'));
  assert.deepEqual(told(TICKS), [
    ['x-ms-copy-id', 'i'],
    ['x-ms-copy-source', 'http://s'],
    ['x-ms-copy-status', 'success'],
    ['x-ms-copy-progress', '5/8'],
    ['x-ms-copy-completion-time', TIME],
  ]);
  assert.equal(told(undefined).length, 4);
});
