// The sweep: it removes expired and cleared messages in small steps, and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  collectRows,
  type Decide,
  type Reads,
  type Space,
  type SpaceAddress,
  type Store,
  StoreError,
} from '#store';
import { execute } from './execute.js';
import { EXAMINED_A_STEP, RECLAIMED_A_STEP, Sweep } from './sweep.js';
import {
  countOf,
  get,
  openAccount,
  openQueue,
  peek,
  put,
  QUEUE,
  remove,
  SECOND,
  type TestAccount,
  textsOf,
} from './testing/account.js';

const sweepOf = ({ store, time }: TestAccount, accounts = ['account1']) =>
  new Sweep({ store, clock: () => time.now, accounts: () => accounts });

/** Runs steps until a pass is over; the number that each reclaimed. */
async function pass(sweep: Sweep): Promise<number[]> {
  const reclaimed: number[] = [];
  for (;;) {
    const step = await sweep.step();
    if (step.isPassOver) return reclaimed;
    reclaimed.push(step.reclaimed);
  }
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Rows of all partitions of the queue. */
async function rowsOf({ store }: TestAccount): Promise<number> {
  const space = await store.getSpace({ account: 'account1', service: 'queue', name: QUEUE });
  assert.ok(space);
  const all = Number.POSITIVE_INFINITY;
  const budget = { rows: all, bytes: all, examined: all, milliseconds: all };
  const { rows } = await collectRows(store, space, { from: { partition: '', key: '' } }, budget);
  return rows.length;
}

const ROWS_A_MESSAGE = 2;
const COUNT_ROW = 1;

test('expired messages are removed, also leased and delayed ones, in steps of a bounded size', async () => {
  const account = await openQueue();
  const expired = RECLAIMED_A_STEP + 2;
  for (let i = 0; i < expired - 2; i++) await put(account, 'x', 0, 2);
  await get(account, 1, 3600);
  await put(account, 'delayed', 5, 6);
  await put(account, 'delayed', 1, 2);
  await put(account, 'good');
  await put(account, 'ever', 10, 'never');
  const sweep = sweepOf(account);
  assert.equal(total(await pass(sweep)), 0);
  account.time.now += 7n * SECOND;
  const steps = await pass(sweep);
  assert.equal(total(steps), expired);
  assert.ok(
    steps.every(count => count <= RECLAIMED_A_STEP),
    String(steps),
  );
  assert.equal(await countOf(account), 2);
  assert.equal(await rowsOf(account), 2 * ROWS_A_MESSAGE + COUNT_ROW);
  account.time.now += 5n * SECOND;
  assert.deepEqual(textsOf(await get(account)), ['good', 'ever']);
});

test('a step examines a bounded number of messages, and the next continues there', async () => {
  const account = await openQueue();
  for (let i = 0; i < EXAMINED_A_STEP + 1; i++) await put(account, 'x');
  await put(account, 'last', 0, 1);
  account.time.now += 2n * SECOND;
  const sweep = sweepOf(account);
  const first = await sweep.step();
  assert.deepEqual([first.reclaimed, first.isPassOver, first.pauseMs > 0], [0, false, true]);
  assert.equal((await sweep.step()).reclaimed, 1);
});

test('cleared messages are removed in steps, and messages put since stay', async () => {
  const account = await openQueue();
  for (let i = 0; i < 400; i++) await put(account, 'x');
  const [held] = await get(account, 1);
  assert.ok(held);
  await account.run({ kind: 'clearMessages', queue: QUEUE });
  await put(account, 'new');
  await account.run({ kind: 'clearMessages', queue: QUEUE });
  await put(account, 'newer');
  await assert.rejects(remove(account, held), { code: 'MessageNotFound' });
  assert.deepEqual([await countOf(account), textsOf(await get(account))], [1, ['newer']]);
  await pass(sweepOf(account));
  assert.equal(await rowsOf(account), ROWS_A_MESSAGE + COUNT_ROW);
  assert.equal(await countOf(account), 1);
});

test('the tick of the commit decides what is expired, not the clock of the sweep', async () => {
  const account = await openQueue();
  const { store, time } = account;
  await put(account, 'a', 0, 5);
  const ahead = () => time.now + 5n * SECOND;
  const sweep = new Sweep({ store, clock: ahead, accounts: () => ['account1'] });
  assert.equal((await sweep.step()).reclaimed, 0);
  assert.deepEqual(textsOf(await get(account)), ['a']);
});

test('a pass goes over all queues of all accounts, once each', async () => {
  const account = openAccount();
  const accounts = ['b', 'a', 'c'];
  const clock = () => account.time.now;
  for (const name of accounts) {
    const context = { ...account.context, account: name };
    for (const queue of ['one', 'two', 'zzz']) {
      await execute({ kind: 'createQueue', queue, metadata: [] }, context, clock);
      const message = { text: '', visibilitySeconds: 0, timeToLiveSeconds: 1 };
      await execute({ kind: 'putMessage', queue, ...message }, context, clock);
    }
  }
  account.time.now += 2n * SECOND;
  const sweep = sweepOf(account, accounts);
  assert.equal(total(await pass(sweep)), 9);
  assert.equal(total(await pass(sweep)), 0);
  assert.deepEqual(await pass(sweepOf(account, [])), []);
});

test('a queue that cannot be read is skipped, with an error', async () => {
  const account = await openQueue();
  await account.store.createSpace({ account: 'account1', service: 'queue', name: 'aaa' }, Buffer.alloc(0));
  await put(account, 'a', 0, 1);
  account.time.now += 2n * SECOND;
  const sweep = sweepOf(account);
  await assert.rejects(sweep.step(), { name: 'StoreError', code: 'corrupt' });
  assert.equal((await sweep.step()).reclaimed, 1);
});

test('on a full disk a leased message can be deleted, and the sweep corrects the count', async () => {
  const account = await openQueue();
  const { context, store, time } = account;
  for (const text of ['a', 'b', 'c']) await put(account, text);
  const [held, other] = await get(account, 2, 1);
  assert.ok(held && other);
  const full: Store = Object.create(store, {
    commit: {
      value: <R>(space: Space, partition: string, reads: Reads, decide: Decide<R>) =>
        store.commit(space, partition, reads, (rows, tick) => {
          const decision = decide(rows, tick);
          if (decision.puts && decision.puts.length > 0) throw new StoreError('full', 'No space is left.');
          return decision;
        }),
    },
    getSpace: { value: (address: SpaceAddress) => store.getSpace(address) },
  });
  const remains = { ...context, store: full };
  const operation = { kind: 'deleteMessage', queue: QUEUE, id: held.id, receipt: held.receipt } as const;
  const clock = () => time.now;
  assert.deepEqual(await execute(operation, remains, clock), { kind: 'messageDeleted' });
  await assert.rejects(execute(operation, remains, clock), { code: 'MessageNotFound' });
  time.now += 2n * SECOND;
  assert.deepEqual(textsOf(await peek(account)), ['c', 'b']);
  assert.equal(await countOf(account), 3);
  await pass(sweepOf(account));
  assert.equal(await countOf(account), 2);
});

test('a count that is right is left alone, also where a step saw a part of the queue', async () => {
  const account = await openQueue();
  for (let i = 0; i < EXAMINED_A_STEP; i++) await put(account, 'x');
  await put(account, 'x');
  const commits: string[] = [];
  const { store } = account;
  const watched: Store = Object.create(store, {
    commit: {
      value: <R>(space: Space, partition: string, reads: Reads, decide: Decide<R>) => {
        commits.push(reads.keys.join());
        return store.commit(space, partition, reads, decide);
      },
    },
    scan: { value: (...call: Parameters<Store['scan']>) => store.scan(...call) },
    read: { value: (...call: Parameters<Store['read']>) => store.read(...call) },
    listSpaces: { value: (...call: Parameters<Store['listSpaces']>) => store.listSpaces(...call) },
  });
  await pass(new Sweep({ store: watched, clock: () => account.time.now, accounts: () => ['account1'] }));
  assert.deepEqual(commits, []);
  assert.equal(await countOf(account), EXAMINED_A_STEP + 1);
});
