// Contents are read as they were written: pieces, ranges, many at once. content-end.ts and content-lifetime.ts have the other laws.
import assert from 'node:assert/strict';
import { Crc64, nextTurn } from '#base';
import { CONTENT_PIECE_MAX, type StoreWithContent } from '../content.js';
import { bytesOf, idsOf, isMissing, put, readAll } from './content-suite.js';
import { createSpace, type Suite } from './suite.js';

const MEBIBYTE = 1024 * 1024;
const LENGTHS = [0, 1, 511, 4096, CONTENT_PIECE_MAX - 1, CONTENT_PIECE_MAX, CONTENT_PIECE_MAX + 1, 3_000_000];

export function contentLaws(suite: Suite<StoreWithContent>): void {
  writeLaws(suite);
  readLaws(suite);
  otherLaws(suite);
}

function writeLaws(suite: Suite<StoreWithContent>): void {
  suite.law(
    'content: is read as it was written, whatever its length and pieces, and has its CRC-64',
    async ({ content }, space) => {
      for (const length of LENGTHS) {
        const bytes = bytesOf(length);
        for (const pieceBytes of [Math.max(1000, length), 65_536, 999_999]) {
          const writer = await content.create(space);
          for (let at = 0; at < length; at += pieceBytes)
            await writer.write(bytes.subarray(at, at + pieceBytes));
          const what = `${length} in ${pieceBytes}`;
          assert((await writer.finish()).equals(new Crc64().update(bytes).digest()), what);
          assert((await readAll(content, space, writer.id, 0, length)).equals(bytes), what);
        }
      }
    },
  );

  suite.law('content: many pieces of any length, empty ones too', async ({ content }, space) => {
    const bytes = bytesOf(1_500_000);
    const writer = await content.create(space);
    let at = 0;
    for (let step = 0; at < bytes.length; step = (step + 37) % 2000) {
      await writer.write(bytes.subarray(at, at + step));
      at += step;
    }
    await writer.finish();
    assert((await readAll(content, space, writer.id, 0, bytes.length)).equals(bytes));
  });

  suite.law('content: a piece may be changed once its write is answered', async ({ content }, space) => {
    for (const length of [10, 70_000, 2 * CONTENT_PIECE_MAX]) {
      const writer = await content.create(space);
      const piece = Buffer.alloc(length);
      for (const letter of ['a', 'b', 'c']) {
        piece.fill(letter);
        await writer.write(piece);
      }
      piece.fill('x');
      await writer.finish();
      const read = await readAll(content, space, writer.id, 0, 3 * length);
      const expected = Buffer.concat(['a', 'b', 'c'].map(letter => Buffer.alloc(length, letter)));
      assert(read.equals(expected), `${length}`);
    }
  });
}

function readLaws(suite: Suite<StoreWithContent>): void {
  suite.law('content: ranges at their edges', async ({ content }, space) => {
    const length = 2 * CONTENT_PIECE_MAX + 100;
    const bytes = bytesOf(length);
    const id = await put(content, space, bytes);
    const edges = [0, 1, CONTENT_PIECE_MAX - 1, CONTENT_PIECE_MAX, CONTENT_PIECE_MAX + 1, length - 1, length];
    for (const from of edges) {
      for (const until of edges.filter(edge => edge >= from)) {
        const read = await readAll(content, space, id, from, until);
        assert(read.equals(bytes.subarray(from, until)), `${from}-${until}`);
      }
    }
    for (const [from, until] of [
      [0, length + 1],
      [length, length + 1],
      [length - 1, length + 1],
      [10 * length, 11 * length],
    ] as const)
      await assert.rejects(readAll(content, space, id, from, until), isMissing, `${from}-${until}`);
  });

  suite.law('content: pieces are at most 256 KiB, as fast as they are taken', async ({ content }, space) => {
    const bytes = bytesOf(8 * MEBIBYTE);
    const id = await put(content, space, bytes);
    let at = 0;
    for await (const piece of content.read(space, id, 0, bytes.length)) {
      assert(piece.length > 0 && piece.length <= CONTENT_PIECE_MAX);
      for (let turns = 0; turns < 3; turns += 1) await nextTurn();
      assert(piece.equals(bytes.subarray(at, at + piece.length)));
      at += piece.length;
    }
    assert.equal(at, bytes.length);
    for await (const piece of content.read(space, id, 0, bytes.length)) {
      assert(piece.length > 0);
      break;
    }
  });
}

function otherLaws(suite: Suite<StoreWithContent>): void {
  suite.law('content: many are written and read at once, each its own', async store => {
    const { content } = store;
    const spaces = [await createSpace(store, 'one'), await createSpace(store, 'two')];
    const tasks = Array.from({ length: 40 }, async (_, index) => {
      const space = spaces[index % 2] ?? assert.fail();
      const bytes = bytesOf(1000 + 40_000 * index, index + 1);
      const id = await put(content, space, bytes);
      assert((await readAll(content, space, id, 0, bytes.length)).equals(bytes), `${index}`);
      return { space, id };
    });
    const made = await Promise.all(tasks);
    assert.equal(new Set(made.map(({ id }) => id)).size, made.length);
    assert(made.every(({ id }) => /^[0-9A-Za-z]{1,40}$/.test(id)));
    for (const space of spaces) {
      const own = made.filter(one => one.space === space).map(({ id }) => id);
      assert.deepEqual(await idsOf(content, space), own.toSorted());
    }
  });

  suite.law('content: a missing one cannot be read', async (store, space) => {
    const { content } = store;
    const other = await createSpace(store, 'other');
    const id = await put(content, space, bytesOf(10));
    for (const strange of ['nobody', '', '../x', `${id}x`, '\u0000', 'x'.repeat(1000)]) {
      await assert.rejects(readAll(content, space, strange, 0, 1), isMissing, strange);
      await content.drop(space, strange);
    }
    await assert.rejects(readAll(content, other, id, 0, 1), isMissing, 'in another space');
    await content.drop(other, id);
    assert.deepEqual(await readAll(content, space, id, 0, 10), bytesOf(10));
  });
}
