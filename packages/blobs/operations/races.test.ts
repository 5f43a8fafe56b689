// Concurrent operations: writers with one ETag or one lease, and readers of a blob that is replaced.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobSweep } from '../sweep.js';
import {
  accountOn,
  BLOB,
  bytesOf,
  CONTAINER,
  contentsIn,
  deleteBlob,
  NO_CONDITIONS,
  openAccount,
  openContainer,
  operation,
  outcomeOf,
  putBlob,
  readBlob,
  replacing,
  rowsOf,
  seen,
  type TestAccount,
  takeSnapshot,
} from '../testing/account.js';
import { makePageBlob, putBlock, putList, putPages } from '../testing/parts.js';

const wins = async (running: readonly Promise<unknown>[]): Promise<number> =>
  (await Promise.allSettled(running)).filter(({ status }) => status === 'fulfilled').length;

test('of writers with one ETag one wins, and of makers of a new blob', async () => {
  const account = await openContainer();
  const fresh = { ...NO_CONDITIONS, ifNoneMatch: 'any' } as const;
  const bodies = ['a', 'b'.repeat(20_000), 'c', 'd'.repeat(30_000)];
  assert.equal(await wins(bodies.map(body => putBlob(account, BLOB, body, { conditions: fresh }))), 1);
  const { stamp } = await seen(account, BLOB);
  const conditions = { ...NO_CONDITIONS, ifMatch: [stamp.etag] };
  assert.equal(await wins(bodies.map(body => putBlob(account, BLOB, body, { conditions }))), 1);
});

test('of those that acquire a lease one gets it', async () => {
  const account = await openContainer();
  await putBlob(account, BLOB, 'x');
  const acquire = () =>
    account.run(
      operation('leaseBlob', {
        action: { kind: 'acquire', seconds: 'infinite', proposedId: undefined },
      }),
    );
  assert.equal(await wins(Array.from({ length: 8 }, acquire)), 1);
});

test('a reader whose content is gone before it begins reads the row again, and holds that', async () => {
  const account = await openContainer(openAccount());
  await putBlob(account, BLOB, Buffer.alloc(20_000, 'a'));
  let replacements = 0;
  const content = replacing(account.content, {
    async *read(...given) {
      replacements += 1;
      await putBlob(account, BLOB, Buffer.alloc(20_000, String(replacements)));
      await account.settled();
      yield* account.content.read(...given);
    },
  });
  const reader = accountOn({ store: account.store, content }, account.time);
  assert.deepEqual(await readBlob(reader, BLOB), Buffer.alloc(20_000, '1'));
  assert.equal(replacements, 2);
});

test('a content that is damaged is told, not looked for again and again', async () => {
  const account = await openContainer();
  await putBlob(account, BLOB, Buffer.alloc(20_000, 'a'));
  const space = await account.store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  assert.ok(space);
  for await (const { id } of account.content.list(space)) await account.content.drop(space, id);
  await assert.rejects(readBlob(account, BLOB), { name: 'StoreError', code: 'corrupt' });
});

test('a reader of many blocks gets all of the old ones while lists, snapshots and deletions go on', async () => {
  const account = await openContainer();
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await putBlock(account, BLOB, name, Buffer.alloc(300_000, name));
  await putList(account, BLOB, names);
  const outcome = await account.run(operation('getBlob', {}));
  assert.ok(outcome.kind === 'blobContent' && !Buffer.isBuffer(outcome.content));
  const pieces: Buffer[] = [];
  for await (const piece of outcome.content) {
    if (pieces.length === 0) {
      await takeSnapshot(account, BLOB);
      await putBlob(account, BLOB, 'new');
      await deleteBlob(account, BLOB, 'include');
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    }
    pieces.push(piece);
  }
  assert.deepEqual(Buffer.concat(pieces), Buffer.concat(names.map(name => Buffer.alloc(300_000, name))));
});

test('a block that is put while its list is made is in it', async () => {
  const account = await openContainer();
  await putBlock(account, BLOB, 'a', 'old');
  await putBlock(account, BLOB, 'b', Buffer.alloc(20_000, 'b'));
  let isPut = false;
  const { content } = account;
  const between = replacing(content, {
    create: async space => {
      if (!isPut) {
        isPut = true;
        await putBlock(account, BLOB, 'a', 'new');
      }
      return content.create(space);
    },
  });
  await putList(accountOn({ store: account.store, content: between }, account.time), BLOB, ['a', 'b']);
  assert.equal((await readBlob(account, BLOB)).subarray(0, 4).toString(), 'newb');
  await account.settled();
  assert.equal((await contentsIn(account)).length, 2);
});

/** Whose background does nothing, as one that was killed after its commit. */
const killed = (account: TestAccount): TestAccount => {
  const { store, content, time } = account;
  const dying = accountOn({ store, content }, time);
  dying.context.background.later = () => undefined;
  return dying;
};

test('a block that a kill left beside its committed blob goes with it, so that no row names what is dropped', async () => {
  const account = await openContainer();
  const dying = killed(account);
  await putBlock(dying, BLOB, 'a', Buffer.alloc(20_000, 'a'));
  await putList(dying, BLOB, ['a']);
  assert.equal((await rowsOf(account, BLOB)).length, 2);
  await putBlob(account, BLOB, Buffer.alloc(20_000, 'b'));
  await account.settled();
  assert.deepEqual([await rowsOf(account, BLOB), (await contentsIn(account)).length], [['B'], 1]);
});

test('rows that other processes may be reading stay until the sweep', async () => {
  const account = await openContainer();
  const elsewhere = { isPinned: true };
  const content = replacing(account.content, { unpinnedElsewhere: async () => !elsewhere.isPinned });
  const shared = accountOn({ store: account.store, content }, account.time);
  await makePageBlob(shared, BLOB, 65_536);
  await putPages(shared, BLOB, 0, Buffer.alloc(512, 'p'));
  await putPages(shared, BLOB, 512, Buffer.alloc(20_480, 'q'));
  await putBlob(shared, BLOB, 'x');
  await shared.settled();
  assert.deepEqual([(await rowsOf(shared, BLOB)).length, (await contentsIn(shared)).length], [3, 1]);
  elsewhere.isPinned = false;
  const sweep = new BlobSweep({ ...shared.context, accounts: () => ['account1'] });
  while (!(await sweep.step()).isPassOver);
  assert.deepEqual([await rowsOf(shared, BLOB), await contentsIn(shared)], [['B'], []]);
});

test('a read of pages has the ETag of the pages that it shows', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 65_536);
  let writes = 0;
  const store = replacing(account.store, {
    scan: async (...parts) => {
      if (writes < 3) {
        writes += 1;
        await putPages(account, BLOB, 0, Buffer.alloc(512, writes));
      }
      return account.store.scan(...parts);
    },
  });
  const reader = accountOn({ store, content: account.content }, account.time);
  const read = reader.run(operation('getBlob', {}));
  const { content, blob } = await outcomeOf('blobContent', read);
  assert.equal((await bytesOf(content))[0], 3);
  assert.deepEqual(blob.stamp, (await seen(account, BLOB)).stamp);
});
