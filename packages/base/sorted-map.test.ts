// Compares the sorted map with a Map that is sorted at each read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SortedMap } from './sorted-map.js';
import { codePoint } from './testing/code-point.js';

const keys = fc.string({ unit: codePoint, maxLength: 3 });

function assertSame(sorted: SortedMap<string>, model: Map<string, string>, from: string): void {
  const ordered = [...model.keys()].sort((a, b) => (a < b ? -1 : 1));
  const expected = ordered.filter(key => key >= from).map(key => model.get(key));
  assert.deepEqual([...sorted.valuesFrom(from)], expected);
  assert.equal(sorted.size, model.size);
  assert.equal(sorted.get(from), model.get(from));
}

test('a sorted map has the entries of a Map, in the order of <', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.boolean())), keys, (changes, from) => {
      const sorted = new SortedMap<string>();
      const model = new Map<string, string>();
      for (const [key, isPut] of changes) {
        if (isPut) {
          sorted.set(key, `value ${model.size}`);
          model.set(key, `value ${model.size}`);
        } else {
          assert.equal(sorted.delete(key), model.delete(key));
        }
      }
      assertSame(sorted, model, from);
      assertSame(sorted, model, '');
    }),
  );
});

test('a sorted map of thousands of keys, filled and emptied in any order', () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 7, 997, 1999), fc.nat(2000), (stride, from) => {
      const sorted = new SortedMap<string>();
      const model = new Map<string, string>();
      const keyOf = (index: number) => `${10_000 + ((index * stride) % 2000)}`;
      for (let index = 0; index < 2000; index += 1) {
        sorted.set(keyOf(index), `value of ${keyOf(index)}`);
        model.set(keyOf(index), `value of ${keyOf(index)}`);
      }
      assertSame(sorted, model, `${10_000 + from}`);
      for (let index = 0; index < 2000; index += 1) {
        if (index % 400 === 0) assertSame(sorted, model, '');
        assert(sorted.delete(keyOf(index)) && model.delete(keyOf(index)));
      }
      assertSame(sorted, model, '');
    }),
    { numRuns: 8 },
  );
});
