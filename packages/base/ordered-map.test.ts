// A map's entries come in order, whenever they are asked for and whatever was added and removed before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OrderedMap } from './ordered-map.js';

function entries(map: OrderedMap<number>, from = '', until?: string): [string, number][] {
  return [...map.keysWithin(from, until)].map(key => [key, map.get(key) ?? Number.NaN]);
}

const text = fc.string({
  unit: fc.constantFrom('\0', 'a', 'b', 'é', '\ud83d', '\uffff', '😀'),
  maxLength: 3,
});
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key: text }),
  fc.record({ kind: fc.constant('delete' as const), key: text }),
  fc.record({ kind: fc.constant('ask' as const), from: text, until: fc.option(text, { nil: undefined }) }),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function run(steps: readonly Step[]): void {
  const map = new OrderedMap<number>();
  const model = new Map<string, number>();
  for (const [index, each] of steps.entries()) {
    if (each.kind === 'set') {
      map.set(each.key, index);
      model.set(each.key, index);
    } else if (each.kind === 'delete') {
      assert.equal(map.delete(each.key), model.delete(each.key));
    } else {
      const { from, until } = each;
      const within = [...model].filter(([key]) => key >= from && (until === undefined || key < until));
      const expected = within.sort(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(entries(map, from, until), expected);
    }
    assert.equal(map.size, model.size);
  }
}

test('entries come in order and only those of the range', () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 300, size: 'max' }), run));
});

test('a map of thousands of keys, filled and emptied in any order', () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 7, 997, 1999), fc.nat(2000), (stride, from) => {
      const keys = Array.from({ length: 2000 }, (_, index) => `${10_000 + ((index * stride) % 2000)}`);
      const ask: Step = { kind: 'ask', from: `${10_000 + from}`, until: undefined };
      const all = [
        ...keys.flatMap((key, at): Step[] => [{ kind: 'set', key }, ...(at % 400 === 0 ? [ask] : [])]),
        ...keys.flatMap((key, at): Step[] => [...(at % 400 === 0 ? [ask] : []), { kind: 'delete', key }]),
      ];
      run(all);
    }),
    { numRuns: 8 },
  );
});

test('a cleared map is empty', () => {
  const map = new OrderedMap<number>();
  map.set('a', 1);
  assert.equal(entries(map).length, 1);
  map.clear();
  assert.deepEqual(entries(map), []);
});
