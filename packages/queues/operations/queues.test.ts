// Queues from creation to deletion, their metadata and policies, listings, and the settings of the service
// (protocol: queues, service-properties).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metadata } from '#account';
import type { Store } from '#store';
import {
  countOf,
  openAccount,
  openQueue,
  outcomeOf,
  peek,
  put,
  QUEUE,
  refusalOf,
  remove,
  runOn,
  SECOND,
} from '../testing/account.js';

const create = (queue: string, metadata: Metadata = []) =>
  ({ kind: 'createQueue', queue, metadata }) as const;
const drop = (queue: string) => ({ kind: 'deleteQueue', queue }) as const;
const read = (queue: string) => ({ kind: 'getQueueMetadata', queue }) as const;
const pair = (name: string, value: string) => ({ name, value });

test('of many concurrent creations of a queue one creates it, and the others find it', async () => {
  const { run } = openAccount();
  const kinds = (await Promise.all([1, 2, 3, 4].map(() => run(create(QUEUE))))).map(({ kind }) => kind);
  assert.deepEqual(kinds.sort(), ['queueCreated', 'queueExisted', 'queueExisted', 'queueExisted']);
});

test('a creation is decided on the queue that was in the way, though others delete it meanwhile', async () => {
  const account = openAccount();
  const { store } = account;
  const createSpace: typeof store.createSpace = async (address, ...more) => {
    const created = await store.createSpace(address, ...more);
    const space = await store.getSpace(address);
    if (space) await store.dropSpace(space);
    return created;
  };
  const deleting: Store = {
    createSpace,
    getSpace: (...call) => store.getSpace(...call),
    listSpaces: (...call) => store.listSpaces(...call),
    updateSpace: (...call) => store.updateSpace(...call),
    dropSpace: (...call) => store.dropSpace(...call),
    read: (...call) => store.read(...call),
    scan: (...call) => store.scan(...call),
    commit: (...call) => store.commit(...call),
    close: () => store.close(),
  };
  const run = runOn({ ...account.context, store: deleting }, account.time);
  for (const [metadata, kind] of [
    [[pair('a', '1')], 'queueExisted'],
    [[], undefined],
  ] as const) {
    await account.run(create(QUEUE, [pair('a', '1')]));
    if (kind) await outcomeOf(kind, run(create(QUEUE, metadata)));
    else await refusalOf('QueueAlreadyExists', run(create(QUEUE, metadata)));
    await refusalOf('QueueNotFound', run(read(QUEUE)));
  }
});

test('a deleted queue is gone at once with its messages, and its name is free', async () => {
  const account = await openQueue();
  const { run } = account;
  const message = await put(account, 'a');
  await outcomeOf('queueDeleted', run(drop(QUEUE)));
  await refusalOf('QueueNotFound', run(drop(QUEUE)));
  await refusalOf('QueueNotFound', run(read(QUEUE)));
  await refusalOf('QueueNotFound', run({ kind: 'clearMessages', queue: QUEUE }));
  await refusalOf('QueueNotFound', remove(account, message));
  await outcomeOf('queueCreated', run(create(QUEUE, [pair('x', '1')])));
  assert.deepEqual([await peek(account), await countOf(account)], [[], 0]);
  await refusalOf('MessageNotFound', remove(account, message));
});

test('a reserved name is refused to the tick, by a create alone', async () => {
  const { run, time } = openAccount(30n);
  await run(create(QUEUE));
  await run(drop(QUEUE));
  time.now += 30n * SECOND - 1n;
  await refusalOf('QueueBeingDeleted', run(create(QUEUE)));
  for (const operation of [
    read(QUEUE),
    drop(QUEUE),
    { kind: 'getQueueAcl', queue: QUEUE } as const,
    { kind: 'clearMessages', queue: QUEUE } as const,
  ])
    await refusalOf('QueueNotFound', run(operation));
  await outcomeOf('queueCreated', run(create('other')));
  time.now += 1n;
  await refusalOf('QueueNotFound', run(read(QUEUE)));
  await outcomeOf('queueCreated', run(create(QUEUE)));
});
