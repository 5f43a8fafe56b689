// How works are grouped, what a failure does to works that share a transaction, and when background tasks get a turn.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { EngineError } from '../lmdb/engine-error.js';
import { Parts } from '../testing/logged-parts.js';
import type { BackgroundTask } from './background-task.js';
import type { CommitOrder } from './commit-order.js';
import type { Group, Work } from './group.js';

const openQueue = async (t: TestContext, task?: BackgroundTask, waitingMax?: number): Promise<CommitOrder> =>
  (await Parts.open(t, { task, waitingMax, isLogged: false })).commits;

/** A work that answers with the transaction it was part of. */
function tellGroup(bytes: number): Work<Group> {
  return {
    run(group) {
      group.bytes += bytes;
      return group;
    },
  };
}

/** How many works each transaction had, in order. */
async function groupSizes(answers: readonly Promise<Group>[]): Promise<number[]> {
  const sizes = new Map<Group, number>();
  for (const group of await Promise.all(answers)) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return [...sizes.values()];
}

function addMany(queue: CommitOrder, count: number, bytes: number): Promise<Group>[] {
  return Array.from({ length: count }, () => queue.submit(tellGroup(bytes)));
}

test('works that are added together share a transaction', async t => {
  const queue = await openQueue(t);
  assert.deepEqual(await groupSizes(addMany(queue, 64, 100)), [64]);
  assert.deepEqual(await groupSizes(addMany(queue, 1, 100)), [1]);
});

test('a transaction has no more than 1000 works, and ends with the work that makes it 8 MiB', async t => {
  const queue = await openQueue(t);
  assert.deepEqual(await groupSizes(addMany(queue, 2500, 0)), [1000, 1000, 500]);
  assert.deepEqual(await groupSizes(addMany(queue, 5, 5 * 1024 ** 2)), [2, 2, 1]);
  assert.deepEqual(await groupSizes(addMany(queue, 3, 100 * 1024 ** 2)), [1, 1, 1]);
});

test('as many works wait as may, and one more is rejected at once', async t => {
  for (const [count, refused] of [
    [9, 0],
    [10, 0],
    [11, 1],
  ] as const) {
    const queue = await openQueue(t, undefined, 10);
    const answers = await Promise.allSettled(addMany(queue, count, 0));
    const busy = answers.filter(answer => answer.status === 'rejected' && answer.reason.code === 'busy');
    assert.equal(busy.length, refused);
    assert.deepEqual(await groupSizes(addMany(queue, 10, 0)), [10], 'what waited is written');
  }
});

test('an error of a work itself is for its caller alone', async t => {
  const queue = await openQueue(t);
  const error = new Error('mine');
  const failing: Work<Group> = {
    run() {
      throw error;
    },
  };
  const answers = await Promise.allSettled([
    queue.submit(tellGroup(1)),
    queue.submit(failing),
    queue.submit(tellGroup(1)),
  ]);
  assert.deepEqual(
    answers.map(answer => answer.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  await assert.rejects(queue.submit(failing), thrown => thrown === error);
});

test('a failure of the engine fails the whole transaction, and the next one succeeds', async t => {
  const queue = await openQueue(t);
  const damaged: Work<Group> = {
    run() {
      throw new EngineError('corrupt', 'damaged');
    },
  };
  const answers = await Promise.allSettled([
    queue.submit(tellGroup(1)),
    queue.submit(damaged),
    queue.submit(tellGroup(1)),
  ]);
  const [first, second, third] = answers;
  for (const answer of [first, second]) {
    assert(answer?.status === 'rejected' && answer.reason.code === 'corrupt');
  }
  assert.equal(third?.status, 'fulfilled', 'what had not run yet is not a part of it');
});

test('works that are too much together are retried one by one', async t => {
  const queue = await openQueue(t);
  const runs: number[] = [];
  const greedy = (index: number, room: number): Work<number> => ({
    run(group) {
      runs.push(index);
      group.bytes += 1;
      // A work that puts nothing would be retried once more, with the reserve's space.
      group.didGrow = true;
      if (group.bytes > room) throw new EngineError('full', 'no room');
      return group.bytes;
    },
  });
  const answers = await Promise.allSettled([
    ...[0, 1, 2, 3].map(index => queue.submit(greedy(index, 3))),
    queue.submit(greedy(4, 0)),
    queue.submit(greedy(5, 3)),
  ]);
  const statuses = answers.map(answer => (answer.status === 'fulfilled' ? answer.value : answer.reason.code));
  assert.deepEqual(statuses, [1, 1, 1, 1, 'full', 1]);
  assert.deepEqual(runs, [0, 1, 2, 3, 0, 1, 2, 3, 4, 5]);
});

test('background tasks run when nothing waits, and now and then when much does', async t => {
  let tasks = 0;
  const queue = await openQueue(t, () => {
    tasks += 1;
    return tasks < 5;
  });
  queue.wake();
  while (tasks < 5) await queue.submit(tellGroup(0));
  await queue.submit(tellGroup(0));
  assert.equal(tasks, 5, 'it ends when there is nothing left to do');
  tasks = 0;
  queue.wake();
  // 100 groups of one work each wait from the beginning.
  await Promise.all(addMany(queue, 100, 8 * 1024 ** 2));
  assert.equal(tasks, 5);
});

test('stopping ends the background tasks and not the works', async t => {
  let tasks = 0;
  const queue = await openQueue(t, () => {
    tasks += 1;
    return true;
  });
  queue.wake();
  const answers = addMany(queue, 50, 8 * 1024 ** 2);
  await queue.close();
  assert.equal((await Promise.all(answers)).length, 50);
  const tasksThen = tasks;
  await new Promise(resolve => setTimeout(resolve, 20));
  assert.equal(tasks, tasksThen);
});
