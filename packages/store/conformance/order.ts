// Law 1: rows in the order of (partition, key), each by UTF-16 code unit, for arbitrary strings.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { KEY_LENGTH_MAX, type Position, type Space, type Store } from '../store.js';
import { NO_READS, remove, type Suite, scanAll, UNBOUNDED } from './suite.js';

/** Strings that are close or misordered in encodings that a database may use. */
const NASTY = [
  '',
  '\u0000',
  '\u0000\u0000',
  '\u0000\u0001',
  '\u0001',
  '\u0001\u0000',
  '\u0001\u0001',
  '\u0002',
  ' ',
  '  ',
  'a',
  'a\u0000',
  'a\u0000b',
  'a\u0001',
  'a ',
  'aa',
  'ab',
  'A',
  'b',
  '\u007f',
  '\u0080',
  '\u07ff',
  '\u0800',
  'é',
  'e\u0301',
  '\ud7ff',
  '\ud800',
  '\ud800a',
  '\ud83d',
  '\ud83d\ude00',
  '\ude00',
  '\udfff',
  '\ue000',
  '\ufffd',
  '\uffff',
  '\uffff\uffff',
];
const OVERLONG = '\uffff'.repeat(KEY_LENGTH_MAX + 1);

export function orderLaws(suite: Suite): void {
  suite.law('law 1: a row is found by its own key only', async (store, space) => {
    const there = product(NASTY, NASTY).filter((_, index) => index % 2 === 0);
    await putAll(store, space, there);
    assert.deepEqual((await scanAll(store, space)).map(place), there.map(place).toSorted(byPlace));
    const names = new Set(there.map(name));
    for (const partition of NASTY) {
      const rows = await store.read(space, partition, NASTY);
      for (const [index, row] of rows.entries()) {
        const position = { partition, key: NASTY[index] ?? '' };
        assert.equal(row?.value.toString(), names.has(name(position)) ? name(position) : undefined);
      }
    }
  });

  suite.law('law 1: any bounds cut the rows where < cuts them', async (store, space) => {
    const positions = product(NASTY, NASTY).filter((_, index) => index % 3 === 0);
    await putAll(store, space, positions);
    const sorted = positions.map(place).toSorted(byPlace);
    const part = fc.oneof(
      fc.constantFrom(...NASTY),
      fc.constantFrom(OVERLONG, `${OVERLONG}a`, 'a'.repeat(3000), `a${'\u0000'.repeat(5000)}`),
      fc.string({ unit: codePoint, maxLength: 3 }),
    );
    const bound = fc.record({ partition: part, key: part });
    await fc.assert(
      fc.asyncProperty(bound, fc.option(bound, { nil: undefined }), async (from, until) => {
        const expected = sorted.filter(
          row => byPlace(row, place(from)) >= 0 && (until === undefined || byPlace(row, place(until)) < 0),
        );
        assert.deepEqual((await scanAll(store, space, { from, until })).map(place), expected);
      }),
      { numRuns: 60 },
    );
  });

  longKeyLaws(suite);
}

function longKeyLaws(suite: Suite): void {
  const longest = suite.keyLength;
  const half = longest / 2;
  // Prefixes of one another, up to the longest key there is, and neighbours of each.
  const parts = [
    ...[0, 1, 2, half, longest - 3, longest - 1, longest].map(length => '\uffff'.repeat(length)),
    `${'\uffff'.repeat(longest - 1)}a`,
    `${'\uffff'.repeat(longest - 1)}\u0000`,
    `${'\uffff'.repeat(half)}\u0000`,
    `${'\uffff'.repeat(half)}é`,
    'a'.repeat(longest),
    '\u0000'.repeat(longest),
  ];
  const last = '\uffff'.repeat(longest);

  suite.law(
    'law 1: the longest keys stand in order among short ones, at every page size',
    async (store, space) => {
      const positions = product(parts, parts);
      await putAll(store, space, positions);
      const expected = positions.map(place).toSorted(byPlace);
      for (const rows of [1, 7, 1000]) {
        const scanned = await scanAll(store, space, undefined, { ...UNBOUNDED, rows });
        assert.deepEqual(scanned.map(place), expected, `pages of ${rows}`);
        for (const row of scanned) assert.equal(row.value.toString(), name(row));
      }
    },
  );

  suite.law('law 1: bounds among the longest keys, and ranges of one partition', async (store, space) => {
    const positions = product(parts, parts).filter((_, index) => index % 2 === 0);
    await putAll(store, space, positions);
    const sorted = positions.map(place).toSorted(byPlace);
    for (const from of product(parts, parts).filter((_, index) => index % 5 === 0)) {
      const rest = sorted.filter(row => byPlace(row, place(from)) >= 0);
      assert.deepEqual((await scanAll(store, space, { from })).map(place), rest);
      const until = { partition: from.partition, key: last };
      const within = rest.filter(row => byPlace(row, place(until)) < 0);
      assert.deepEqual((await scanAll(store, space, { from, until })).map(place), within);
      const reads = { keys: [from.key], range: { from: from.key, until: last, rows: 1000 } };
      const read = await store.commit(space, from.partition, reads, rows => ({
        result: { key: rows.keys[0], range: rows.range.map(place) },
      }));
      assert.deepEqual(read?.range, within);
      assert.equal(
        read?.key !== undefined,
        sorted.some(row => byPlace(row, place(from)) === 0),
      );
    }
  });

  suite.law('law 1: the longest keys are put over, deleted and put again', async (store, space) => {
    const positions = product(parts, parts);
    await putAll(store, space, positions);
    await putAll(store, space, positions);
    assert.equal((await scanAll(store, space)).length, positions.length);
    const [gone, kept] = [positions.filter(isOdd), positions.filter((_, index) => index % 2 === 0)];
    for (const { partition, key } of gone) await remove(store, space, partition, [key]);
    assert.deepEqual((await scanAll(store, space)).map(place), kept.map(place).toSorted(byPlace));
    for (const { partition, key } of gone) {
      assert.deepEqual(await store.read(space, partition, [key]), [undefined]);
    }
    for (const partition of parts) await remove(store, space, partition, parts);
    assert.deepEqual(await scanAll(store, space), []);
    await putAll(store, space, gone);
    assert.deepEqual((await scanAll(store, space)).map(place), gone.map(place).toSorted(byPlace));
  });
}

async function putAll(store: Store, space: Space, positions: readonly Position[]): Promise<void> {
  const partitions = new Map<string, string[]>();
  for (const { partition, key } of positions) {
    const keys = partitions.get(partition) ?? [];
    keys.push(key);
    partitions.set(partition, keys);
  }
  const commits = [...partitions].map(([partition, keys]) => {
    const puts = keys.map(key => ({ key, value: Buffer.from(name({ partition, key })) }));
    return store.commit(space, partition, NO_READS, () => ({ result: true, puts }));
  });
  await Promise.all(commits);
}

function product(partitions: readonly string[], keys: readonly string[]): Position[] {
  return partitions.flatMap(partition => keys.map(key => ({ partition, key })));
}

function place({ partition, key }: Position): [partition: string, key: string] {
  return [partition, key];
}

function byPlace(a: readonly [string, string], b: readonly [string, string]): number {
  const index = a[0] === b[0] ? 1 : 0;
  if (a[index] === b[index]) return 0;
  return a[index] < b[index] ? -1 : 1;
}

/** Identifies positions in a row's value; JSON escapes lone surrogates, which UTF-8 could not. */
function name({ partition, key }: Position): string {
  return JSON.stringify([partition, key]);
}

function isOdd(_: unknown, index: number): boolean {
  return index % 2 === 1;
}
