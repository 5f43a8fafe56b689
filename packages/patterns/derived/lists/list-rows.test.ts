// The rows of lists: their limits, and that whatever changes do, rows together hold what a plain set holds, and readers tell torn reads from whole ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeEntity } from '../../model/encode-entity.js';
import { key } from '../../model/keys/key.js';
import { law } from '../../testing/law.js';
import type { Values } from '../../values/property.js';
import { t } from '../../values/property.js';
import { changeIds, type IdSet, idsOf } from './id-set.js';
import { list } from './list.js';
import {
  type Chunk,
  chunkFor,
  coversId,
  editChunk,
  HEAD,
  type Head,
  joinedChunks,
  LIMITS,
  type ListLimits,
  NO_LIST,
  neighbourOf,
  PIECE_BYTES,
  type RowEdits,
  readChunk,
  readHead,
} from './list-rows.js';

const ByName = list('ByName', {
  table: 'Lists',
  props: { name: t.string() },
  partition: key('lists'),
  row: p => key(p.name),
});

/** The rows of one list as a table would hold them, encoded as they are sent. */
class Rows {
  readonly rows = new Map<number, Values>();
  /** Of the last change. */
  written = 0;
  readonly #limits: ListLimits;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  change(ids: Iterable<string>, isIn: boolean): void {
    this.#change(new Map([...ids].map(id => [id, isIn])));
  }

  #change(changes: ReadonlyMap<string, boolean>): void {
    const { chunks, own: whole } = this.#head();
    const [first] = changes.keys();
    if (first === undefined) return;
    const chunk = whole ?? this.#chunk(chunkFor(chunks, first).number);
    assert(coversId(chunk, first));
    const own = new Map([...changes].filter(([id]) => coversId(chunk, id)));
    const ids = changeIds(chunk.ids, own);
    const beside = neighbourOf(chunks, chunk.number, ids, this.#limits);
    this.#apply(editChunk(chunks, chunk, ids, beside && this.#chunk(beside.number), this.#limits));
    this.#change(new Map([...changes].filter(([id]) => !own.has(id))));
  }

  chunks(): readonly Chunk[] {
    const numbers = [...this.rows.keys()].filter(number => number !== HEAD);
    return numbers.map(number => this.#chunk(number));
  }

  ids(): IdSet {
    const head = this.#head();
    const chunks = this.chunks().toSorted((a, b) => Buffer.compare(a.from, b.from));
    const entries = chunks.map(({ number, from }) => ({ number, from }));
    assert.deepEqual(head.own === undefined ? head.chunks : [], entries);
    const ids = head.own?.ids ?? joinedChunks(chunks);
    assert(ids);
    return ids;
  }

  #head(): Head {
    const values = this.rows.get(HEAD);
    const head = values === undefined ? NO_LIST : readHead(values);
    assert(head);
    return head;
  }

  #chunk(number: number): Chunk {
    const chunk = readChunk(this.rows.get(number) ?? {});
    assert(chunk);
    return chunk;
  }

  /** Throws TooLarge for what the service would refuse. */
  #apply(edits: RowEdits): void {
    this.written = edits.size;
    for (const [number, values] of edits) {
      if (values === null) assert(this.rows.delete(number) || number === HEAD);
      else {
        const { value, properties } = encodeEntity(ByName.rows, { name: 'a', ...values } as never);
        for (const { bytes } of properties) assert(bytes <= PIECE_BYTES + 40);
        this.rows.set(number, value);
      }
    }
  }
}

/** An id of so many bytes, with the two of its length, that sorts by its number. */
const idOf = (at: number, bytes: number): string => `${String(at).padStart(6, '0')}`.padEnd(bytes - 2, 'x');

/** Ids whose entries have so many bytes together. */
function idsOfBytes(bytes: number): readonly string[] {
  const each = 4_000;
  const count = Math.floor(bytes / each) - 1;
  const rest = bytes - count * each;
  const ids = Array.from({ length: count }, (_, at) => idOf(at, each));
  return [...ids, idOf(count, Math.ceil(rest / 2)), idOf(count + 1, Math.floor(rest / 2))];
}

for (const [what, bytes] of [
  ['a piece', PIECE_BYTES],
  ['64 KiB', 65_536],
  ['a head', LIMITS.head],
  ['1 MiB', 1_048_576],
  ['twice a head', 2 * LIMITS.head],
] as const)
  for (const more of [-1, 0, 1])
    test(`a list of ${what} and ${more} bytes`, () => {
      const rows = new Rows();
      const ids = idsOfBytes(bytes + more);
      rows.change(ids, true);
      const whole = rows.ids();
      assert.equal(whole.bytes.length, bytes + more);
      assert.deepEqual(idsOf(whole), ids);
      assert.equal(rows.rows.size > 1, bytes + more > LIMITS.head);
      const [first = '', ...others] = ids;
      rows.change([first], false);
      assert.deepEqual(idsOf(rows.ids()), others);
      rows.change([first], true);
      assert.deepEqual(idsOf(rows.ids()), ids);
    });

/** Some ten ids of 20 bytes in a chunk. */
const SMALL: ListLimits = { head: 400, chunk: 200 };

test('one id more divides a full row, and one less changes one row', () => {
  const rows = new Rows();
  const ids = idsOfBytes(LIMITS.head);
  rows.change(ids, true);
  assert.deepEqual([...rows.rows.keys()], [HEAD]);
  rows.change(['0000005'], true);
  const chunks = rows.chunks();
  assert.equal(rows.written, chunks.length + 1);
  assert(chunks.every(chunk => chunk.ids.bytes.length < 0.6 * LIMITS.chunk));
  rows.change(['0000005'], false);
  assert.equal(rows.written, 1);
  for (let at = 0; rows.chunks().length === chunks.length; at++) {
    assert(at < 200);
    rows.change([idOf(500_000 + at, 4_000)], true);
  }
  assert.equal(rows.written, 3, 'the head, and the two halves of a chunk');
});

test('what rows hold is what a plain set holds, as it grows and shrinks', () => {
  const step = fc.tuple(fc.nat(199), fc.integer({ min: 1, max: 120 }), fc.boolean());
  law(
    fc.property(fc.array(step, { maxLength: 12 }), steps => {
      const rows = new Rows(SMALL);
      const plain = new Set<string>();
      for (const [from, count, isIn] of steps) {
        const ids = Array.from({ length: count }, (_, at) => idOf((from + at) % 200, 20));
        rows.change(ids, isIn);
        for (const id of ids) isIn ? plain.add(id) : plain.delete(id);
        assert.deepEqual(idsOf(rows.ids()), [...plain].sort());
      }
      for (const id of plain) rows.change([id], false);
      assert.equal(rows.rows.size, 0, 'an empty list has no row');
    }),
    { cost: 100, least: 30 },
  );
});

test('a read of chunks between which others were split or merged is told from a whole one', () => {
  law(
    fc.property(
      fc.array(fc.tuple(fc.nat(400), fc.boolean()), { minLength: 30, maxLength: 200 }),
      fc.nat(),
      (steps, cut) => {
        const rows = new Rows(SMALL);
        const ids = Array.from({ length: 100 }, (_, at) => idOf(at * 4, 20));
        rows.change(ids, true);
        const before = rows.chunks();
        const held = idsOf(rows.ids());
        const added = new Set(steps.filter(([, isIn]) => isIn).map(([at]) => idOf(at, 20)));
        const taken = new Set(steps.filter(([, isIn]) => !isIn).map(([at]) => idOf(at, 20)));
        for (const id of added) rows.change([id], true);
        for (const id of taken) rows.change([id], false);
        const after = rows.chunks();
        // A reader has the first rows of before, and all rows behind them as they are after.
        const last = before[cut % before.length]?.number ?? 0;
        const read = [
          ...before.filter(({ number }) => number <= last),
          ...after.filter(({ number }) => number > last),
        ];
        const joined = joinedChunks(read);
        if (joined === undefined) return;
        const found = idsOf(joined);
        assert.equal(new Set(found).size, found.length, 'none is there twice');
        const missing = held.filter(id => !taken.has(id) && !found.includes(id));
        assert.deepEqual(missing, []);
      },
    ),
    { cost: 100, least: 30 },
  );
});
