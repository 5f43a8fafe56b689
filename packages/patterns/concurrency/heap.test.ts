// The heap against sorting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { law } from '../testing/law.js';
import { Heap } from './heap.js';

test('gives the least of what it holds, whenever it is asked', () => {
  law(
    fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 20 })), { size: 'large' }), steps => {
      const heap = new Heap<number>((a, b) => a < b);
      let model: number[] = [];
      for (const step of steps) {
        if (step === null) {
          assert.equal(heap.pop(), model[0]);
          model = model.slice(1);
        } else {
          heap.push(step);
          model = [...model, step].sort((a, b) => a - b);
        }
      }
      for (const each of model) assert.equal(heap.pop(), each);
      assert.equal(heap.pop(), undefined);
    }),
  );
});
