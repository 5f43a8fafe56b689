// Headers that become properties of a blob, and the level of public access.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentPropertiesOf, metadataOf, publicAccessOf, wholeBlobOf } from './content-headers.js';

const PLAIN = {
  'content-type': 'a/plain',
  'content-encoding': 'plain',
  'content-language': 'pl',
  'cache-control': 'plain',
  'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==',
};
const OWN = {
  'x-ms-blob-content-type': 'a/own',
  'x-ms-blob-content-encoding': 'own',
  'x-ms-blob-content-language': 'ow',
  'x-ms-blob-content-disposition': 'own',
  'x-ms-blob-cache-control': 'own',
  'x-ms-blob-content-md5': 'AQEBAQEBAQEBAQEBAQEBAQ==',
};
const OF_OWN = {
  contentType: 'a/own',
  contentEncoding: 'own',
  contentLanguage: 'ow',
  contentDisposition: 'own',
  cacheControl: 'own',
  contentMd5: Buffer.alloc(16, 1),
};
const NOTHING = {
  contentType: undefined,
  contentEncoding: undefined,
  contentLanguage: undefined,
  contentDisposition: undefined,
  cacheControl: undefined,
  contentMd5: undefined,
};

test("the service's own headers win over those of the body", () => {
  assert.deepEqual(wholeBlobOf({ ...PLAIN, ...OWN }, 'body').properties, OF_OWN);
  assert.deepEqual(wholeBlobOf(PLAIN, 'body').properties, {
    ...NOTHING,
    contentType: 'a/plain',
    contentEncoding: 'plain',
    contentLanguage: 'pl',
    cacheControl: 'plain',
  });
});

test('headers of a body that is no content say nothing of the blob', () => {
  const type = { ...NOTHING, contentType: 'application/octet-stream' };
  assert.deepEqual(wholeBlobOf(PLAIN, 'else').properties, type);
  assert.deepEqual(wholeBlobOf({}, 'body').properties, type);
  assert.deepEqual(wholeBlobOf({ ...PLAIN, ...OWN }, 'else').properties, OF_OWN);
});

test('properties that are set alone: what is not sent is cleared', () => {
  assert.deepEqual(contentPropertiesOf(PLAIN), NOTHING);
  assert.deepEqual(contentPropertiesOf(OWN), OF_OWN);
});

test('sums that are kept are base64', () => {
  for (const text of ['x', '='.repeat(24), `${'A'.repeat(22)}`, '-'.repeat(22)])
    assert.throws(() => contentPropertiesOf({ 'x-ms-blob-content-md5': text }), { code: 'InvalidMd5' }, text);
});

test('metadata of 8 KiB', () => {
  const sized = (length: number) => metadataOf({ 'x-ms-meta-a': 'v'.repeat(length) });
  assert.deepEqual(metadataOf({ 'x-ms-meta-a_1': '', ':x-ms-meta-a_1': 'x-ms-meta-A_1' }), [
    { name: 'A_1', value: '' },
  ]);
  assert.equal(sized(8191).length, 1);
  assert.throws(() => sized(8192), { code: 'MetadataTooLarge' });
  assert.throws(() => metadataOf({ 'x-ms-meta-': 'v' }), { code: 'EmptyMetadataKey' });
  for (const name of ['1', 'a-b', 'a.b', 'a b'])
    assert.throws(() => metadataOf({ [`x-ms-meta-${name}`]: 'v' }), { code: 'InvalidMetadata' }, name);
});

test('the level of public access', () => {
  const level = (text: string) => publicAccessOf({ 'x-ms-blob-public-access': text });
  assert.equal(publicAccessOf({}), 'private');
  assert.equal(level(''), 'private');
  assert.equal(level('Container'), 'container');
  assert.equal(level('blob'), 'blob');
  assert.equal(level('true'), 'container');
  for (const text of ['x', 'private', 'false', 'blob,container'])
    assert.throws(() => level(text), { code: 'InvalidHeaderValue' }, text);
});

test('words for tiers in any case are told as Azure writes them', () => {
  const tier = (text: string) => wholeBlobOf({ 'x-ms-access-tier': text }, 'else').tier;
  for (const [sent, told] of [
    ['hot', 'Hot'],
    ['COOL', 'Cool'],
    ['arCHIve', 'Archive'],
    ['Cold', 'Cold'],
    ['P10', 'P10'],
  ] as const)
    assert.equal(tier(sent), told);
  assert.equal(tier(''), undefined);
});
