// A map's entries come in order, whenever they are asked for and whatever was added and removed before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { law } from '../testing/overlay-law.js';
import { OrderedMap } from './overlay.js';

function entries(map: OrderedMap<number>, from = '', until?: string): [string, number][] {
  const found: [string, number][] = [];
  map.forEachWithin(from, until, (value, key) => found.push([key, value]));
  return found;
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

test('entries come in order and only those of the range', async () => {
  const histories = fc.array(step, { maxLength: 300, size: 'max' });
  const property = fc.property(histories, steps => {
    const map = new OrderedMap<number>();
    const model = new Map<string, number>();
    for (const [index, each] of steps.entries()) {
      if (each.kind === 'set') {
        map.set(each.key, index);
        model.set(each.key, index);
      } else if (each.kind === 'delete') {
        map.delete(each.key);
        model.delete(each.key);
      } else {
        const { from, until } = each;
        const within = [...model].filter(([key]) => key >= from && (until === undefined || key < until));
        const expected = within.sort(([a], [b]) => (a < b ? -1 : 1));
        assert.deepEqual(entries(map, from, until), expected);
      }
      assert.equal(map.size, model.size);
    }
  });
  await law(property, { runs: 200, filter: 'ordered-map' });
});

for (const gone of [63, 64, 65, 200]) {
  test(`entries come in order after ${gone} have gone since the order was asked for`, () => {
    const map = new OrderedMap<number>();
    const names = Array.from({ length: gone }, (_, index) => `k${String(index).padStart(3, '0')}`);
    for (const name of names) map.set(name, 0);
    assert.equal(entries(map).length, gone);
    for (const name of names) map.delete(name);
    assert.deepEqual(entries(map), []);
    // Before all removed keys, among them, equal to one, and after them.
    for (const [index, name] of ['z', 'k050', 'k010x', 'a'].entries()) map.set(name, index);
    assert.deepEqual(entries(map), [
      ['a', 3],
      ['k010x', 2],
      ['k050', 1],
      ['z', 0],
    ]);
  });
}

test('an order that is never asked for is dropped when most of it has gone, and what is set stays', () => {
  const map = new OrderedMap<number>();
  map.set('kept', -1);
  assert.deepEqual(entries(map), [['kept', -1]]);
  for (let round = 0; round < 10_000; round += 1) {
    map.set(`k${round}`, round);
    if (round > 0) map.delete(`k${round - 1}`);
  }
  assert.deepEqual(entries(map), [
    ['k9999', 9999],
    ['kept', -1],
  ]);
});
