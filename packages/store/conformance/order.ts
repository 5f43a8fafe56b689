// Law 1: rows in the order of (partition, key), each by UTF-16 code unit, for arbitrary strings.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { KEY_LENGTH_MAX, type Position, type Space, type Store } from '../store.js';
import { NO_READS, remove, type Suite, scanAll, UNBOUNDED } from './suite.js';

/** Strings that are close or misordered in encodings that a database may use: each unit of the first one, and others. */
const NASTY = [
  '',
  ...'\u0000\u0001\u0002 aAb\u007f\u0080\u07ff\u0800é\ud7ff\ud800\ud83d\ude00\udfff\ue000\ufffd\uffff'.split(
    '',
  ),
  '\u0000\u0000',
  '\u0000\u0001',
  '\u0001\u0000',
  '\u0001\u0001',
  '  ',
  'a\u0000',
  'a\u0000b',
  'a\u0001',
  'a ',
  'aa',
  'ab',
  'e\u0301',
  '\ud800a',
  '\ud83d\ude00',
  '\uffff\uffff',
];
const OVERLONG = '\uffff'.repeat(KEY_LENGTH_MAX + 1);

/** Prefixes of one another, up to the longest key there is, and neighbours of each. */
const longOnes = (longest: number): readonly string[] => [
  ...[0, 1, 2, longest / 2, longest - 3, longest - 1, longest].map(length => '\uffff'.repeat(length)),
  `${'\uffff'.repeat(longest - 1)}a`,
  `${'\uffff'.repeat(longest - 1)}\u0000`,
  `${'\uffff'.repeat(longest / 2)}\u0000`,
  `${'\uffff'.repeat(longest / 2)}é`,
  'a'.repeat(longest),
  '\u0000'.repeat(longest),
];

export function orderLaws(suite: Suite): void {
  for (const [kind, parts] of [
    ['strange', NASTY],
    ['the longest', longOnes(suite.keyLength)],
  ] as const) {
    suite.law(`law 1: ${kind} keys are found, put over, deleted and put again`, (store, space) =>
      findKeys(store, space, parts),
    );
    suite.law(`law 1: any bounds among ${kind} keys cut the rows where < cuts them`, (store, space) =>
      cutRows(store, space, parts),
    );
  }
}

async function findKeys(store: Store, space: Space, parts: readonly string[]): Promise<void> {
  const all = product(parts, parts);
  const assertThere = async (there: readonly Position[]): Promise<void> => {
    const expected = there.map(place).toSorted(byPlace);
    for (const rows of [7, 1000]) {
      const scanned = await scanAll(store, space, undefined, { ...UNBOUNDED, rows });
      assert.deepEqual(scanned.map(place), expected, `pages of ${rows}`);
    }
    const names = new Set(there.map(name));
    for (const partition of parts) {
      const rows = await store.read(space, partition, parts);
      const values = parts
        .map(key => name({ partition, key }))
        .map(each => (names.has(each) ? each : undefined));
      assert.deepEqual(
        rows.map(row => row?.value.toString()),
        values,
      );
    }
  };
  const kept = all.filter((_, index) => index % 2 === 0);
  await putAll(store, space, kept);
  await assertThere(kept);
  await putAll(store, space, all);
  for (const partition of parts) {
    const gone = all.filter((position, index) => position.partition === partition && index % 2 === 1);
    await remove(
      store,
      space,
      partition,
      gone.map(({ key }) => key),
    );
  }
  await assertThere(kept);
  for (const partition of parts) await remove(store, space, partition, [...parts]);
  await assertThere([]);
  await putAll(store, space, kept);
  assert.deepEqual((await scanAll(store, space)).map(place), kept.map(place).toSorted(byPlace));
}

/** Scans, and ranges that commits read. */
async function cutRows(store: Store, space: Space, parts: readonly string[]): Promise<void> {
  const positions = product(parts, parts).filter((_, index) => index % 3 === 0);
  await putAll(store, space, positions);
  const sorted = positions.map(place).toSorted(byPlace);
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...parts) },
    fc.constantFrom(OVERLONG, `${OVERLONG}a`, 'a'.repeat(3000), `a${'\u0000'.repeat(5000)}`),
    fc.string({ unit: codePoint, maxLength: 3 }),
  );
  const bound = fc.record({ partition: part, key: part });
  const within = (from: Position, until: Position | undefined) =>
    sorted.filter(
      row => byPlace(row, place(from)) >= 0 && (until === undefined || byPlace(row, place(until)) < 0),
    );
  await fc.assert(
    fc.asyncProperty(bound, fc.option(bound, { nil: undefined }), async (from, until) => {
      assert.deepEqual((await scanAll(store, space, { from, until })).map(place), within(from, until));
      const { partition, key } = from;
      if (partition.length > KEY_LENGTH_MAX) return;
      const end = until?.key ?? OVERLONG;
      const reads = { keys: [], range: { from: key, until: end, rows: 1000 } };
      const read = await store.commit(space, partition, reads, rows => ({ result: rows.range.map(place) }));
      assert.deepEqual(read, within(from, { partition, key: end }));
    }),
    { numRuns: 60 },
  );
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
