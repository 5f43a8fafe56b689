// Queues from creation to deletion, their metadata and policies, listings, and the settings of the service
// (protocol: queues, service-properties).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metadata } from '#account';
import { defaultServiceProperties } from '#account';
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
  START,
} from '../testing/account.js';

const create = (queue: string, metadata: Metadata = []) =>
  ({ kind: 'createQueue', queue, metadata }) as const;
const drop = (queue: string) => ({ kind: 'deleteQueue', queue }) as const;
const read = (queue: string) => ({ kind: 'getQueueMetadata', queue }) as const;
const pair = (name: string, value: string) => ({ name, value });

test('a queue is created once; creating it again succeeds only with the same metadata', async () => {
  const { run } = openAccount();
  const metadata = [pair('Up', '1'), pair('b', '')];
  await outcomeOf('queueCreated', run(create(QUEUE, metadata)));
  await outcomeOf('queueExisted', run(create(QUEUE, metadata)));
  await outcomeOf('queueExisted', run(create(QUEUE, [pair('B', ''), pair('up', '1')])));
  for (const other of [
    [],
    [pair('Up', '1')],
    [pair('Up', '1'), pair('b', 'x')],
    [pair('Up', '1'), pair('c', '')],
  ])
    await refusalOf('QueueAlreadyExists', run(create(QUEUE, other)));
  assert.deepEqual(await run(read(QUEUE)), { kind: 'queueMetadata', metadata, approximateCount: 0 });
});

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

test('invalid queue names are refused', async () => {
  const { run } = openAccount();
  await refusalOf('OutOfRangeInput:ResourceName', run(create('ab')));
  await refusalOf('InvalidResourceName', run(create('a--b')));
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

test('set metadata replaces all of it, and touches neither policies nor messages', async () => {
  const account = await openQueue();
  const { run } = account;
  const identifiers = [{ id: 'a', policy: { start: START, expiry: undefined, permission: 'raup' } }];
  await put(account, 'a');
  await outcomeOf('aclSet', run({ kind: 'setQueueAcl', queue: QUEUE, identifiers }));
  for (const metadata of [[pair('a', '1'), pair('B', 'x y')], [pair('c', '')], []]) {
    await outcomeOf('queueMetadataSet', run({ kind: 'setQueueMetadata', queue: QUEUE, metadata }));
    assert.deepEqual(await run(read(QUEUE)), { kind: 'queueMetadata', metadata, approximateCount: 1 });
  }
  assert.deepEqual(await run({ kind: 'getQueueAcl', queue: QUEUE }), { kind: 'acl', identifiers });
  await run({ kind: 'setQueueAcl', queue: QUEUE, identifiers: [] });
  assert.deepEqual(await run({ kind: 'getQueueAcl', queue: QUEUE }), { kind: 'acl', identifiers: [] });
  await refusalOf('QueueNotFound', run({ kind: 'getQueueAcl', queue: 'other' }));
  await refusalOf('QueueNotFound', run({ kind: 'setQueueAcl', queue: 'other', identifiers }));
  await refusalOf('QueueNotFound', run({ kind: 'setQueueMetadata', queue: 'other', metadata: [] }));
});

test('a listing goes by prefix and in pages, in the order of the names', async () => {
  const { run } = openAccount();
  const names = ['a-1', 'job', 'job-1', 'job-2', 'job1', 'jobs', 'zzz'];
  for (const name of [...names].reverse()) await run(create(name, [pair('is', name)]));
  const list = async (prefix: string, top: number, from?: string) => {
    const { queues, next } = await outcomeOf('queues', run({ kind: 'listQueues', prefix, from, top }));
    for (const { name, metadata } of queues) assert.deepEqual(metadata, [pair('is', name)]);
    return [queues.map(({ name }) => name), next];
  };
  assert.deepEqual(await list('', 5000), [names, undefined]);
  assert.deepEqual(await list('', 7), [names, undefined]);
  assert.deepEqual(await list('', 6), [names.slice(0, 6), 'zzz']);
  assert.deepEqual(await list('job', 2), [['job', 'job-1'], 'job-2']);
  assert.deepEqual(await list('job', 2, 'job-2'), [['job-2', 'job1'], 'jobs']);
  assert.deepEqual(await list('job', 2, 'jobs'), [['jobs'], undefined]);
  assert.deepEqual(await list('job', 3, 'a'), [['job', 'job-1', 'job-2'], 'job1']);
  assert.deepEqual(await list('job', 2, 'k'), [[], undefined]);
  assert.deepEqual(await list('nothing', 2), [[], undefined]);
});

test('service properties are those of the Queue service, and no queue', async () => {
  const { run } = openAccount();
  const properties = { ...defaultServiceProperties };
  assert.deepEqual(await run({ kind: 'getServiceProperties' }), { kind: 'serviceProperties', properties });
  const logging = { version: '1.0', read: true, write: false, delete: true, retentionDays: 5 };
  await outcomeOf('servicePropertiesSet', run({ kind: 'setServiceProperties', change: { logging } }));
  const changed = { kind: 'serviceProperties', properties: { ...properties, logging } };
  assert.deepEqual(await run({ kind: 'getServiceProperties' }), changed);
  const list = { kind: 'listQueues', prefix: '', from: undefined, top: 10 } as const;
  assert.deepEqual(await run(list), { kind: 'queues', queues: [], next: undefined });
  assert.deepEqual(await run({ kind: 'getServiceStats' }), { kind: 'serviceStats', lastSync: START });
});
