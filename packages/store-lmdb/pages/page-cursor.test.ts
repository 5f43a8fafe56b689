// Compares reading by pages with the package's own cursor on random trees: shallow ones with short keys, deep ones with
// keys so long that two fill a page, with values of every length around the one from which they have pages of their
// own. While writers continue, compares a snapshot with its earlier state.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import { StoreError } from '#store';
import { CHUNK_MAX, type Environment, openEnvironment } from '../environment.js';
import { LONG_TREE, ROWS_TREE } from '../layout/rows.js';
import { PAGE_BYTES } from '../lmdb/file-head.js';
import { FileMap } from '../lmdb/file-map.js';
import { PAGE_HEADER_BYTES } from '../lmdb/page-format.js';
import type { EntryCursor, TreeRange } from '../lmdb/tree.js';
import { newDirectory } from '../testing/fixture.js';
import { PageCursor, type SnapshotTrees, TreeReader } from './tree-reader.js';

const SPACE = 1;
const KEY_END = Buffer.of(0xff, 0xff, 0xff, 0xff);
const WHOLE: TreeRange = { start: Buffer.alloc(0), end: KEY_END };

/** So few that long values lie in two segments. */
const SEGMENT_PAGES = 5;

interface Subject {
  readonly environment: Environment;
  readonly map: FileMap;
  readonly reader: TreeReader;
}

async function open(t: TestContext): Promise<Subject> {
  const directory = newDirectory(t);
  const environment = openEnvironment({ directory, durability: 'none', exclusive: true });
  const map = FileMap.of(environment.path, SEGMENT_PAGES);
  assert(map !== undefined, 'the file is mapped');
  t.after(async () => {
    map.close();
    await environment.close();
  });
  return { environment, map, reader: new TreeReader(environment.last, map, environment.path) };
}

/** What a key is made of: a short description of a long key. */
interface Name {
  readonly bytes: number;
  readonly number: number;
}

/** Of two letters, so that keys are often prefixes of each other. */
function keyOf({ bytes, number }: Name): Buffer {
  const text = number.toString(2);
  return Buffer.concat([
    Buffer.of(0, 0, 0, SPACE),
    Buffer.from(text.padEnd(bytes, text).slice(0, CHUNK_MAX)),
  ]);
}

/** A row's name, and the length of its value; without a length it removes the row. */
interface Put {
  readonly name: Name;
  readonly length: number | undefined;
  readonly fill: number;
}

const write = ({ environment }: Subject, puts: readonly Put[]): Promise<void> =>
  environment.transaction(() => {
    for (const { name, length, fill } of puts) {
      environment.rows.apply(keyOf(name), length === undefined ? undefined : Buffer.alloc(length, fill));
    }
  });

function newest({ reader }: Subject): SnapshotTrees {
  const found = reader.newest();
  assert(found !== undefined, 'the file can be read by pages');
  return found;
}

const openPages = ({ snapshot, roots }: SnapshotTrees, range: TreeRange): EntryCursor =>
  new PageCursor(snapshot, roots.get(ROWS_TREE), range);

/** The entry that the cursor is at, short enough to compare and print many of them. */
function entryOf({ span, value }: EntryCursor): string {
  const digest = createHash('sha1').update(span.copy()).update(value.view()).digest('base64');
  return `${span.until - span.from} ${value.until - value.from} ${digest}`;
}

function entriesOf(cursor: EntryCursor): string[] {
  const found: string[] = [];
  while (cursor.next(found.length % 3 > 0)) found.push(entryOf(cursor));
  assert.equal(cursor.next(), false);
  cursor.close();
  assert.equal(cursor.next(), false);
  return found;
}

const nameOf = (bytes: fc.Arbitrary<number>): fc.Arbitrary<Name> =>
  fc.record({ bytes, number: fc.nat(5_000) });
const shortNames = nameOf(fc.nat(20));
/** They make trees deep: two of the longest fill a page. */
const longNames = nameOf(fc.oneof(fc.integer({ min: 1_000, max: 4_000 }), fc.constant(CHUNK_MAX)));
const mixedNames = fc.oneof(shortNames, longNames, nameOf(fc.nat(600)));
const anyNames = fc.constantFrom(shortNames, longNames, mixedNames);

const length = fc.oneof(
  { weight: 6, arbitrary: fc.nat(40) },
  { weight: 3, arbitrary: fc.nat(1_200) },
  // From half a page on a value has pages of its own; its length fills these at multiples of a page less its header.
  { weight: 2, arbitrary: fc.integer({ min: 3_900, max: 4_120 }) },
  { weight: 1, arbitrary: fc.constantFrom(8_167, 8_168, 8_169, 16_360, 16_361) },
  { weight: 1, arbitrary: fc.nat(70_000) },
);
const putOf = (name: fc.Arbitrary<Name>): fc.Arbitrary<Put> =>
  fc.record({
    name,
    length: fc.oneof({ weight: 4, arbitrary: length }, { weight: 1, arbitrary: fc.constant(undefined) }),
    fill: fc.nat(255),
  });

/** Bounds are keys of rows, by position, or others: each row's key is a bound of pages somewhere. */
type Bound = Name | number;
const boundOf = (name: fc.Arbitrary<Name>): fc.Arbitrary<Bound> => fc.oneof(fc.nat(10_000), name);
const rangeOf = (name: fc.Arbitrary<Name>) =>
  fc.record({ start: boundOf(name), end: boundOf(name), isInclusive: fc.boolean() });
interface AnyRange {
  readonly start: Bound;
  readonly end: Bound;
  readonly isInclusive: boolean;
}

/** The whole tree, and these. */
function rangesOf(ranges: readonly AnyRange[], transactions: readonly (readonly Put[])[]): TreeRange[] {
  const names = transactions.flat().map(({ name }) => name);
  const bound = (either: Bound): Buffer => {
    const name = typeof either === 'number' ? names[either % names.length] : either;
    return name === undefined ? KEY_END : keyOf(name);
  };
  const found = ranges.map(({ start, end, isInclusive }) => ({
    start: bound(start),
    end: bound(end),
    isInclusive,
  }));
  return [WHOLE, ...found];
}

/** Transactions one after the other, and the ranges that are read then. */
const history = anyNames.chain(name =>
  fc.record({
    transactions: fc.array(fc.array(putOf(name), { maxLength: 120, size: 'max' }), {
      minLength: 1,
      maxLength: 6,
    }),
    ranges: fc.array(rangeOf(name), { minLength: 1, maxLength: 24, size: 'max' }),
    /** How many entries are read before each transaction of the writers. */
    steps: fc.nat(30),
  }),
);

const clear = (subject: Subject): Promise<void> =>
  subject.environment.transaction(() => {
    const { tree } = subject.environment.rows.spaceBranch(SPACE);
    for (const key of tree.keys(WHOLE, Number.POSITIVE_INFINITY)) tree.remove(key);
  });

test('pages have the entries that the cursor has, in every range of every tree', async t => {
  const subject = await open(t);
  const { environment } = subject;
  const depths = new Set<number>();
  const property = fc.asyncProperty(history, async ({ transactions, ranges: asked }) => {
    const ranges = rangesOf(asked, transactions);
    await clear(subject);
    // One entry first: a tree of one page is there in every run.
    for (const puts of [transactions.flat().slice(0, 1), ...transactions]) {
      await write(subject, puts);
      environment.snapshot.invalidate();
      environment.snapshot.refresh();
      const transaction = environment.useReadTransaction();
      try {
        const trees = newest(subject);
        depths.add(trees.roots.get(ROWS_TREE)?.depth ?? 0);
        assert.equal(trees.roots.get(LONG_TREE), undefined);
        const { tree } = environment.rows.spaceBranch(SPACE);
        for (const range of ranges) {
          assert.deepEqual(entriesOf(openPages(trees, range)), entriesOf(tree.range(range, transaction)));
        }
      } finally {
        transaction.done();
      }
    }
  });
  await fc.assert(property, { numRuns: randomRuns(150) });
  assert(Math.max(...depths) >= 5 && depths.has(1), `depths ${[...depths].join()}`);
});

test('a snapshot stays as it was while others write to its file and later scans come and go', async t => {
  const subject = await open(t);
  const { environment } = subject;
  const property = fc.asyncProperty(history, async ({ transactions, ranges: asked, steps }) => {
    const ranges = rangesOf(asked, transactions);
    await clear(subject);
    await write(subject, transactions[0] ?? []);
    environment.snapshot.invalidate();
    environment.snapshot.refresh();
    const transaction = environment.useReadTransaction();
    const trees = newest(subject);
    const cursors = ranges.map(range => openPages(trees, range));
    const { tree } = environment.rows.spaceBranch(SPACE);
    const expected = ranges.map(range => entriesOf(tree.range(range, transaction)));
    const found = ranges.map((): string[] => []);
    const read = (most: number): void => {
      for (const [index, cursor] of cursors.entries()) {
        for (let count = 0; count < most && cursor.next(); count += 1) found[index]?.push(entryOf(cursor));
      }
    };
    for (const puts of transactions.slice(1)) {
      read(steps);
      // Every transaction writes to pages that the last but one freed.
      await write(subject, puts);
      await clear(subject);
      await write(subject, puts);
      const later = environment.useReadTransaction();
      assert.equal(entriesOf(openPages(newest(subject), WHOLE)).length, survivors(puts));
      later.done();
    }
    read(Number.POSITIVE_INFINITY);
    for (const cursor of cursors) cursor.close();
    transaction.done();
    assert.deepEqual(found, expected);
  });
  await fc.assert(property, { numRuns: randomRuns(75) });
});

/** How many rows a transaction leaves of a tree that was empty. */
function survivors(puts: readonly Put[]): number {
  const lengths = new Map(puts.map(({ name, length: bytes }) => [keyOf(name).toString('latin1'), bytes]));
  return [...lengths.values()].filter(bytes => bytes !== undefined).length;
}

test('damage is reported as such, and is never followed', async t => {
  const subject = await open(t);
  const { environment, map } = subject;
  const puts = Array.from({ length: 3_000 }, (_, index): Put => {
    const name = { bytes: index % 7 === 0 ? 300 : 8, number: 4_096 + index };
    return { name, length: index % 50 === 0 ? 9_000 : 100, fill: index % 256 };
  });
  await write(subject, puts);
  const { size } = statSync(environment.path);
  const file = openSync(environment.path, 'r+');
  t.after(() => closeSync(file));
  const pages = size / PAGE_BYTES;
  const damage = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        page: fc.integer({ min: 2, max: pages - 1 }),
        at: fc.oneof(fc.nat(40), fc.nat(PAGE_BYTES - 16)),
        bytes: fc.uint8Array({ minLength: 1, maxLength: 16 }),
      }),
    },
    // A node that would be past the end of the file.
    {
      weight: 1,
      arbitrary: fc.record({
        page: fc.integer({ min: pages - 12, max: pages - 1 }),
        at: fc.constant(PAGE_HEADER_BYTES),
        bytes: fc.constant(Buffer.of(0xfe, 0xff)),
      }),
    },
  );
  let failures = 0;
  const property = fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), faults => {
    const before = faults.map(({ page }) => {
      const bytes = Buffer.alloc(PAGE_BYTES);
      readSync(file, bytes, 0, PAGE_BYTES, page * PAGE_BYTES);
      return bytes;
    });
    try {
      for (const { page, at, bytes } of faults)
        writeSync(file, bytes, 0, bytes.length, page * PAGE_BYTES + at);
      for (const each of [environment.map ?? map, map]) {
        const fresh = new TreeReader(environment.last, each, environment.path).newest();
        // The page with the trees' names: then the package's cursor is used.
        if (fresh !== undefined) entriesOf(openPages(fresh, WHOLE));
      }
    } catch (error) {
      assert(error instanceof StoreError, String(error));
      assert.equal(error.code, 'corrupt');
      failures += 1;
    } finally {
      for (const [index, { page }] of faults.entries()) {
        writeSync(file, before[index] ?? Buffer.alloc(0), 0, PAGE_BYTES, page * PAGE_BYTES);
      }
    }
  });
  fc.assert(property, { numRuns: 300 });
  assert(failures > 30, `${failures} of 300 were found`);
  assert.equal(entriesOf(openPages(newest(subject), WHOLE)).length, puts.length);
});
