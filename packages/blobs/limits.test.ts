// Each limit of the Blob service at one below, itself, and one above.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobError, type BlobErrorCode } from './blob-error.js';
import {
  checkBlobMetadata,
  checkBlobName,
  checkBlockId,
  checkContainerName,
  checkPageBlobLength,
  checkTags,
  checkTier,
} from './limits.js';

const fails = (code: BlobErrorCode, check: () => void): void =>
  assert.throws(check, { name: 'BlobError', code });

test('containers have 3 to 63 letters, digits and single dashes, or a name of the system', () => {
  for (const name of ['abc', 'a-b', '1-2', 'c'.repeat(62), 'c'.repeat(63), '$root', '$logs', '$web'])
    checkContainerName(name);
  for (const name of ['', 'ab', 'c'.repeat(64)])
    fails('OutOfRangeInput:ResourceName', () => checkContainerName(name));
  for (const name of ['-ab', 'ab-', 'a--b', 'aBc', 'a_b', '$other'])
    fails('InvalidResourceName', () => checkContainerName(name));
});

test('blobs have 1 to 1,024 characters in at most 254 segments', () => {
  for (const name of [' ', 'b'.repeat(1023), 'b'.repeat(1024), '/'.repeat(253), 'é/\ud83d\ude00'])
    checkBlobName(name);
  for (const name of ['', 'b'.repeat(1025)]) fails('OutOfRangeInput:ResourceName', () => checkBlobName(name));
  fails('InvalidUri', () => checkBlobName('/'.repeat(254)));
});

test('ids of blocks are Base64 of 1 to 64 bytes', () => {
  for (const bytes of [1, 2, 3, 63, 64]) checkBlockId(Buffer.alloc(bytes).toString('base64'));
  for (const id of ['', 'A', 'AA=', 'A-==', Buffer.alloc(65).toString('base64')])
    fails('InvalidQueryParameterValue', () => checkBlockId(id));
  const reasonOf = (id: string): unknown => {
    try {
      return checkBlockId(id);
    } catch (error) {
      return error instanceof BlobError ? error.detail.reason : error;
    }
  };
  for (const bytes of [65, 66, 100])
    assert.equal(reasonOf(Buffer.alloc(bytes).toString('base64')), 'Block ID length cannot exceed 64.');
  for (const id of ['', 'A', `${'A'.repeat(88)}-`]) assert.equal(reasonOf(id), 'Not a valid base64 string.');
});

test('ten tags, with keys of 1 to 128 and values of at most 256 characters', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, at) => [`k${at}`, ''] as const);
  for (const count of [0, 9, 10]) checkTags(tags(count));
  fails('TagsTooLarge', () => checkTags(tags(11)));
  for (const length of [127, 128]) checkTags([['k'.repeat(length), 'v'.repeat(2 * length)]]);
  fails('TagsTooLarge', () => checkTags([['k'.repeat(129), '']]));
  fails('TagsTooLarge', () => checkTags([['k', 'v'.repeat(257)]]));
  fails('EmptyTagName', () => checkTags([['', 'v']]));
  fails('InvalidTag', () => checkTags([['k', 'a&b']]));
  fails('InvalidTag', () =>
    checkTags([
      ['k', 'a'],
      ['k', 'b'],
    ]),
  );
});

test('page blobs have whole pages, at most 8 TiB', () => {
  for (const length of [0, 512, 2 ** 43 - 512, 2 ** 43]) checkPageBlobLength(length);
  for (const length of [-512, 1, 511, 513, 2 ** 43 + 512])
    fails('InvalidHeaderValue', () => checkPageBlobLength(length));
});

test('metadata and tiers', () => {
  checkBlobMetadata([{ name: 'ab', value: 'v'.repeat(8190) }]);
  fails('MetadataTooLarge', () => checkBlobMetadata([{ name: 'ab', value: 'v'.repeat(8191) }]));
  for (const tier of [undefined, 'Hot', 'Cool', 'Cold', 'Archive']) checkTier(tier);
  fails('InvalidHeaderValue', () => checkTier('hot'));
});
