// Containers through the package's entry point.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '../execute.js';
import {
  BLOB,
  CONTAINER,
  openAccount,
  openContainer,
  outcomeOf,
  putBlob,
  readBlob,
  refusalOf,
  SECOND,
  START,
} from '../testing/account.js';
import type { ContainerConditions } from '../values/conditions.js';
import type { LeaseAction } from '../values/lease.js';

const NONE: ContainerConditions = {
  ifModifiedSince: undefined,
  ifUnmodifiedSince: undefined,
  leaseId: undefined,
};
const create = (container: string) =>
  ({ kind: 'createContainer', container, metadata: [], publicAccess: 'private' }) as const;
const drop = (conditions = NONE, container = CONTAINER) =>
  ({ kind: 'deleteContainer', container, conditions }) as const;
const read = { kind: 'getContainerProperties', container: CONTAINER, conditions: NONE } as const;
const lease = (action: LeaseAction, conditions = NONE) =>
  ({ kind: 'leaseContainer', container: CONTAINER, action, conditions }) as const;

test('a container is made once, read, and deleted with its blobs', async () => {
  const account = openAccount();
  const { run } = account;
  await refusalOf('ContainerNotFound', run(read));
  assert.deepEqual(await run(create(CONTAINER)), {
    kind: 'containerCreated',
    stamp: { etag: START, lastModified: START },
  });
  await refusalOf('ContainerAlreadyExists', run(create(CONTAINER)));
  await refusalOf('InvalidResourceName', run(create('a--b')));
  await putBlob(account, BLOB, 'text');
  await outcomeOf('containerDeleted', run(drop()));
  await refusalOf('ContainerNotFound', run(drop()));
  await refusalOf('ContainerNotFound', putBlob(account, BLOB, 'text'));
  await openContainer(account);
  await refusalOf('BlobNotFound', readBlob(account, BLOB));
});

test('while the name is reserved, deleting again succeeds, and nothing else does', async () => {
  const { context, time } = await openContainer();
  const deletion = { ticks: 30n * SECOND, clock: () => time.now };
  const run = (operation: Parameters<typeof execute>[0]) => execute(operation, { ...context, deletion });
  await outcomeOf('containerDeleted', run(drop()));
  await outcomeOf('containerDeleted', run(drop()));
  await refusalOf('ContainerBeingDeleted', run(create(CONTAINER)));
  await refusalOf('ContainerNotFound', run(read));
  time.now += 31n * SECOND;
  await refusalOf('ContainerNotFound', run(drop()));
});

test('metadata and policies give the container a new stamp, conditions guard them', async () => {
  const { run, time } = await openContainer();
  const metadata = [{ name: 'Key', value: 'v' }];
  const set = (conditions = NONE) =>
    run({ kind: 'setContainerMetadata', container: CONTAINER, conditions, metadata });
  const first = await outcomeOf('containerSet', set());
  assert.equal(first.stamp.etag, START + 1n);
  await refusalOf('ConditionNotMet', set({ ...NONE, ifModifiedSince: START }));
  time.now += 2n * SECOND;
  const identifiers = [{ id: 'a', policy: { start: START, expiry: undefined, permission: 'r' } }];
  const acl = { kind: 'setContainerAcl', container: CONTAINER, publicAccess: 'blob', identifiers } as const;
  await refusalOf('ConditionNotMet', run({ ...acl, conditions: { ...NONE, ifUnmodifiedSince: START - 1n } }));
  const { stamp } = await outcomeOf('containerSet', run({ ...acl, conditions: NONE }));
  assert.equal(stamp.lastModified, time.now);
  const { container } = await outcomeOf('container', run(read));
  assert.deepEqual(container, {
    name: CONTAINER,
    stamp,
    metadata,
    publicAccess: 'blob',
    lease: { state: 'available', duration: undefined },
  });
  assert.deepEqual(await run({ kind: 'getContainerAcl', container: CONTAINER, conditions: NONE }), {
    kind: 'acl',
    stamp,
    publicAccess: 'blob',
    identifiers,
  });
});

test('a lease keeps a container from being deleted, and nothing else', async () => {
  const account = await openContainer();
  const { run, time } = account;
  const acquired = await outcomeOf(
    'leased',
    run(lease({ kind: 'acquire', seconds: 15, proposedId: undefined })),
  );
  const leaseId = acquired.id ?? '';
  assert.deepEqual(acquired.stamp, { etag: START, lastModified: START });
  await refusalOf('LeaseIdMissing:Container', run(drop()));
  await refusalOf('LeaseIdMismatchWithContainerOperation', run(drop({ ...NONE, leaseId: 'other' })));
  await putBlob(account, BLOB, 'x');
  await outcomeOf('container', run(read));
  await refusalOf(
    'LeaseIdMismatchWithContainerOperation',
    run({ ...read, conditions: { ...NONE, leaseId: 'x' } }),
  );
  time.now += 15n * SECOND;
  await refusalOf('LeaseLost:Container', run(drop({ ...NONE, leaseId })));
  await outcomeOf('leased', run(lease({ kind: 'renew', id: leaseId })));
  const broken = await outcomeOf('leased', run(lease({ kind: 'break', seconds: 5 })));
  assert.equal(broken.seconds, 5);
  await outcomeOf('containerDeleted', run(drop({ ...NONE, leaseId })));
});

test('a listing goes by prefix and in pages', async () => {
  const { run } = openAccount();
  for (const name of ['job-b', 'other', 'job-a', 'job-c']) await run(create(name));
  const list = async (prefix: string, top: number, from?: string) => {
    const { containers, next } = await outcomeOf(
      'containers',
      run({ kind: 'listContainers', prefix, from, top }),
    );
    return [containers.map(({ name }) => name), next];
  };
  assert.deepEqual(await list('', 9), [['job-a', 'job-b', 'job-c', 'other'], undefined]);
  assert.deepEqual(await list('job', 2), [['job-a', 'job-b'], 'job-c']);
  assert.deepEqual(await list('job', 2, 'job-c'), [['job-c'], undefined]);
});
