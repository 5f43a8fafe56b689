// Contents over the life of a store: what is there after it was opened again, the close, and a full store.
import assert from 'node:assert/strict';
import type { StoreWithContent } from '../content.js';
import { StoreError } from '../store-error.js';
import { assertGone, bytesOf, idsOf, isMissing, put, readAll, written } from './content-suite.js';
import { createSpace, type Suite } from './suite.js';

const MEBIBYTE = 1024 * 1024;

export function contentLifetimeLaws(suite: Suite<StoreWithContent>, bytesMax: number | undefined): void {
  reopenLaws(suite);
  suite.law('content: after the close every call fails with closed', async (store, space) => {
    const { content } = store;
    const bytes = bytesOf(3 * MEBIBYTE);
    const id = await put(content, space, bytes);
    const [begun, unwritten] = [await content.create(space), await content.create(space)];
    await begun.write(bytes);
    const finishing = Array.from({ length: 10 }, (_, index) => written(content, space, bytesOf(index)));
    await Promise.allSettled(finishing);
    await store.close();
    const calls: (() => Promise<unknown>)[] = [
      () => content.create(space),
      () => readAll(content, space, id, 0, 1),
      () => content.drop(space, id),
      () => idsOf(content, space),
      () => begun.write(bytes),
      () => begun.finish(),
      () => unwritten.finish(),
    ];
    for (const call of calls) await assert.rejects(call(), isClosed, call.toString());
    assert.throws(() => content.pin(), isClosed);
    await begun.discard();
    begun.release();
  });
  if (bytesMax !== undefined) fullLaws(suite, bytesMax);
}

function reopenLaws(suite: Suite<StoreWithContent>): void {
  suite.law(
    'content: what was finished is there after the store was opened again',
    async (store, space, { reopen }) => {
      if (reopen === undefined) return;
      const lengths = [0, 1, 100_000, 3 * MEBIBYTE];
      const made = await Promise.all(lengths.map(length => put(store.content, space, bytesOf(length))));
      const unreleased = await written(store.content, space, bytesOf(7));
      const begun = await store.content.create(space);
      await begun.write(bytesOf(MEBIBYTE));
      const dropped = await put(store.content, space, bytesOf(10));
      await store.content.drop(space, dropped);
      let again = await reopen();
      for (let times = 0; times < 3; times += 1) {
        assert.deepEqual(await idsOf(again.content, space), [...made, unreleased.id].toSorted());
        for (const [index, id] of made.entries()) {
          const length = lengths[index] ?? 0;
          assert((await readAll(again.content, space, id, 0, length)).equals(bytesOf(length)));
        }
        await assertGone(again.content, space, begun.id);
        again = await reopen();
      }
    },
  );

  suite.law('content: ids are never reused, also after an opening', async (first, space, { reopen }) => {
    const seen = new Set<string>();
    let store = first;
    for (let times = 0; times < 4; times += 1) {
      for (let count = 0; count < 20; count += 1) {
        const writer = await store.content.create(space);
        assert(!seen.has(writer.id));
        seen.add(writer.id);
        await writer.write(bytesOf(10));
        await writer.discard();
      }
      if (reopen !== undefined) store = await reopen();
    }
  });

  suite.law(
    'content: those of a space that was dropped before the close are reclaimed after it',
    async (store, space, { reopen }) => {
      if (reopen === undefined) return;
      const kept = await createSpace(store, 'kept');
      const some = Array.from({ length: 200 }, (_, index) => put(store.content, space, bytesOf(index + 1)));
      const ids = await Promise.all(some);
      const other = await put(store.content, kept, bytesOf(100));
      const pin = store.content.pin();
      await store.dropSpace(space);
      const again = await reopen();
      pin.release();
      for (const id of ids) await assertGone(again.content, space, id);
      assert.deepEqual(await readAll(again.content, kept, other, 0, 100), bytesOf(100));
    },
  );
}

function fullLaws(suite: Suite<StoreWithContent>, bytesMax: number): void {
  suite.law(
    'content: a full store refuses, leaves nothing, and takes more when there is space',
    async ({ content }, space) => {
      const ids: string[] = [];
      const part = bytesOf(Math.ceil(bytesMax / 4));
      const isFull = (error: unknown) => error instanceof StoreError && error.code === 'full';
      for (let refused = false; !refused; ) {
        const writer = await content.create(space);
        const put = async () => {
          for (let at = 0; at < part.length; at += MEBIBYTE)
            await writer.write(part.subarray(at, at + MEBIBYTE));
          await writer.finish();
        };
        await put().then(
          () => {
            writer.release();
            ids.push(writer.id);
          },
          error => {
            assert(isFull(error), String(error));
            refused = true;
          },
        );
        assert(ids.length < 5, 'It is never full.');
        if (!refused) continue;
        await assert.rejects(writer.write(part), isFull);
        await assert.rejects(writer.finish(), isFull);
        await writer.discard();
        await assert.rejects(readAll(content, space, writer.id, 0, 1), isMissing);
      }
      assert(ids.length > 0);
      assert.deepEqual(await idsOf(content, space), ids.toSorted());
      for (const id of ids) assert((await readAll(content, space, id, 0, part.length)).equals(part));
      await content.drop(space, ids[0] ?? '');
      await assertGone(content, space, ids[0] ?? '');
      const id = await put(content, space, part);
      assert((await readAll(content, space, id, 0, part.length)).equals(part));
    },
  );
}

const isClosed = (error: unknown): boolean => error instanceof StoreError && error.code === 'closed';
