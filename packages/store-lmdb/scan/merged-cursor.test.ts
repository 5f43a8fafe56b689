// Compares scans over the tree and the overlay with a sorted list of all rows, on an LMDB file: while rows move into
// the tree during a scan, and while others use the tree between two rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '#base';
import { codePoint } from '#base/testing';
import { randomRuns } from '#base/testing/random-runs';
import { copyRow, type Position, type Row, type RowInPlace, type ScanEnd, type ScanRange } from '#store';
import type { Environment } from '../environment.js';
import { Counters } from '../layout/catalog.js';
import { fits } from '../layout/rows.js';
import { bytesOf, type Change, newChange, Overlay, rowOf } from '../overlay.js';
import { TreeReader } from '../pages/tree-reader.js';
import { EVERYTHING, environmentOf } from '../testing/fixture.js';
import { rowBytes } from '../testing/log-batch.js';
import { MergedCursor } from './merged-cursor.js';
import { PageWalk, type RowSource } from './page-walk.js';
import { RowCursor } from './row-cursor.js';

const CHUNK = 16;

/**
 * Prefixes of each other, both sides of the surrogates, halves of pairs, what is beyond the BMP, and the empty string.
 */
const TEXTS = ['', '\0', 'a', 'a\0', 'a\0\0', 'ab', 'b', 'é', '\ud7ff', '\ud83d', '😀', '\ue000', '\uffff'];

const partition = fc.constantFrom(...TEXTS);
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 2 }) },
);

const position: fc.Arbitrary<Position> = fc.record({ partition, key });

/** Some of them longer than 16 bytes, and prefixes of each other. */
const longPosition: fc.Arbitrary<Position> = fc.record({
  partition,
  key: fc.constantFrom('x'.repeat(15), 'x'.repeat(16), 'x'.repeat(40), `${'x'.repeat(40)}\0`, 'é'.repeat(20)),
});

const bound = fc.oneof({ weight: 4, arbitrary: position }, { weight: 1, arbitrary: longPosition });

/** Ranges of all kinds; some are empty, some reach to the end of their partition. */
const range: fc.Arbitrary<ScanRange> = fc.oneof(
  fc.constant({ from: { partition: '', key: '' } }),
  fc.record({ from: bound, until: fc.option(bound, { nil: undefined }) }),
  bound.map(from => ({ from, until: { partition: `${from.partition}\0`, key: '' } })),
  fc.tuple(bound, key).map(([from, end]) => ({ from, until: { partition: from.partition, key: end } })),
);

/** Law 1 of the store. */
function compare(a: Position, b: Position): number {
  if (a.partition !== b.partition) return a.partition < b.partition ? -1 : 1;
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}

function isWithin({ from, until }: ScanRange, place: Position): boolean {
  return compare(from, place) <= 0 && (until === undefined || compare(place, until) < 0);
}

/** One space: its tree, the overlay above it, and the model of both. */
class Subject {
  readonly overlay = new Overlay();
  readonly #environment: Environment;
  readonly #space: number;
  readonly #trees: TreeReader;
  readonly #counters = new Counters(systemClock);
  readonly #model = new Map<string, Row>();
  #changes: Change[] = [];
  #tick = 0n;

  constructor(environment: Environment, space: number) {
    this.#environment = environment;
    this.#space = space;
    this.#trees = new TreeReader(environment.last, environment.map, environment.path);
  }

  /** Without `size` it removes the row. A row too long for the overlay goes to the tree, once the overlay is empty. */
  async change({ partition, key }: Position, size: number | undefined): Promise<void> {
    this.#tick += 1n;
    const row = { partition, key, version: this.#tick, value: Buffer.alloc(size ?? 0, String(this.#tick)) };
    if (size === undefined) this.#model.delete(JSON.stringify([partition, key]));
    else this.#model.set(JSON.stringify([partition, key]), row);
    if (!fits(partition, key, CHUNK)) {
      await this.flush();
      const { catalog } = this.#environment;
      await this.#environment.transaction(() => {
        this.#counters.load(catalog);
        if (size === undefined) this.#environment.rows.remove(this.#space, partition, key);
        else this.#environment.rows.put(this.#space, row, this.#counters);
        this.#counters.save(catalog);
      });
      return;
    }
    const bytes = size === undefined ? undefined : rowBytes(row.version, row.value);
    const change = newChange([this.#space, partition, key], row.version, bytes, 0, bytes?.length);
    this.overlay.add(change, this.overlay.enter(this.#space, partition));
    this.overlay.settle(change, 1n);
    this.#changes.push(change);
  }

  /** Moves the overlay's rows to the tree. */
  async flush(): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    if (changes.length === 0) return;
    await this.#environment.transaction(() => {
      for (const change of changes) this.#environment.rows.apply(change.key, bytesOf(change));
    });
    for (const change of changes) this.overlay.forget(change);
  }

  get({ partition, key }: Position): Row | undefined {
    this.#environment.snapshot.refresh();
    const change = this.overlay.durable(this.#space, partition, key);
    return change === undefined ? this.#environment.rows.get(this.#space, partition, key) : rowOf(change);
  }

  expected(range: ScanRange): Row[] {
    return [...this.#model.values()].filter(row => isWithin(range, row)).sort(compare);
  }

  /** A cursor over a snapshot with what is now in the tree and in the overlay. */
  async walk<T>(range: ScanRange, use: (cursor: RowSource) => Promise<T> | T): Promise<T> {
    this.#environment.snapshot.refresh();
    const transaction = this.#environment.useReadTransaction();
    const tree = new RowCursor(this.#environment.rows, this.#space, range, this.#trees.within(transaction));
    const cursor = new MergedCursor(tree, this.overlay.within(this.#space, range, 'durable'));
    try {
      return await use(cursor);
    } finally {
      cursor.close();
      transaction.done();
    }
  }
}

const inPlace = ({ partition, key, version, value }: Row): Row => {
  return { partition, key, version, value: Buffer.from(value) };
};

const change = fc.record({
  kind: fc.constant('change' as const),
  place: fc.oneof({ weight: 8, arbitrary: position }, { weight: 1, arbitrary: longPosition }),
  size: fc.option(fc.oneof(fc.nat(40), fc.constant(20_000)), { nil: undefined }),
});
const flush = fc.record({ kind: fc.constant('flush' as const) });
const walk = fc.record({
  kind: fc.constant('walk' as const),
  range,
  /** What others do between one row and the next. */
  others: fc.array(fc.oneof({ weight: 4, arbitrary: change }, { weight: 1, arbitrary: flush }), {
    maxLength: 8,
  }),
});
const step = fc.oneof(
  { weight: 10, arbitrary: change },
  { weight: 1, arbitrary: flush },
  { weight: 3, arbitrary: walk },
);
type Small = { kind: 'flush' } | { kind: 'change'; place: Position; size: number | undefined };

async function take(subject: Subject, each: Small): Promise<void> {
  if (each.kind === 'flush') return subject.flush();
  await subject.change(each.place, each.size);
  assert.equal(subject.get(each.place)?.value.length, each.size);
}

function assertKeyInPlace({ key, bytes, keyFrom, keyUntil }: RowInPlace): void {
  if (keyFrom >= 0 && /^[ -~]*$/.test(key)) assert.equal(bytes.toString('latin1', keyFrom, keyUntil), key);
}

async function checkWalk(subject: Subject, range: ScanRange, others: Small[]): Promise<void> {
  const expected = subject.expected(range);
  await subject.walk(range, async cursor => {
    const seen: Row[] = [];
    const copies: Row[] = [];
    for (let index = 0; cursor.next(); index += 1) {
      seen.push(inPlace(cursor.row));
      copies.push(copyRow(cursor.row));
      assertKeyInPlace(cursor.row);
      const other = others[index % (others.length + 1)];
      if (other !== undefined) await take(subject, other);
      // Reading any row of the tree reuses the memory that the cursor's row was in.
      subject.get({ partition: 'a', key: 'ab' });
    }
    assert.deepEqual(seen, expected);
    assert.deepEqual(copies, expected);
    assert.equal(cursor.next(), false);
  });
}

test('a scan shows the rows as they were when it began, whatever moves into the tree since', async t => {
  const environment = environmentOf(t, { chunk: CHUNK });
  let space = 0;
  const histories = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' });
  const property = fc.asyncProperty(histories, async steps => {
    space += 1;
    const subject = new Subject(environment, space);
    for (const each of steps) {
      if (each.kind === 'walk') await checkWalk(subject, each.range, each.others);
      else await take(subject, each);
    }
    await checkWalk(subject, EVERYTHING, []);
    await subject.flush();
    assert.equal(subject.overlay.isEmpty, true);
    await checkWalk(subject, EVERYTHING, []);
  });
  await fc.assert(property, { numRuns: randomRuns(125) });
});

test('pages over both follow each other without a gap and without a repetition', async t => {
  const environment = environmentOf(t, { chunk: CHUNK });
  let space = 1_000_000;
  const histories = fc.array(fc.oneof({ weight: 9, arbitrary: change }, { weight: 1, arbitrary: flush }), {
    minLength: 20,
    maxLength: 80,
    size: 'max',
  });
  const property = fc.asyncProperty(
    histories,
    range,
    fc.integer({ min: 1, max: 5 }),
    async (steps, all, rows) => {
      space += 1;
      const subject = new Subject(environment, space);
      for (const each of steps) await take(subject, each);
      const found: Row[] = [];
      const budget = { rows, bytes: 30_000, examined: 7, milliseconds: 10_000 };
      const accept = ({ value }: Row): boolean => value.length % 2 === 0;
      const visit = (row: Row): boolean => accept(row) && found.push(inPlace(row)) > 0;
      for (let from: Position | undefined = all.from; from !== undefined; ) {
        const end: ScanEnd | undefined = await subject.walk({ ...all, from }, cursor =>
          new PageWalk(cursor, budget, visit, systemClock).walk(Number.POSITIVE_INFINITY),
        );
        assert(end !== undefined);
        from = end.next;
      }
      assert.deepEqual(found, subject.expected(all).filter(accept));
    },
  );
  await fc.assert(property, { numRuns: randomRuns(100) });
});
