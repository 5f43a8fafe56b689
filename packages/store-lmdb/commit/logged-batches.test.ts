// Commits are decided at once and in order on each other's rows, share a sync, and are decided again when another
// process has written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Parts, SPACE, textOf } from '../testing/logged-parts.js';
import { LOG_BYTES } from '../wal/log-file.js';
import type { Work } from './group.js';

/** Fulfilled with the order in which the answers came. */
function orderOf(answers: readonly Promise<unknown>[]): Promise<number[]> {
  const order: number[] = [];
  return Promise.all(answers.map((answer, index) => answer.then(() => order.push(index)))).then(() => order);
}

test('each decision sees the ones before it, they share a record, and none is answered before it is durable', async t => {
  const parts = await Parts.open(t);
  const answers = Array.from({ length: 10 }, () => parts.add('k', '.'));
  await Promise.resolve();
  assert.deepEqual([parts.isRecent('k'), parts.inTree('k')], [false, undefined]);
  assert.deepEqual(await orderOf(answers), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(await answers[9], '.'.repeat(10));
  assert.deepEqual(
    parts.records().map(({ changes }) => changes.length),
    [10],
  );
});

test('what is decided while others are written is decided on their rows, and is the next record', async t => {
  const parts = await Parts.open(t);
  let wasOnItsWay = false;
  // A disk may be faster than a turn of a busy event loop: then the first is durable already, and another pair is
  // tried.
  for (let round = 0; round < 50 && !wasOnItsWay; round += 1) {
    const key = `k${round}`;
    const records = parts.records().length;
    const first = parts.add(key, '1');
    await nextTurn();
    wasOnItsWay = !parts.isRecent(key);
    assert.deepEqual([await parts.add(key, '2'), await first], ['12', '1']);
    assert.equal(parts.records().length, records + 2);
  }
  assert(wasOnItsWay, 'no first one was on its way');
});

test('a commit without changes is answered after those that it may have seen', async t => {
  const parts = await Parts.open(t);
  const look = (): Promise<string | undefined> =>
    parts.commit({ keys: ['k'] }, ([row]) => ({ result: textOf(row) ?? 'none' }));
  const answers = [look(), parts.add('k', '1'), look()];
  assert.deepEqual(await orderOf(answers), [0, 1, 2]);
  assert.deepEqual(await Promise.all(answers), ['none', '1', '1']);
  assert.equal(await look(), '1');
});

test('more than 1 MiB becomes several records, in order, and one commit is never split', async t => {
  const parts = await Parts.open(t);
  const value = Buffer.alloc(300_000, 'v');
  const both = (name: string) =>
    parts.commit({ keys: [] }, () => ({
      result: name,
      puts: [
        { key: `${name}1`, value },
        { key: `${name}2`, value },
      ],
    }));
  const answers = ['a', 'b', 'c', 'd'].map(both);
  assert.deepEqual(await orderOf(answers), [0, 1, 2, 3]);
  const records = parts.records();
  assert(records.every(({ changes }) => changes.length % 2 === 0));
  assert(records.length >= 3 && LOG_BYTES > 4 * 600_000);
  for (const [index, { basis }] of records.entries())
    if (index > 0) assert.equal(basis, records[index - 1]?.tick);
});

test('as many works wait as may, in flight or for a transaction, and one more is rejected at once', async t => {
  const parts = await Parts.open(t, { waitingMax: 10 });
  const needy: Work<boolean> = { run: () => true };
  const answers = await Promise.allSettled([
    ...Array.from({ length: 6 }, () => parts.add('k', '.')),
    ...Array.from({ length: 6 }, () => parts.commits.submit(needy)),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array(10).fill('fulfilled'), 'rejected', 'rejected'],
  );
  assert.equal(await parts.add('k', '!'), '......!');
});

test('if the log was fenced off everything is decided again, in order, on what is durable', async t => {
  const parts = await Parts.open(t);
  const before = await parts.add('k', '1');
  assert.equal(before, '1');
  const answers = [parts.add('k', '2'), parts.add('k', '3')];
  // As a process does that opens the store and then writes.
  await parts.fence();
  answers.push(parts.add('k', '4'));
  assert.deepEqual(await Promise.all(answers), ['12', '123', '1234']);
  assert.equal(parts.inTree('k'), '1234');
  assert.equal(await parts.add('k', '5'), '12345');
  assert.equal(parts.inTree('k'), '12345', 'there is no log any more');
});

test('when a segment is full on a disk without headroom, commits use transactions, and the log again afterwards', async t => {
  const parts = await Parts.open(t);
  const value = Buffer.alloc(900_000, 'v');
  parts.reserve.isTaken = true;
  for (let round = 0; round < 4; round += 1) await parts.put(`v${round}`, value);
  assert.equal(parts.transactions(), 1, 'one has begun the log');
  await parts.put('k', '1');
  const answers: Promise<unknown>[] = [parts.put('v4', value), parts.add('k', '2'), parts.add('k', '3')];
  await nextTurn();
  answers.push(parts.add('k', '4'));
  assert.deepEqual((await Promise.all(answers)).slice(1), ['12', '123', '1234']);
  assert.equal(parts.inTree('k'), '1234');
  assert(parts.commits.overlay.isEmpty);
  await parts.remove(['k']);
  parts.reserve.isTaken = false;
  assert.equal(await parts.add('k', '5'), '5');
  assert(parts.isRecent('k'));
  assert.equal(parts.inTree('k'), undefined);
});

test('a space lives until a transaction has dropped it', async t => {
  const parts = await Parts.open(t);
  await parts.put('k', '1');
  const drop: Work<void> = {
    run({ counters }) {
      const tick = counters.nextTick();
      parts.environment.catalog.dropSpace(SPACE, tick);
      counters.useTick(tick);
    },
  };
  const answers = [parts.put('k', '2'), parts.commits.submit(drop), parts.put('k', '3')];
  assert.deepEqual(await Promise.all(answers), [true, undefined, undefined]);
});

test('background tasks run while commits go to the log', async t => {
  let turns = 0;
  const task = (): boolean => {
    turns += 1;
    return turns < 20;
  };
  const parts = await Parts.open(t, { task });
  await parts.put('k', '0');
  const before = parts.transactions();
  parts.commits.wake();
  for (let round = 0; turns < 20; round += 1) {
    await parts.put('k', String(round));
    assert(parts.isRecent('k') || parts.inTree('k') === String(round));
  }
  assert.equal(parts.transactions(), before);
});
