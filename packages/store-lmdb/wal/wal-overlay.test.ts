// Shows which change of a row is recent, and that those of a range come in the order of rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Position } from '#store';
import { compare, isWithin, law, longPosition, position, range } from '../testing/overlay-law.js';
import { type Change, WalOverlay } from './wal-overlay.js';

function changeOf(space: number, { partition, key }: Position, version: bigint): Change {
  return { key: [space, partition, key], bytes: Buffer.from(String(version)), version };
}

const placeOf = ({ key: [, partition, key] }: Change): Position => ({ partition, key });

test('the last change of a row counts, and forgetting an earlier one leaves it', () => {
  const recent = new WalOverlay();
  assert.equal(recent.isEmpty, true);
  assert.equal(recent.find(7, 'p', 'k'), undefined);
  const first = changeOf(7, { partition: 'p', key: 'k' }, 1n);
  const removal: Change = { key: [7, 'p', 'k'], bytes: undefined, version: 0n };
  recent.add(first);
  assert.equal(recent.find(7, 'p', 'k'), first);
  recent.add(removal);
  assert.equal(recent.find(7, 'p', 'k'), removal);
  recent.forget(first);
  assert.equal(recent.find(7, 'p', 'k'), removal);
  assert.equal(recent.isEmpty, false);
  recent.forget(removal);
  recent.forget(removal);
  assert.equal(recent.find(7, 'p', 'k'), undefined);
  assert.equal(recent.isEmpty, true);
});

test('rows of different spaces, partitions and keys are different rows', () => {
  const recent = new WalOverlay();
  const places: [number, string, string][] = [
    [1, 'ab', 'c'],
    [1, 'a', 'bc'],
    [1, '', 'abc'],
    [11, 'ab', 'c'],
    [1, '\0', 'c'],
    [1, '', '\0c'],
    [1, '', ''],
  ];
  const changes = places.map(key => ({ key, bytes: undefined, version: 0n }));
  for (const change of changes) recent.add(change);
  for (const [index, place] of places.entries()) assert.equal(recent.find(...place), changes[index]);
  for (const [index, change] of changes.entries()) {
    recent.forget(change);
    assert.equal(recent.isEmpty, index === changes.length - 1);
  }
});

test('all can be forgotten at once, and lists that were given stay', () => {
  const recent = new WalOverlay();
  const change = changeOf(7, { partition: 'p', key: 'k' }, 1n);
  const all = { from: { partition: '', key: '' } };
  recent.add(change);
  const before = recent.within(7, all);
  recent.clear();
  assert.equal(recent.isEmpty, true);
  assert.deepEqual(recent.within(7, all), []);
  assert.deepEqual(before, [change]);
});

const places = fc.oneof(position, longPosition);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), space: fc.nat(1), place: places }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('forget' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('within' as const), space: fc.nat(1), range }) },
);

test('what is recent within a range is what a sorted list of all says', async () => {
  const property = fc.property(fc.array(step, { maxLength: 150, size: 'max' }), steps => {
    const recent = new WalOverlay();
    const added: Change[] = [];
    const model = new Map<string, Change>();
    for (const each of steps) {
      if (each.kind === 'add') {
        const change = changeOf(each.space, each.place, BigInt(added.length));
        added.push(change);
        recent.add(change);
        model.set(JSON.stringify(change.key), change);
      } else if (each.kind === 'forget' && added.length > 0) {
        const change = added[each.which % added.length];
        assert(change !== undefined);
        recent.forget(change);
        if (model.get(JSON.stringify(change.key)) === change) model.delete(JSON.stringify(change.key));
      } else if (each.kind === 'within') {
        const expected = [...model.values()]
          .filter(change => change.key[0] === each.space && isWithin(each.range, placeOf(change)))
          .sort((a, b) => compare(placeOf(a), placeOf(b)));
        assert.deepEqual(recent.within(each.space, each.range), expected);
      }
      assert.equal(recent.isEmpty, model.size === 0);
    }
  });
  await law(property, { runs: 300, filter: 'wal-overlay' });
});
