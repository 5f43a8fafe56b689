// Floors of ticks: where a new space of each name begins, and that the row stays small.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floorOf, formatFloors, parseFloors, withFloor } from './floors.js';

const NONE = parseFloors(undefined);

test('floors: a dropped name begins above its floor, other names at the clock', () => {
  const floors = withFloor(NONE, 'a', 500n, 100n);
  assert.deepEqual([floorOf(floors, 'a'), floorOf(floors, 'b')], [501n, 1n]);
  assert.equal(floorOf(withFloor(floors, 'a', 400n, 100n), 'a'), 501n);
});

test('floors: one that the clock has passed is merged into that of all names', () => {
  const floors = withFloor(withFloor(NONE, 'a', 500n, 100n), 'b', 900n, 501n);
  assert.deepEqual(floors, { all: 500n, names: [['b', 900n]] });
  assert.deepEqual([floorOf(floors, 'a'), floorOf(floors, 'b')], [501n, 901n]);
});

test('floors: a thousand names are kept, and the oldest of more are merged', () => {
  let floors = NONE;
  for (let i = 1; i <= 1005; i++) floors = withFloor(floors, `n${i}`, 1000n + BigInt(i), 100n);
  assert.deepEqual([floors.names.length, floors.all, floors.names[0]?.[0]], [1000, 1005n, 'n6']);
});

test('floors: as bytes, and those that are one number', () => {
  const floors = { all: 7n, names: [['ä"', 2n ** 60n]] } as const;
  assert.deepEqual(parseFloors(formatFloors(floors)), floors);
  const plain = Buffer.from('0000000000000007', 'hex');
  assert.deepEqual(parseFloors(plain), { all: 7n, names: [] });
  assert.deepEqual(formatFloors({ all: 7n, names: [] }), plain);
});
