// Compares the checksums of contents with the worked example of docs/storage-format.md. A change here is a new format.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bytesWithin,
  ContentSums,
  FOOTER_BYTES,
  readFooter,
  trailerBytes,
  UNIT_BYTES,
} from './content-sums.js';

const ID = '0123456789abcd01';

test('the worked example of docs/storage-format.md', () => {
  const sums = new ContentSums();
  sums.add(Buffer.from('pe'));
  sums.add(Buffer.from('ar'));
  assert.equal(
    sums.trailer(ID).toString('hex'),
    `ea6c4044ce50bc7073756d3100040000${Buffer.from(ID).toString('hex')}${'00'.repeat(24)}00000000000000042e6ab84d602ea0d8`,
  );
});

test('the length of a content follows from that of its file', () => {
  for (const length of [0, 1, UNIT_BYTES - 1, UNIT_BYTES, UNIT_BYTES + 1, 1000 * UNIT_BYTES, 5_000_000_001])
    assert.equal(bytesWithin(length + trailerBytes(length)), length);
  for (const fileBytes of [0, 1, FOOTER_BYTES - 1, FOOTER_BYTES]) assert.equal(bytesWithin(fileBytes), 0);
});

test('a footer belongs to a file of one length', () => {
  const sums = new ContentSums();
  sums.add(Buffer.alloc(UNIT_BYTES + 10));
  const footer = sums.trailer(ID).subarray(-FOOTER_BYTES);
  const fileBytes = UNIT_BYTES + 10 + trailerBytes(UNIT_BYTES + 10);
  assert.deepEqual(readFooter(footer, fileBytes), { id: ID, length: UNIT_BYTES + 10 });
  for (const other of [fileBytes - 1, fileBytes + 1, 2 * fileBytes])
    assert.equal(readFooter(footer, other), undefined);
});
