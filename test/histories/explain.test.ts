// One judge's failure to judge does not hide what another one found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TooManyExplanations } from '../simulation/judge/linearize.js';
import { allFaults } from './explain.js';

test('judges: an undecidable history is reported unless a fault is found', () => {
  const unknown = (): never => {
    throw new TooManyExplanations('too many');
  };
  assert.deepEqual(allFaults([() => ['a'], () => []]), ['a']);
  assert.deepEqual(allFaults([() => ['a'], unknown, () => ['b']]), ['a', 'b']);
  assert.throws(() => allFaults([() => [], unknown]), TooManyExplanations);
  const broken = (): never => {
    throw new RangeError('broken');
  };
  assert.throws(() => allFaults([() => ['a'], broken]), RangeError);
});
