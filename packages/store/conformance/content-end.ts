// The end of contents: dropped, discarded, with their space; and what reads in progress, and pins, keep of them.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { CONTENT_PIECE_MAX, type StoreWithContent } from '../content.js';
import { assertGone, bytesOf, idsOf, isMissing, put, readAll, written } from './content-suite.js';
import { createSpace, type Suite } from './suite.js';

export function contentEndLaws(suite: Suite<StoreWithContent>): void {
  dropLaws(suite);
  pinLaws(suite);
  listLaws(suite);
  spaceLaws(suite);
}

function dropLaws(suite: Suite<StoreWithContent>): void {
  suite.law(
    'content: a read in progress returns what was written, dropped or not',
    async ({ content }, space) => {
      const bytes = bytesOf(10 * CONTENT_PIECE_MAX);
      const id = await put(content, space, bytes);
      const readings = [content.read(space, id, 0, bytes.length), content.read(space, id, 0, bytes.length)];
      const begun = readings.map(reading => reading[Symbol.asyncIterator]());
      const pieces = await Promise.all(begun.map(async one => [(await one.next()).value]));
      await content.drop(space, id);
      await content.drop(space, id);
      await assertGone(content, space, id);
      for (const [index, one] of begun.entries()) {
        for (let next = await one.next(); next.done !== true; next = await one.next())
          pieces[index]?.push(next.value);
        assert(Buffer.concat(pieces[index] ?? []).equals(bytes));
      }
      assert.deepEqual(await idsOf(content, space), []);
    },
  );

  suite.law('content: what was discarded is gone, finished or not', async ({ content }, space) => {
    const large = bytesOf(5 * CONTENT_PIECE_MAX);
    const begun = await content.create(space);
    await begun.write(large);
    const finished = await written(content, space, large);
    const empty = await content.create(space);
    for (const writer of [begun, finished, empty]) {
      await writer.discard();
      await writer.discard();
      await assertGone(content, space, writer.id);
      await assert.rejects(writer.write(large), { name: 'StoreError' });
      await assert.rejects(writer.finish(), { name: 'StoreError' });
      writer.release();
    }
    assert.deepEqual(await idsOf(content, space), []);
  });
}

function pinLaws(suite: Suite<StoreWithContent>): void {
  suite.law(
    'content: what is dropped during a pin stays until it is released',
    async ({ content }, space) => {
      const [early, late] = [
        await put(content, space, bytesOf(100)),
        await put(content, space, bytesOf(200)),
      ];
      const first = content.pin();
      await content.drop(space, early);
      const second = content.pin();
      await content.drop(space, late);
      await pause(20);
      assert.deepEqual(await readAll(content, space, early, 0, 100), bytesOf(100));
      first.release();
      first.release();
      await assertGone(content, space, early);
      assert.deepEqual(await readAll(content, space, late, 0, 200), bytesOf(200), 'the second pin has it');
      second.release();
      await assertGone(content, space, late);
    },
  );

  suite.law('content: a pin keeps those of a space that is dropped', async (store, space) => {
    const { content } = store;
    const ids = await Promise.all([1, 2, 3].map(seed => put(content, space, bytesOf(1000, seed))));
    const pin = content.pin();
    await store.dropSpace(space);
    await pause(20);
    for (const [index, id] of ids.entries())
      assert.deepEqual(await readAll(content, space, id, 0, 1000), bytesOf(1000, index + 1));
    pin.release();
    for (const id of ids) await assertGone(content, space, id);
  });
}

function listLaws(suite: Suite<StoreWithContent>): void {
  suite.law(
    'content: unfinished contents, and finished ones that are not released, are not listed',
    async ({ content }, space) => {
      const begun = await content.create(space);
      await begun.write(bytesOf(3 * CONTENT_PIECE_MAX));
      const finished = await written(content, space, bytesOf(10));
      const released = await put(content, space, bytesOf(20));
      const empty = await put(content, space, bytesOf(0));
      assert.deepEqual(await idsOf(content, space), [released, empty].toSorted());
      begun.release();
      assert.deepEqual(await idsOf(content, space), [released, empty].toSorted(), 'It is not finished.');
      await begun.finish();
      for (const writer of [begun, finished]) {
        writer.release();
        writer.release();
      }
      const all = [begun.id, finished.id, released, empty];
      assert.deepEqual(await idsOf(content, space), all.toSorted());
      await content.drop(space, released);
      await assertGone(content, space, released);
      const left = all.filter(id => id !== released);
      assert.deepEqual(await idsOf(content, space), left.toSorted());
    },
  );

  suite.law('content: hundreds are listed, and dropped as they are', async ({ content }, space) => {
    const some = Array.from({ length: 300 }, (_, index) => put(content, space, bytesOf(index)));
    const ids = await Promise.all(some);
    assert.deepEqual(await idsOf(content, space), ids.toSorted());
    for await (const { id } of content.list(space)) await content.drop(space, id);
    assert.deepEqual(await idsOf(content, space), []);
  });
}

function spaceLaws(suite: Suite<StoreWithContent>): void {
  suite.law('content: those of a dropped space are removed, and no others', async (store, space) => {
    const { content } = store;
    const other = await createSpace(store, 'other');
    const ids = await Promise.all([1, 2, 3].map(seed => put(content, space, bytesOf(50_000, seed))));
    const kept = await put(content, other, bytesOf(1000));
    const unfinished = await content.create(space);
    await unfinished.write(bytesOf(2 * CONTENT_PIECE_MAX));
    const unreleased = await written(content, space, bytesOf(10));
    await store.dropSpace(space);
    const fresh = await createSpace(store);
    const renewed = await put(content, fresh, bytesOf(30));
    for (const id of ids) await assertGone(content, space, id);
    // Its row can no longer be committed, yet the writer may still finish it.
    await unfinished.finish().catch(error => assert(isMissing(error), String(error)));
    for (const writer of [unfinished, unreleased]) {
      writer.release();
      await assertGone(content, space, writer.id);
    }
    const late = await written(content, space, bytesOf(10));
    late.release();
    await assertGone(content, space, late.id);
    assert.deepEqual(await idsOf(content, space), []);
    assert.deepEqual(await readAll(content, other, kept, 0, 1000), bytesOf(1000));
    assert.deepEqual(await readAll(content, fresh, renewed, 0, 30), bytesOf(30));
  });
}
