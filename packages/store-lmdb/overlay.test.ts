// Which change of a row readers see, and which one decisions. scan/merged-cursor.test.ts has ranges, and random changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Position } from '#store';
import { type Change, isReplacedBy, newChange, Overlay } from './overlay.js';

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
