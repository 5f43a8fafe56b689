// Compares the gaps of a partition with a set of keys that are in them, for random changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gap, GapCache, type GapChange, GapList } from './gaps.js';

const KEYS = 40;
const keyOf = (number: number): string => String(number).padStart(3, '0');

/** Numbers from 0 up to 1, the same for the same seed (Park and Miller). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function inside({ from, until }: Gap): number[] {
  return Array.from({ length: KEYS + 1 }, (_, i) => i).filter(i => keyOf(i) >= from && keyOf(i) < until);
}

/** Stores what the change asks for. */
function store(stored: Map<string, string>, { puts, deletes }: GapChange): void {
  for (const { from, until } of puts) stored.set(from, until);
  for (const from of deletes) stored.delete(from);
}

for (const seed of [1, 2, 3, 4, 5])
  test(`gaps: what is in them after random changes (seed ${seed})`, () => {
    const random = seeded(seed * 7919);
    const pick = (): number => Math.floor(random() * KEYS);
    const keys = new Set<number>();
    const stored = new Map<string, string>();
    let list = new GapList();
    for (let step = 0; step < 500; step++) {
      const [a, b] = [pick(), pick()];
      if (random() < 0.5 && a !== b) {
        const gap = { from: keyOf(Math.min(a, b)), until: keyOf(Math.max(a, b)) };
        const change = list.withGap(gap);
        assert.deepEqual(
          inside(change.gap).filter(i => !keys.has(i) && !inside(gap).includes(i)),
          [],
        );
        for (const key of inside(gap)) keys.add(key);
        ({ list } = change);
        store(stored, change);
      } else {
        const change = list.withRows([keyOf(a), keyOf(b)]);
        // What is behind the row in its gap is no longer known to be empty.
        for (const key of [a, b]) {
          const gap = list.at(keyOf(key));
          if (gap !== undefined)
            for (const other of inside({ from: keyOf(key), until: gap.until })) keys.delete(other);
        }
        list = change?.list ?? list;
        if (change !== undefined) store(stored, change);
      }
      const found = Array.from({ length: KEYS }, (_, i) => i).filter(i => list.at(keyOf(i)) !== undefined);
      assert.deepEqual(
        found,
        [...keys].filter(i => i < KEYS).sort((x, y) => x - y),
        `step ${step}`,
      );
      assert.deepEqual(new GapList([...stored].sort().map(([from, until]) => ({ from, until }))), list);
    }
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
