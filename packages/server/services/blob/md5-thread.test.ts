// The thread for the MD5 of long bodies: bodies of any pieces side by side, more than it takes, and those that are given up.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { OffThreadMd5 } from '#blobs';
import { openMd5 } from './md5-thread.js';

const SUMS_MAX = 16;
const BODY = randomBytes(1_500_000);
const skip = availableParallelism() > 1 ? false : 'the event loop computes them itself on one processor';

const opened = (): OffThreadMd5 => openMd5() ?? assert.fail('it has too much to do');

/** Every piece is overwritten once it is taken. */
async function md5Of(sum: OffThreadMd5, pieceBytes: number): Promise<string> {
  for (let at = 0; at < BODY.length; at += pieceBytes) {
    const piece = Buffer.from(BODY.subarray(at, at + pieceBytes));
    await sum.update(piece);
    piece.fill(0);
  }
  return (await sum.end()).toString('hex');
}

const EXPECTED = createHash('md5').update(BODY).digest('hex');

test('bodies of pieces of any length side by side have their digests', { skip }, async () => {
  const lengths = [9_973, 65_536, 262_143, 262_144, 262_145, 1_000_000, BODY.length];
  const found = await Promise.all(lengths.map(length => md5Of(opened(), length)));
  assert.deepEqual(
    found,
    lengths.map(() => EXPECTED),
  );
});

test('an empty body has the digest of nothing', { skip }, async () => {
  assert.equal((await opened().end()).toString('hex'), createHash('md5').digest('hex'));
});

test('it takes so many bodies at a time, and those that were given up make room', { skip }, async () => {
  const sums = Array.from({ length: SUMS_MAX }, opened);
  assert.equal(openMd5(), undefined);
  for (const sum of sums.slice(1)) {
    await sum.update(BODY);
    sum.drop();
    sum.drop();
  }
  const found = await Promise.all(sums.map((sum, at) => md5Of(at === 0 ? sum : opened(), 65_536)));
  assert.deepEqual(
    found,
    sums.map(() => EXPECTED),
  );
});
