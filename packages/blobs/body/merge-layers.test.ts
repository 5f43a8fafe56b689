// Layers of page blobs, through the package's entry point: whatever snapshots are taken and deleted, all read as buffers do, through few layers, and
// nothing stays that no head shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeHead } from '../rows/head.js';
import { BLOB_KEY, headKey } from '../rows/keys.js';
import { BlobSweep } from '../sweep.js';
import {
  accountOn,
  BLOB,
  CONTAINER,
  contentsIn,
  deleteBlob,
  deleteSnapshot,
  namedIn,
  openContainer,
  operation,
  readBlob,
  replacing,
  rowsOf,
  type TestAccount,
  takeSnapshot,
} from '../testing/account.js';
import { clearPages, copyOf, makePageBlob, putPages, rangesOf, resize, sourceOf } from '../testing/parts.js';
import { extentsIn } from './extents-in.js';

const PAGE = 512;
const PAGES_MAX = 96;
/** Longer than what a row has. */
const LARGE = 40;

async function spaceOf({ store }: TestAccount) {
  const space = await store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  assert.ok(space);
  return space;
}

async function layersOf(account: TestAccount, snapshot?: bigint) {
  const [row] = await account.store.read(await spaceOf(account), BLOB, [headKey(snapshot)]);
  return row === undefined ? [] : decodeHead(row.value).layers;
}

async function sweep({ context }: TestAccount): Promise<void> {
  const sweeping = new BlobSweep({ ...context, accounts: () => ['account1'] });
  while (!(await sweeping.step()).isPassOver);
}

/** The contents that the blob or a snapshot shows. */
async function shownIn(account: TestAccount): Promise<string[]> {
  const space = await spaceOf(account);
  const names = new Set<string>();
  for (const key of (await rowsOf(account, BLOB)).filter(each => each <= BLOB_KEY)) {
    const [row] = await account.store.read(space, BLOB, [key]);
    assert.ok(row);
    const { layers, length } = decodeHead(row.value);
    for (const { extent } of await extentsIn(account.store, space, BLOB, layers, 0, length))
      if (extent.content !== undefined) names.add(extent.content);
  }
  return [...names].sort();
}

interface Step {
  readonly kind: 'put' | 'clear' | 'resize' | 'snapshot' | 'deleteSnapshot' | 'copy';
  readonly from: number;
  readonly count: number;
  readonly fill: number;
  /** Which of two servers on one store acts; both merge layers. */
  readonly by: number;
  /** What is done in the background is waited for. */
  readonly settles: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom(
      ...(['put', 'put', 'put', 'clear', 'resize', 'snapshot', 'snapshot', 'snapshot'] as const),
      ...(['deleteSnapshot', 'deleteSnapshot', 'copy'] as const),
    ),
    from: fc.nat(PAGES_MAX - 1),
    count: fc.integer({ min: 1, max: 60 }),
    fill: fc.integer({ min: 1, max: 255 }),
    by: fc.nat(1),
    settles: fc.boolean(),
  }),
  { maxLength: 40, size: 'max' },
);

class Model {
  bytes: Buffer = Buffer.alloc(64 * PAGE);
  readonly snapshots: { readonly tick: bigint; readonly bytes: Buffer }[] = [];

  async take(account: TestAccount, { kind, from, count, fill }: Step): Promise<void> {
    const until = Math.min(from + count, this.bytes.length / PAGE);
    const [gone] = this.snapshots.splice(from, kind === 'deleteSnapshot' ? 1 : 0);
    if (kind === 'snapshot')
      this.snapshots.push({ tick: await takeSnapshot(account, BLOB), bytes: this.bytes });
    else if (kind === 'resize') {
      await resize(account, BLOB, from * PAGE);
      const longer = Buffer.concat([this.bytes, Buffer.alloc(PAGES_MAX * PAGE)]);
      this.bytes = longer.subarray(0, from * PAGE);
    } else if (kind === 'copy') await this.#copy(account, from);
    else if (gone !== undefined) await deleteSnapshot(account, BLOB, gone.tick);
    else if (from < until && kind !== 'deleteSnapshot') {
      if (kind === 'put')
        await putPages(account, BLOB, from * PAGE, Buffer.alloc((until - from) * PAGE, fill));
      else await clearPages(account, BLOB, from * PAGE, until * PAGE);
      this.bytes = Buffer.from(this.bytes).fill(kind === 'put' ? fill : 0, from * PAGE, until * PAGE);
    }
  }

  /** A snapshot over the blob. */
  async #copy(account: TestAccount, at: number): Promise<void> {
    const source = this.snapshots[at];
    if (source === undefined) return;
    await account.run(copyOf(sourceOf(BLOB, source.tick), BLOB));
    this.bytes = source.bytes;
  }

  async judge(account: TestAccount): Promise<void> {
    assert.deepEqual(await readBlob(account, BLOB), this.bytes);
    for (const { tick, bytes } of this.snapshots) {
      assert.deepEqual(await readBlob(account, BLOB, undefined, tick), bytes);
      judgeChanges(await rangesOf(account, BLOB, tick), bytes, this.bytes);
    }
  }
}

/** Ranges not listed are unchanged, and cleared ranges are zeros. */
function judgeChanges(told: string, before: Buffer, now: Buffer): void {
  const pageOf = (bytes: Buffer, at: number): Buffer =>
    at * PAGE < bytes.length ? bytes.subarray(at * PAGE, (at + 1) * PAGE) : Buffer.alloc(PAGE);
  const changed = new Set<number>();
  for (const [, clear, from, until] of told.matchAll(/(-?)(\d+)-(\d+)/g))
    for (let at = Number(from); at < Number(until); at += 1) {
      changed.add(at);
      if (clear === '-') assert.deepEqual(pageOf(now, at), Buffer.alloc(PAGE), `page ${at} of ${told}`);
    }
  const length = Math.min(before.length, now.length) / PAGE;
  for (let at = 0; at < length; at += 1)
    if (!changed.has(at)) assert.deepEqual(pageOf(now, at), pageOf(before, at), `page ${at} of ${told}`);
}

test('any writes, snapshots and deletions read as buffers do, and keep what is shown', async () => {
  const runs = process.env.SHELFMARK_LONG === '1' ? 1500 : 20;
  await fc.assert(
    fc.asyncProperty(steps, async all => {
      const account = await openContainer();
      const other = accountOn(account, account.time, account.context.ids);
      const model = new Model();
      await makePageBlob(account, BLOB, model.bytes.length);
      for (const step of all) {
        await model.take(step.by === 0 ? account : other, step);
        await model.judge(account);
        if (step.settles) await account.settled();
      }
      await Promise.all([account.settled(), other.settled()]);
      await sweep(account);
      await account.settled();
      await model.judge(account);
      const there = (await contentsIn(account)).sort();
      assert.deepEqual((await namedIn(account)).sort(), there);
      assert.ok((await shownIn(account)).every(name => there.includes(name)));
      assert.ok((await layersOf(account)).length <= 20);
      await deleteBlob(account, BLOB, 'only');
      await account.settled();
      await sweep(account);
      await account.settled();
      assert.deepEqual(await readBlob(account, BLOB), model.bytes);
      assert.deepEqual((await contentsIn(account)).sort(), await shownIn(account));
      await deleteBlob(account, BLOB, 'include');
      await account.settled();
      assert.deepEqual(await rowsOf(account, BLOB), []);
    }),
    { numRuns: runs },
  );
});

test('a blob with many snapshots is read through few layers, and so are they', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, PAGES_MAX * PAGE);
  const taken: bigint[] = [];
  for (let day = 1; day <= 100; day += 1) {
    await putPages(account, BLOB, (day % PAGES_MAX) * PAGE, Buffer.alloc(PAGE, day));
    taken.push(await takeSnapshot(account, BLOB));
    await account.settled();
    assert.ok((await layersOf(account)).length <= 16, `after ${day} days`);
  }
  for (const snapshot of taken) assert.ok((await layersOf(account, snapshot)).length <= 16);
  for (const snapshot of taken) await deleteSnapshot(account, BLOB, snapshot);
  await account.settled();
  assert.ok((await layersOf(account)).length <= 2);
  const extents = (await rowsOf(account, BLOB)).filter(key => key.startsWith('E'));
  assert.equal(extents.length, PAGES_MAX);
});

test('of snapshots that are kept a week there are few layers, and hardly any content that none of them shows', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, PAGES_MAX * PAGE);
  const kept: bigint[] = [];
  for (let day = 1; day <= 40; day += 1) {
    await putPages(account, BLOB, 0, Buffer.alloc(LARGE * PAGE, day));
    kept.push(await takeSnapshot(account, BLOB));
    const old = kept.length > 7 ? kept.shift() : undefined;
    if (old !== undefined) await deleteSnapshot(account, BLOB, old);
    await account.settled();
    // One more where two layers of different snapshots together hide a layer.
    assert.ok((await contentsIn(account)).length <= kept.length + 1, `after ${day} days`);
  }
  assert.ok((await layersOf(account)).length <= 10);
});

test('what a deleted snapshot alone kept goes with it, though the blob was written anew', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, PAGES_MAX * PAGE);
  await putPages(account, BLOB, 0, Buffer.alloc(LARGE * PAGE, 'a'));
  const snapshot = await takeSnapshot(account, BLOB);
  await putPages(account, BLOB, 0, Buffer.alloc(LARGE * PAGE, 'b'));
  await account.settled();
  assert.equal((await contentsIn(account)).length, 2);
  await deleteSnapshot(account, BLOB, snapshot);
  await account.settled();
  assert.equal((await contentsIn(account)).length, 1);
  assert.equal((await layersOf(account)).length, 1);
  await putPages(account, BLOB, 0, Buffer.alloc(LARGE * PAGE, 'c'));
  await account.settled();
  assert.equal((await contentsIn(account)).length, 1);
});

test('who reads a deleted snapshot goes on in what it had, while its layers are merged', async () => {
  const account = await openContainer();
  const far = 9 * 1024 * 1024;
  await makePageBlob(account, BLOB, far + PAGE);
  await putPages(account, BLOB, 0, Buffer.alloc(PAGE, 'a'));
  await putPages(account, BLOB, far, Buffer.alloc(PAGE, 'a'));
  const snapshot = await takeSnapshot(account, BLOB);
  const outcome = await account.run(operation('getBlob', { snapshot }));
  assert.ok(outcome.kind === 'blobContent' && !Buffer.isBuffer(outcome.content));
  await putPages(account, BLOB, far, Buffer.alloc(PAGE, 'b'));
  await deleteSnapshot(account, BLOB, snapshot);
  await new Promise(resolve => setTimeout(resolve, 20));
  const pieces: Buffer[] = [];
  for await (const piece of outcome.content) pieces.push(Buffer.from(piece));
  assert.deepEqual(Buffer.concat(pieces).subarray(far), Buffer.alloc(PAGE, 'a'));
  await account.settled();
  assert.equal((await layersOf(account)).length, 1);
});

test('what a shorter blob lost is not there again when its layers are merged', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 60 * PAGE);
  await putPages(account, BLOB, 0, Buffer.alloc(LARGE * PAGE, 'a'));
  const snapshot = await takeSnapshot(account, BLOB);
  await resize(account, BLOB, 10 * PAGE);
  await resize(account, BLOB, 60 * PAGE);
  await putPages(account, BLOB, 5 * PAGE, Buffer.alloc(PAGE, 'b'));
  await deleteSnapshot(account, BLOB, snapshot);
  await account.settled();
  assert.equal((await layersOf(account)).length, 1);
  const bytes = Buffer.alloc(60 * PAGE)
    .fill('a', 0, 10 * PAGE)
    .fill('b', 5 * PAGE, 6 * PAGE);
  assert.deepEqual(await readBlob(account, BLOB), bytes);
});

/** A server whose commit of that number waits until the returned function is called, and when it does. */
function stalled(account: TestAccount, number: number): readonly [TestAccount, Promise<void>, () => void] {
  let proceed: () => void = () => undefined;
  const gate = new Promise<void>(resolve => {
    proceed = resolve;
  });
  let reach: () => void = () => undefined;
  const reached = new Promise<void>(resolve => {
    reach = resolve;
  });
  let count = 0;
  const store = replacing(account.store, {
    commit: async (...given) => {
      count += 1;
      if (count === number) {
        reach();
        await gate;
      }
      return account.store.commit(...given);
    },
  });
  const parts = { store, content: account.content };
  return [accountOn(parts, account.time, account.context.ids), reached, proceed];
}

for (const [isFirst, number] of [2, 3, 4].flatMap(each => [[true, each] as const, [false, each] as const]))
  test(`a server that stops before commit ${number} undoes nothing that others do (${isFirst ? 'first' : 'second'} snapshot)`, async () => {
    const account = await openContainer();
    await makePageBlob(account, BLOB, PAGES_MAX * PAGE);
    await putPages(account, BLOB, 0, Buffer.alloc(8 * PAGE, 'a'));
    const first = await takeSnapshot(account, BLOB);
    await putPages(account, BLOB, 2 * PAGE, Buffer.alloc(4 * PAGE, 'b'));
    const second = await takeSnapshot(account, BLOB);
    const [slow, reached, proceed] = stalled(account, number);
    await deleteSnapshot(slow, BLOB, isFirst ? first : second);
    // Some have fewer commits.
    await Promise.race([reached, slow.settled()]);
    await deleteSnapshot(account, BLOB, isFirst ? second : first);
    await account.settled();
    await putPages(account, BLOB, 3 * PAGE, Buffer.alloc(PAGE, 'c'));
    const third = await takeSnapshot(account, BLOB);
    await putPages(account, BLOB, 4 * PAGE, Buffer.alloc(PAGE, 'd'));
    const bytes = Buffer.alloc(PAGES_MAX * PAGE)
      .fill('a', 0, 8 * PAGE)
      .fill('b', 2 * PAGE, 6 * PAGE);
    bytes.fill('c', 3 * PAGE, 4 * PAGE);
    proceed();
    await slow.settled();
    assert.deepEqual(await readBlob(account, BLOB, undefined, third), bytes);
    assert.deepEqual(await readBlob(account, BLOB), Buffer.from(bytes).fill('d', 4 * PAGE, 5 * PAGE));
  });
