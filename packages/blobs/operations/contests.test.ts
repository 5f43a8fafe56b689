// Writers that decide on what they saw before, while others change it each time: within one process they win, against others they go on for long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { ContentStore, Store } from '#store';
import { KEYS_END } from '../rows/keys.js';
import {
  accountOn,
  BLOB,
  deleteBlob,
  openAccount,
  openContainer,
  putBlob,
  readBlob,
  replacing,
  rowsOf,
  SECOND,
  type TestAccount,
  takeSnapshot,
} from '../testing/account.js';
import {
  blocksOf,
  clearPages,
  makePageBlob,
  putBlock,
  putList,
  putPages,
  rangesOf,
} from '../testing/parts.js';

/** Three times among others, and once alone. */
const ATTEMPTS = 4;

type Method = 'read' | 'scan' | 'commit';

/** The background work after a commit scans all rows of the blob. */
const isReclaiming = ([, range]: readonly unknown[]): boolean =>
  isDeepStrictEqual(range, { from: { partition: BLOB, key: '' }, until: { partition: BLOB, key: KEYS_END } });

/** Calls of the method come back once `after` was done. */
const storeWith = (store: Store, method: Method, after: () => Promise<unknown>): Store =>
  replacing(store, {
    [method]: async (...parts: unknown[]): Promise<unknown> => {
      const result: unknown = await Reflect.apply(store[method], store, parts);
      if (!isReclaiming(parts)) await after();
      return result;
    },
  });

/** As long as anything on the memory store takes. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

interface Contest {
  /** Of this process, whose calls of the method others follow at once. */
  readonly writer: TestAccount;
  readonly attempts: () => number;
  /** All that others did is over. */
  readonly ended: () => Promise<unknown>;
}

/** Others of the same process change the blob behind each look of the writer, if they may. */
function against(
  account: TestAccount,
  method: Method,
  change: (attempt: number) => Promise<unknown>,
): Contest {
  const changes: Promise<unknown>[] = [];
  const store = storeWith(account.store, method, async () => {
    changes.push(change(changes.length));
    await turns();
  });
  const writer = accountOn({ store, content: account.content }, account.time);
  Object.assign(writer.context, { background: account.context.background });
  return { writer, attempts: () => changes.length, ended: () => Promise.all(changes) };
}

test('a list is committed though others put a block behind each look, and what they put stays', async () => {
  const account = await openContainer();
  await putBlock(account, BLOB, 'a', 'first');
  const { writer, attempts, ended } = against(account, 'scan', attempt =>
    putBlock(account, BLOB, `b${attempt}`, 'other'),
  );
  await putList(writer, BLOB, ['a']);
  assert.equal(attempts(), ATTEMPTS);
  assert.equal((await readBlob(account, BLOB)).toString(), 'first');
  await ended();
  assert.deepEqual((await blocksOf(account, BLOB)).uncommitted, ['b3:5']);
});

test('a list is committed though others replace the blob behind each look', async () => {
  const account = await openContainer();
  await putBlob(account, BLOB, 'old');
  const { writer, attempts, ended } = against(account, 'scan', () => putBlob(account, BLOB, 'other'));
  await putList(writer, BLOB, []);
  assert.equal(attempts(), ATTEMPTS);
  await ended();
  assert.equal((await readBlob(account, BLOB)).toString(), 'other');
});

test('a list whose blocks were taken by others meanwhile is refused, not tried again', async () => {
  const account = await openContainer();
  await putBlock(account, BLOB, 'a', 'first');
  const { writer, attempts } = against(account, 'scan', () => putBlob(account, BLOB, 'other'));
  await assert.rejects(putList(writer, BLOB, ['a']), { code: 'InvalidBlockList' });
  assert.equal(attempts(), 2);
});

test('pages are put and cleared though others take a snapshot behind each look', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 65_536);
  const { writer, attempts, ended } = against(account, 'read', () => takeSnapshot(account, BLOB));
  await putPages(writer, BLOB, 0, Buffer.alloc(1024, 'p'));
  assert.equal(attempts(), ATTEMPTS);
  await clearPages(writer, BLOB, 512, 1024);
  assert.equal(attempts(), 2 * ATTEMPTS);
  await ended();
  assert.equal(await rangesOf(account, BLOB), '0-1');
});

test('snapshots are deleted as they are, in one commit, whatever others take and delete', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 65_536);
  for (const which of ['only', 'include'] as const) {
    const running = Array.from({ length: 40 }, (_, index) =>
      index % 4 === 3 ? deleteBlob(account, BLOB, 'only') : takeSnapshot(account, BLOB),
    );
    await Promise.all([...running, deleteBlob(account, BLOB, which)]);
    await account.settled();
    if (which === 'only') assert.ok((await rowsOf(account, BLOB)).includes('B'));
    else assert.deepEqual(await rowsOf(account, BLOB), []);
  }
});

test('sixteen writers of one blob, of whom some look first: all are answered', async () => {
  const account = await openContainer();
  const each = async (writer: number): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      const own = [`${writer}`, `${16 + ((writer + round) % 5)}`];
      const allowed = (code: string) => (error: unknown) => {
        assert.equal((error as { code?: unknown }).code, code);
      };
      for (const name of own) await putBlock(account, BLOB, name, Buffer.alloc(9000, name));
      await putList(account, BLOB, own).catch(allowed('InvalidBlockList'));
      await putList(account, BLOB, []);
      if (writer % 3 === 0) await putBlob(account, BLOB, `of ${writer}`);
      if (writer % 5 === 0) await deleteBlob(account, BLOB).catch(allowed('BlobNotFound'));
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, writer) => each(writer)));
  assert.equal(account.context.background.contests.areAny, false);
});

/** Another process, which does not wait for this one, puts a block while the list is made. */
async function amongProcesses(
  changes: number,
  ticks: bigint,
): Promise<{ list: Promise<unknown>; count: () => number }> {
  const account = await openContainer(openAccount());
  const other = accountOn({ store: account.store, content: account.content }, account.time);
  await putBlock(account, BLOB, 'a', 'first');
  let count = 0;
  const store = storeWith(account.store, 'scan', async () => {
    if (count === changes) return;
    count += 1;
    account.time.now += ticks;
    await putBlock(other, BLOB, `b${count}`, 'other');
  });
  const writer = accountOn({ store, content: account.content }, account.time);
  return { list: putList(writer, BLOB, ['a']), count: () => count };
}

test('against other processes a list is tried for thirty seconds', async () => {
  const won = await amongProcesses(200, SECOND / 10n);
  await won.list;
  assert.equal(won.count(), 200);
  const lost = await amongProcesses(Number.POSITIVE_INFINITY, SECOND);
  await assert.rejects(lost.list, { name: 'StoreError', code: 'conflict' });
  assert.equal(lost.count(), 3 + 30);
});

test('a long list that is gone with its blob is read again', async () => {
  const account = await openContainer();
  const names = Array.from({ length: 40 }, (_, index) => `${index}`);
  const commit = async (count: number): Promise<void> => {
    for (const name of names) await putBlock(account, BLOB, name, 'x'.repeat(count));
    await putList(account, BLOB, names);
    await account.settled();
  };
  await commit(1);
  let replacements = 0;
  const { content } = account;
  const replaced: ContentStore = {
    create: space => content.create(space),
    async *read(space, id, from, until) {
      if (replacements < 2) {
        replacements += 1;
        await commit(1 + replacements);
      }
      yield* content.read(space, id, from, until);
    },
    pin: () => content.pin(),
    unpinnedElsewhere: () => content.unpinnedElsewhere(),
    drop: (space, id) => content.drop(space, id),
    list: space => content.list(space),
  };
  const reader = accountOn({ store: account.store, content: replaced }, account.time);
  const { committed } = await blocksOf(reader, BLOB);
  assert.equal(committed?.[1], '1:3');
  assert.equal(replacements, 2);
});
