// Put, get and peek: order, invisibility, counts, expiry, and concurrent gets (protocol: messages).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFaultyStore, openMemoryStore, type Space, type Store, StoreError } from '#store';
import { NEVER } from '../limits.js';
import { encodeVisibilityKey, partitionOf } from '../message-rows.js';
import {
  countOf,
  get,
  openQueue,
  peek,
  put,
  QUEUE,
  refusalOf,
  remove,
  runOn,
  SECOND,
  START,
  type TestAccount,
  textsOf,
} from '../testing/account.js';
import { Claims } from './get-messages.js';

/** A second store object on the same rows, as another process has. */
const NO_FAULTS = { random: () => 1, failBefore: 0, failAfter: 0, delay: 0, redecide: 0, shortScan: 0 };

test('messages come in the order in which they are visible, then in that of their puts', async () => {
  const account = await openQueue();
  const { time } = account;
  await put(account, 'late', 10);
  for (let i = 0; i < 40; i++) await put(account, String(i));
  const numbers = (from: number, until: number) =>
    Array.from({ length: until - from }, (_, i) => String(from + i));
  assert.deepEqual(textsOf(await peek(account, 3)), ['0', '1', '2']);
  assert.deepEqual(textsOf(await get(account, 32, 5)), numbers(0, 32));
  assert.deepEqual(textsOf(await get(account, 32, 20)), numbers(32, 40));
  time.now += 12n * SECOND;
  assert.deepEqual(textsOf(await get(account, 32, 30)), numbers(0, 32));
  assert.deepEqual(textsOf(await get(account, 32, 30)), ['late']);
});

test('each of many who get at one time gets others, and all messages are got', async () => {
  const account = await openQueue();
  for (let i = 0; i < 100; i++) await put(account, String(i));
  const got = await Promise.all(Array.from({ length: 32 }, () => get(account, 4)));
  assert.ok(got.flat().length === 100, `${got.flat().length} of 100`);
  assert.equal(new Set(got.flat().map(({ id }) => id)).size, 100);
});

test('nor do two processes get one message, though neither knows what the other is about to take', async () => {
  const account = await openQueue();
  const store = openFaultyStore(account.store, NO_FAULTS);
  const other = { ...account, run: runOn({ ...account.context, store }, account.time) };
  for (let i = 0; i < 100; i++) await put(account, String(i));
  const got = await Promise.all(Array.from({ length: 32 }, (_, i) => get(i % 2 === 0 ? account : other, 4)));
  assert.equal(got.flat().length, 100);
  assert.equal(new Set(got.flat().map(({ id }) => id)).size, 100);
});

test('who lost all that it saw to another process reads on, past what has expired', async () => {
  const account = await openQueue();
  const store = openFaultyStore(account.store, NO_FAULTS);
  const other = { ...account, run: runOn({ ...account.context, store }, account.time) };
  for (const [text, seconds] of [
    ['a', 'never'],
    ['expired', 1],
    ['b', 'never'],
  ] as const)
    for (let i = 0; i < 4; i++) await put(account, text, 0, seconds);
  account.time.now += 2n * SECOND;
  const got = await Promise.all([get(account, 4), get(other, 4)]);
  assert.deepEqual(got.map(textsOf).sort(), [
    ['a', 'a', 'a', 'a'],
    ['b', 'b', 'b', 'b'],
  ]);
});

/** The same account in a process whose commits come after what `meet` does. */
function commitsAfter(account: TestAccount, meet: () => Promise<unknown>): TestAccount {
  const store = openFaultyStore(account.store, NO_FAULTS);
  const late: Store = {
    ...store,
    commit: async (...call) => {
      await meet();
      return store.commit(...call);
    },
  };
  return { ...account, run: runOn({ ...account.context, store: late }, account.time) };
}

test('a get that always loses to another process answers after five seconds, with none', async () => {
  const account = await openQueue();
  for (let i = 0; i < 40; i++) await put(account, String(i));
  for (const milliseconds of [1000, 900]) {
    let races = 0;
    const loser = commitsAfter(account, async () => {
      races += 1;
      account.time.now += BigInt(milliseconds) * 10_000n;
      assert.equal((await get(account, 1, 600)).length, 1);
    });
    assert.deepEqual(await get(loser, 1), []);
    assert.equal(races, Math.ceil(5000 / milliseconds));
  }
});

test('what a get has leased is answered, whatever keeps it from leasing more', async () => {
  const account = await openQueue();
  for (const text of ['a', 'b', 'c']) await put(account, text);
  let races = 0;
  const half = commitsAfter(account, async () => {
    races += 1;
    if (races === 2) throw new StoreError('conflict', 'Too many others.');
    assert.deepEqual(textsOf(await get(account, 1)), ['a']);
  });
  assert.deepEqual(textsOf(await get(half, 2)), ['b']);
  assert.deepEqual([races, textsOf(await get(account, 3))], [2, ['c']]);
  const never = commitsAfter(account, () => Promise.reject(new StoreError('conflict', 'Too many others.')));
  account.time.now += 60n * SECOND;
  await assert.rejects(get(never, 2), { code: 'conflict' });
});

test('no message is leased for a time that is over when it is leased', async () => {
  const account = await openQueue();
  for (const text of ['a', 'b', 'c', 'd']) await put(account, text);
  let races = 0;
  const slow = commitsAfter(account, async () => {
    races += 1;
    if (races === 1) assert.deepEqual(textsOf(await get(account, 1)), ['a']);
    else account.time.now += 2n * SECOND;
  });
  assert.deepEqual(textsOf(await get(slow, 2, 1)), ['b']);
  assert.deepEqual(
    [races, (await get(account, 3)).map(({ text, dequeueCount }) => text + dequeueCount)],
    [2, ['c1', 'd1', 'b2']],
  );
});

test('a message before a claimed one is found and comes first', async () => {
  const account = await openQueue();
  const { store } = account;
  const messages = [await put(account, '1'), await put(account, '2'), await put(account, '3')];
  const [space] = await store.listSpaces('account1', 'queue', QUEUE, 1);
  assert.ok(space && messages[1]);
  const claims = new Claims(store, space, partitionOf(space));
  assert.ok(claims.claim(encodeVisibilityKey(messages[1])));
  assert.deepEqual(textsOf(await get(account, 3)), ['1', '3']);
  claims.release();
  assert.deepEqual(textsOf(await get(account, 3)), ['2']);
});

test('the tick of the commit decides what is visible, not the clock of whoever gets', async () => {
  const account = await openQueue();
  const ahead = { now: account.time.now + 5n * SECOND };
  await put(account, 'a', 3);
  assert.deepEqual(await get({ ...account, run: runOn(account.context, ahead) }), []);
  account.time.now += 4n * SECOND;
  assert.deepEqual(textsOf(await get(account)), ['a']);
});

test('an expired message is not shown, not got, and not there for its holder', async () => {
  const account = await openQueue();
  const { time } = account;
  await put(account, 'short', 0, 10);
  await put(account, 'ever', 0, 'never');
  const [held] = await get(account, 1, 3);
  assert.ok(held);
  time.now = held.expires - 1n;
  assert.deepEqual(textsOf(await peek(account)), ['ever', 'short']);
  time.now = held.expires;
  assert.deepEqual(textsOf(await peek(account)), ['ever']);
  await refusalOf('MessageNotFound', remove(account, held));
  assert.deepEqual(textsOf(await get(account)), ['ever']);
  assert.equal((await peek(account)).length, 0);
});

test('a get finds what is behind expired messages, and takes those out of the count', async () => {
  const account = await openQueue();
  for (let i = 0; i < 300; i++) await put(account, `expired ${i}`, 0, 1);
  for (let i = 0; i < 40; i++) {
    await put(account, `good ${i}`);
    await put(account, `bad ${i}`, 0, 1);
  }
  account.time.now += SECOND * 2n;
  assert.deepEqual(textsOf(await get(account, 1)), ['good 0']);
  const rest = Array.from({ length: 32 }, (_, i) => `good ${i + 1}`);
  assert.deepEqual(textsOf(await get(account, 32)), rest);
  assert.deepEqual(textsOf(await get(account, 32)), [
    'good 33',
    'good 34',
    'good 35',
    'good 36',
    'good 37',
    'good 38',
    'good 39',
  ]);
  for (let i = 0; i < 6; i++) assert.deepEqual(await get(account), []);
  assert.equal(await countOf(account), 40);
});

test('a message that never expires has the last second of the year 9999, and so has one that would expire later', async () => {
  const account = await openQueue();
  assert.equal((await put(account, 'a', 0, 'never')).expires, NEVER);
  assert.equal((await put(account, 'b', 0, 2 ** 40)).expires, NEVER);
  const seconds = Number((NEVER - START) / SECOND) - 1;
  assert.ok((await put(account, 'c', 0, seconds)).expires < NEVER);
});

test('a clock that is set back hides nothing that was put to be seen at once, and nothing longer than the step', async () => {
  const account = await openQueue();
  const { time } = account;
  await put(account, 'before');
  const [held] = await get(account, 1, 30);
  assert.ok(held);
  const hour = 3600n * SECOND;
  time.now -= hour;
  await put(account, 'after');
  assert.deepEqual(textsOf(await peek(account)), ['after']);
  assert.deepEqual(textsOf(await get(account)), ['after']);
  time.now += hour + 31n * SECOND;
  assert.deepEqual(textsOf(await get(account)), ['before', 'after']);
});

test('a clock that is set forward shows held messages early and loses none', async () => {
  const account = await openQueue();
  const { time } = account;
  await put(account, 'a');
  const [held] = await get(account, 1, 30);
  assert.ok(held);
  time.now += 3600n * SECOND;
  assert.deepEqual(textsOf(await get(account)), ['a']);
  await refusalOf('PopReceiptMismatch', remove(account, held));
  time.now -= 3600n * SECOND;
  assert.equal(await countOf(account), 1);
  time.now += 3631n * SECOND;
  assert.deepEqual(textsOf(await get(account)), ['a']);
});

test('an expired message that one get meets twice is counted once', async () => {
  const account = await openQueue();
  const { store, time } = account;
  const kept = await put(account, 'kept', 0, 'never');
  await put(account, 'expired', 0, 1);
  time.now += 2n * SECOND;
  const [space] = await store.listSpaces('account1', 'queue', QUEUE, 1);
  assert.ok(space);
  const claims = new Claims(store, space, partitionOf(space));
  assert.ok(claims.claim(encodeVisibilityKey(kept)));
  // It scans behind the claim first, and then from the head.
  assert.deepEqual(await get(account), []);
  claims.release();
  assert.equal(await countOf(account), 1);
  assert.deepEqual(textsOf(await get(account)), ['kept']);
});

test('messages of one get become visible at one moment, in the order of their puts', async () => {
  const account = await openQueue();
  const { time } = account;
  await put(account, 'first');
  await put(account, 'second');
  assert.deepEqual(textsOf(await get(account, 1, 5)), ['first']);
  // A get that meets an expired message may read on with a second commit.
  await put(account, 'expired', 0, 1);
  await put(account, 'third');
  time.now += 60n * SECOND;
  const leased = await get(account, 3);
  assert.deepEqual(textsOf(leased), ['second', 'third', 'first']);
  assert.equal(new Set(leased.map(({ visible }) => visible)).size, 1);
  time.now += 60n * SECOND;
  assert.deepEqual(textsOf(await get(account, 3)), ['first', 'second', 'third']);
});

const SPACE: Space = {
  account: 'a',
  service: 'queue',
  name: 'q',
  id: 1,
  created: 1n,
  metadata: Buffer.alloc(0),
};
const openClaims = (store = openMemoryStore()) => ({
  of: (id = 1, partition = 'p') => new Claims(store, { ...SPACE, id }, partition),
});

test('a key is claimed once until it is released, per store, queue and generation', () => {
  const { of } = openClaims();
  const [first, second] = [of(), of()];
  assert.deepEqual([first.claim('a'), second.claim('a'), first.claim('a')], [true, false, false]);
  for (const stranger of [of(2), of(1, 'q'), openClaims().of()]) assert.equal(stranger.claim('a'), true);
  assert.equal(second.claim('b'), true);
  first.release();
  const third = of();
  assert.deepEqual([third.claim('a'), third.claim('b')], [true, false]);
  second.release();
  assert.equal(third.claim('b'), true);
});

test('a scan begins behind the last claimed key; the first and every sixteenth begin at the head', () => {
  const { of } = openClaims();
  const holder = of();
  assert.equal(holder.begin(), undefined);
  holder.claim('a');
  const begun = Array.from({ length: 33 }, () => {
    const claims = of();
    const from = claims.begin();
    claims.release();
    return from;
  });
  const heads = begun.flatMap((from, index) => (from === undefined ? [index] : []));
  assert.deepEqual(heads, [15, 31]);
  assert.ok(begun.every(from => from === undefined || from === 'a'));
  holder.release();
  assert.equal(of().begin(), undefined);
});
