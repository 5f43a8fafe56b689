// How many bytes a commit has, as the driver writes it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMIT_BYTES_MAX, COMMIT_STATEMENTS_MAX, frameBytes, mustFit } from './frame.js';

test('frame: a statement has its id, and each value its length', () => {
  const query = 'UPDATE';
  assert.equal(frameBytes([]), 0);
  assert.equal(frameBytes([{ query, params: [] }]), 21);
  assert.equal(frameBytes([{ query, params: [1n, null] }]), 21 + 12 + 4);
  assert.equal(
    frameBytes([
      { query, params: [Buffer.alloc(10)] },
      { query, params: ['é'] },
    ]),
    21 + 14 + 21 + 6,
  );
});

test('frame: a commit of more bytes or statements is refused, with its size and the limit', () => {
  const ofBytes = (bytes: number) => [{ query: 'UPDATE', params: [Buffer.alloc(bytes - 21 - 4)] }];
  mustFit(ofBytes(COMMIT_BYTES_MAX - 1));
  mustFit(ofBytes(COMMIT_BYTES_MAX));
  const large = 'A commit has 15728641 bytes; the engine on Cassandra takes 15728640.';
  assert.throws(() => mustFit(ofBytes(COMMIT_BYTES_MAX + 1)), { code: 'tooLarge', message: large });
  const many = (count: number) => Array.from({ length: count }, () => ({ query: 'UPDATE', params: [] }));
  mustFit(many(COMMIT_STATEMENTS_MAX - 1));
  mustFit(many(COMMIT_STATEMENTS_MAX));
  const message = 'A commit changes 65536 rows; the engine on Cassandra takes 65535.';
  assert.throws(() => mustFit(many(COMMIT_STATEMENTS_MAX + 1)), { code: 'tooLarge', message });
});
