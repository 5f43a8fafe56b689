// Pauses between attempts stay in their bounds and grow from one to the next.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Jitter } from './jitter.js';

const BOUNDS = { base: 20, cap: 1_000 };

describe('pauses', () => {
  test('are least without luck, and up to three times the last with it', () => {
    const unlucky = new Jitter(BOUNDS, () => 0);
    assert.deepEqual([unlucky.next(), unlucky.next()], [20, 20]);
    const lucky = new Jitter(BOUNDS, () => 1);
    assert.deepEqual(
      [lucky.next(), lucky.next(), lucky.next(), lucky.next(), lucky.next()],
      [60, 180, 540, 1_000, 1_000],
    );
  });
});
