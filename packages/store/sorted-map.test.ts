// Proves the sorted map against a plain Map that is sorted when asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SortedMap } from './sorted-map.js';

const keys = fc.string({ unit: 'binary', maxLength: 3 });

test('a sorted map holds what a map holds, in the order of <', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.boolean())), keys, (changes, probe) => {
      const sorted = new SortedMap<string>();
      const model = new Map<string, string>();
      for (const [key, isPut] of changes) {
        if (isPut) {
          sorted.set(key, `value of ${key}`);
          model.set(key, `value of ${key}`);
        } else {
          assert.equal(sorted.delete(key), model.delete(key));
        }
      }
      const ordered = [...model.keys()].sort((a, b) => (a < b ? -1 : 1));
      assert.deepEqual(
        Array.from({ length: sorted.size }, (_, index) => sorted.valueAt(index)),
        ordered.map(key => `value of ${key}`),
      );
      assert.equal(sorted.get(probe), model.get(probe));
      assert.equal(sorted.indexFrom(probe), ordered.filter(key => key < probe).length);
    }),
  );
});
