// Which change of a row readers see, and which one decisions; changes of a range come in the order of rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import type { Position } from '#store';
import { type Change, isReplacedBy, newChange, Overlay } from './overlay.js';
import { compare, isWithin, longPosition, position, range } from './testing/overlay-law.js';

function changeOf(space: number, { partition, key }: Position, version: bigint): Change {
  const bytes = Buffer.from(String(version));
  return newChange([space, partition, key], version, bytes, 0, bytes.length);
}

function add(overlay: Overlay, change: Change): void {
  overlay.add(change, overlay.enter(change.key[0], change.key[1]));
}

function addDurable(overlay: Overlay, change: Change): void {
  add(overlay, change);
  overlay.settle(change, 1n);
}

const placeOf = ({ key: [, partition, key] }: Change): Position => ({ partition, key });

test('the last change of a row counts, and forgetting an earlier one leaves it', () => {
  const overlay = new Overlay();
  assert.equal(overlay.isEmpty, true);
  assert.equal(overlay.durable(7, 'p', 'k'), undefined);
  const first = changeOf(7, { partition: 'p', key: 'k' }, 1n);
  const removal = newChange([7, 'p', 'k'], 0n);
  addDurable(overlay, first);
  assert.equal(overlay.durable(7, 'p', 'k'), first);
  addDurable(overlay, removal);
  assert.equal(overlay.durable(7, 'p', 'k'), removal);
  overlay.forget(first);
  assert.equal(overlay.durable(7, 'p', 'k'), removal);
  assert.equal(overlay.isEmpty, false);
  overlay.forget(removal);
  overlay.forget(removal);
  assert.equal(overlay.durable(7, 'p', 'k'), undefined);
  assert.equal(overlay.isEmpty, true);
});

test('rows of different spaces, partitions and keys are different rows', () => {
  const overlay = new Overlay();
  const places: [number, string, string][] = [
    [1, 'ab', 'c'],
    [1, 'a', 'bc'],
    [1, '', 'abc'],
    [11, 'ab', 'c'],
    [1, '\0', 'c'],
    [1, '', '\0c'],
    [1, '', ''],
  ];
  const changes = places.map(key => newChange(key, 0n));
  for (const change of changes) addDurable(overlay, change);
  for (const [index, place] of places.entries()) assert.equal(overlay.durable(...place), changes[index]);
  for (const [index, change] of changes.entries()) {
    overlay.forget(change);
    assert.equal(overlay.isEmpty, index === changes.length - 1);
  }
});

test('decisions see what is in flight over what is durable, and readers do not', () => {
  const overlay = new Overlay();
  const all = { from: { partition: '', key: '' } };
  const [first, second, third] = [1n, 2n, 3n].map(version =>
    changeOf(7, { partition: 'p', key: 'k' }, version),
  );
  assert(first !== undefined && second !== undefined && third !== undefined);
  const seen = () => [overlay.durable(7, 'p', 'k'), overlay.partition(7, 'p')?.get('k')];
  const listed = () => [overlay.within(7, all, 'durable'), overlay.within(7, all, 'latest')];
  add(overlay, first);
  assert.deepEqual(seen(), [undefined, first]);
  assert.deepEqual(listed(), [[], [first]]);
  overlay.settle(first, 1n);
  add(overlay, second);
  add(overlay, third);
  assert.deepEqual(seen(), [first, third]);
  const list = overlay.within(7, all, 'durable');
  overlay.settle(second, 2n);
  assert.deepEqual([first.replacedAt, second.replacedAt], [2n, 0n]);
  assert.deepEqual(
    [1n, 2n, 3n].map(tick => isReplacedBy(first, tick)),
    [false, true, true],
  );
  assert.equal(isReplacedBy(second, 3n), false);
  assert.deepEqual(seen(), [second, third]);
  assert.deepEqual(listed(), [[second], [third]]);
  overlay.forget(first);
  assert.deepEqual(seen(), [second, third]);
  overlay.abort(third);
  assert.deepEqual(seen(), [second, second]);
  overlay.forget(second);
  assert.deepEqual(seen(), [undefined, undefined]);
  assert.equal(overlay.isEmpty, true);
  assert.deepEqual(list, [first], 'a list that was given stays');
});

test('changes that the tree has are forgotten under those in flight, and aborted ones leave nothing', () => {
  const overlay = new Overlay();
  const first = changeOf(7, { partition: 'p', key: 'k' }, 1n);
  const second = changeOf(7, { partition: 'p', key: 'k' }, 2n);
  add(overlay, first);
  overlay.settle(first, 1n);
  add(overlay, second);
  overlay.forget(first);
  assert.deepEqual([overlay.durable(7, 'p', 'k'), overlay.partition(7, 'p')?.get('k')], [undefined, second]);
  overlay.abort(second);
  overlay.abort(second);
  assert.equal(overlay.isEmpty, true);
  // Aborted together, each on its own.
  const others = [3n, 4n].map(version => changeOf(7, { partition: 'p', key: 'k' }, version));
  for (const change of others) add(overlay, change);
  for (const change of others) overlay.abort(change);
  assert.equal(overlay.isEmpty, true);
});

const places = fc.oneof(position, longPosition);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), space: fc.nat(1), place: places }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('forget' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('within' as const), space: fc.nat(1), range }) },
);

test('what is durable within a range is what a sorted list of all changes has', () => {
  const property = fc.property(fc.array(step, { maxLength: 150, size: 'max' }), steps => {
    const overlay = new Overlay();
    const added: Change[] = [];
    const model = new Map<string, Change>();
    for (const each of steps) {
      if (each.kind === 'add') {
        const change = changeOf(each.space, each.place, BigInt(added.length));
        added.push(change);
        addDurable(overlay, change);
        model.set(JSON.stringify(change.key), change);
      } else if (each.kind === 'forget' && added.length > 0) {
        const change = added[each.which % added.length];
        assert(change !== undefined);
        overlay.forget(change);
        if (model.get(JSON.stringify(change.key)) === change) model.delete(JSON.stringify(change.key));
      } else if (each.kind === 'within') {
        const expected = [...model.values()]
          .filter(change => change.key[0] === each.space && isWithin(each.range, placeOf(change)))
          .sort((a, b) => compare(placeOf(a), placeOf(b)));
        assert.deepEqual(overlay.within(each.space, each.range, 'durable'), expected);
      }
      assert.equal(overlay.isEmpty, model.size === 0);
    }
  });
  fc.assert(property, { numRuns: randomRuns(750) });
});
