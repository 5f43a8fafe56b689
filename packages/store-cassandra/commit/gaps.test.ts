// Compares the gaps of a partition with a set of keys that are in them, for random changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Gap, GapCache, type GapChange, GapList } from './gaps.js';

const KEYS = 40;
const keyOf = (number: number): string => String(number).padStart(3, '0');

function inside({ from, until }: Gap): number[] {
  return Array.from({ length: KEYS + 1 }, (_, i) => i).filter(i => keyOf(i) >= from && keyOf(i) < until);
}

/** Stores what the change asks for. */
function store(stored: Map<string, string>, { puts, deletes }: GapChange): void {
  for (const { from, until } of puts) stored.set(from, until);
  for (const from of deletes) stored.delete(from);
}

const key = fc.nat(KEYS - 1);
const steps = fc.array(fc.tuple(fc.boolean(), key, key), { minLength: 100, maxLength: 500, size: 'max' });

test('gaps: what is in them after random changes', () => {
  fc.assert(
    fc.property(steps, all => {
      const keys = new Set<number>();
      const stored = new Map<string, string>();
      let list = new GapList();
      for (const [isGap, a, b] of all) {
        if (isGap && a !== b) {
          const gap = { from: keyOf(Math.min(a, b)), until: keyOf(Math.max(a, b)) };
          const change = list.withGap(gap);
          const more = inside(change.gap).filter(i => !keys.has(i) && !inside(gap).includes(i));
          assert.deepEqual(more, []);
          for (const one of inside(gap)) keys.add(one);
          ({ list } = change);
          store(stored, change);
        } else {
          const change = list.withRows([keyOf(a), keyOf(b)]);
          // What is behind the row in its gap is no longer known to be empty.
          for (const one of [a, b]) {
            const gap = list.at(keyOf(one));
            for (const other of gap ? inside({ from: keyOf(one), until: gap.until }) : []) keys.delete(other);
          }
          list = change?.list ?? list;
          if (change !== undefined) store(stored, change);
        }
        const found = Array.from({ length: KEYS }, (_, i) => i).filter(i => list.at(keyOf(i)) !== undefined);
        assert.deepEqual(
          found,
          [...keys].filter(i => i < KEYS).sort((x, y) => x - y),
        );
        assert.deepEqual(new GapList([...stored].sort().map(([from, until]) => ({ from, until }))), list);
      }
    }),
    { numRuns: 10 },
  );
});

test('gaps: the first behind a key begins after it', () => {
  const list = new GapList([
    { from: 'b', until: 'd' },
    { from: 'f', until: 'g' },
  ]);
  assert.deepEqual(
    ['a', 'b', 'e', 'f'].map(key => list.behind(key)?.from),
    ['b', 'f', 'f', undefined],
  );
});

test('gaps: the cache keeps those of a thousand partitions', () => {
  const cache = new GapCache();
  const list = new GapList();
  for (let i = 0; i <= 1000; i++) cache.set(String(i), { tick: BigInt(i), list });
  assert.deepEqual(
    ['0', '1', '1000'].map(place => cache.get(place)?.tick),
    [undefined, 1n, 1000n],
  );
});
