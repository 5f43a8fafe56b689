// Containers through the package's entry point.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '../execute.js';
import {
  BLOB,
  CONTAINER,
  openContainer,
  outcomeOf,
  putBlob,
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

test('a delete and its check of the lease are one change', async () => {
  const { context, run } = await openContainer();
  const { store } = context;
  const { dropSpace } = store;
  const acquire = lease({ kind: 'acquire', seconds: 'infinite', proposedId: undefined });
  // A process that is killed before it leaves the container as it was.
  store.dropSpace = () => Promise.reject(new Error('killed'));
  await assert.rejects(run(drop()), /killed/);
  await outcomeOf('container', run(read));
  await outcomeOf('leased', run(acquire));
  await outcomeOf('leased', run(lease({ kind: 'break', seconds: 0 })));
  // A lease that is acquired after the container was opened counts.
  store.dropSpace = async (...call) => {
    await outcomeOf('leased', run(acquire));
    return dropSpace.apply(store, call);
  };
  await refusalOf('LeaseIdMissing:Container', run(drop()));
  await outcomeOf('container', run(read));
});
