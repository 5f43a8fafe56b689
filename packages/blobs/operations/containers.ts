// The operations on containers: Create, Delete and List Containers, their properties, metadata, access policies and
// leases (protocol: containers, leases). A deleted container's name is free at once, unless names are reserved.
import { isNameReserved, pageOfSpaces, reserveName } from '#account';
import type { Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { checkContainerName } from '../limits.js';
import type { OnContainerIf, OperationOf } from '../operation.js';
import type { Outcome, SeenContainer } from '../outcome.js';
import {
  type Container,
  containerAddress,
  decodeContainer,
  encodeContainer,
  missingContainer,
  openContainer,
} from '../rows/container-space.js';
import {
  type ContainerConditions,
  checkContainerConditions,
  checkLease,
  stateOfLease,
} from '../values/conditions.js';
import { changeLease, type LeaseChange } from '../values/lease.js';
import type { Stamp } from '../values/properties.js';

function seenContainer(name: string, container: Container, now: bigint): SeenContainer {
  return {
    name,
    stamp: stampOf(container),
    metadata: container.metadata,
    publicAccess: container.publicAccess,
    lease: stateOfLease(container.lease, now),
  };
}

export async function createContainer(
  context: BlobContext,
  { container, metadata, publicAccess }: OperationOf<'createContainer'>,
): Promise<Outcome> {
  checkContainerName(container);
  const { store, account, clock } = context;
  const address = containerAddress(account, container);
  const now = clock();
  const bytes = encodeContainer({
    etag: now,
    lastModified: now,
    metadata,
    publicAccess,
    identifiers: [],
    lease: undefined,
  });
  if (await isNameReserved(context, address)) throw new BlobError('ContainerBeingDeleted');
  if (!(await store.createSpace(address, bytes))) throw new BlobError('ContainerAlreadyExists');
  return { kind: 'containerCreated', stamp: { etag: now, lastModified: now } };
}

/** While the name is reserved the container is being deleted, and to delete it again succeeds (protocol: containers#create-and-delete). */
async function openToDelete(context: BlobContext, container: string): Promise<Space | undefined> {
  try {
    return await openContainer(context, container);
  } catch (error) {
    const isGone = error instanceof BlobError && error.code === 'ContainerNotFound';
    if (isGone && (await isNameReserved(context, containerAddress(context.account, container))))
      return undefined;
    throw error;
  }
}

export async function deleteContainer(
  context: BlobContext,
  { container, conditions }: OperationOf<'deleteContainer'>,
): Promise<Outcome> {
  const { store, account, clock } = context;
  const space = await openToDelete(context, container);
  if (space === undefined) return { kind: 'containerDeleted' };
  const now = clock();
  // In one change of the space: no lease is acquired between the check and the deletion.
  const check = (bytes: Buffer): void => admit(decodeContainer(bytes), conditions, now, true);
  if (!(await store.dropSpace(space, check))) throw missingContainer();
  await reserveName(context, containerAddress(account, container));
  return { kind: 'containerDeleted' };
}

export async function listContainers(
  { store, account, clock }: BlobContext,
  operation: OperationOf<'listContainers'>,
): Promise<Outcome> {
  const { spaces, next } = await pageOfSpaces(store, account, 'blob', operation);
  const now = clock();
  const containers = spaces.map(({ name, metadata }) => seenContainer(name, decodeContainer(metadata), now));
  return { kind: 'containers', containers, next };
}

const stampOf = ({ etag, lastModified }: Container): Stamp => ({ etag, lastModified });

/** Only a delete needs the lease; an id that is sent has to be the right one (protocol: leases#other-operations). */
function admit(
  { lease, lastModified }: Container,
  conditions: ContainerConditions,
  now: bigint,
  isGuarded = false,
): void {
  checkLease(lease, conditions.leaseId, now, isGuarded, 'Container');
  checkContainerConditions(conditions, lastModified);
}

async function readContainer(
  context: BlobContext,
  { container, conditions }: OnContainerIf,
): Promise<Container> {
  const stored = decodeContainer((await openContainer(context, container)).metadata);
  admit(stored, conditions, context.clock());
  return stored;
}

export async function getContainerProperties(
  context: BlobContext,
  operation: OperationOf<'getContainerProperties'>,
): Promise<Outcome> {
  const stored = await readContainer(context, operation);
  return { kind: 'container', container: seenContainer(operation.container, stored, context.clock()) };
}

export async function getContainerMetadata(
  context: BlobContext,
  operation: OperationOf<'getContainerMetadata'>,
): Promise<Outcome> {
  const stored = await readContainer(context, operation);
  return { kind: 'containerMetadata', stamp: stampOf(stored), metadata: stored.metadata };
}

export async function getContainerAcl(
  context: BlobContext,
  operation: OperationOf<'getContainerAcl'>,
): Promise<Outcome> {
  const stored = await readContainer(context, operation);
  const { publicAccess, identifiers } = stored;
  return { kind: 'acl', stamp: stampOf(stored), publicAccess, identifiers };
}

/** What a server needs to decide about callers without a key; undefined if there is no such container. */
export async function readContainerAccess(
  { store, account }: Pick<BlobContext, 'store' | 'account'>,
  container: string,
): Promise<Pick<Container, 'publicAccess' | 'identifiers'> | undefined> {
  const space = await store.getSpace(containerAddress(account, container));
  return space && decodeContainer(space.metadata);
}

/** A set gives the container a new stamp. */
async function setContainer(
  context: BlobContext,
  container: string,
  conditions: ContainerConditions,
  change: (stored: Container) => Container,
): Promise<Outcome> {
  const space = await openContainer(context, container);
  const now = context.clock();
  const set = await context.store.updateSpace(space, bytes => {
    const stored = decodeContainer(bytes);
    admit(stored, conditions, now);
    const etag = now > stored.etag ? now : stored.etag + 1n;
    return encodeContainer({ ...change(stored), etag, lastModified: etag });
  });
  if (!set) throw missingContainer();
  return { kind: 'containerSet', stamp: stampOf(decodeContainer(set.metadata)) };
}

export function setContainerMetadata(
  context: BlobContext,
  { container, conditions, metadata }: OperationOf<'setContainerMetadata'>,
): Promise<Outcome> {
  return setContainer(context, container, conditions, stored => ({ ...stored, metadata }));
}

export const setContainerAcl = (
  context: BlobContext,
  { container, conditions, publicAccess, identifiers }: OperationOf<'setContainerAcl'>,
): Promise<Outcome> =>
  setContainer(context, container, conditions, stored => ({ ...stored, publicAccess, identifiers }));

/** Leases leave the stamp as it is (protocol: leases#actions). */
export async function leaseContainer(
  context: BlobContext,
  { container, conditions, action }: OperationOf<'leaseContainer'>,
): Promise<Outcome> {
  const space = await openContainer(context, container);
  const now = context.clock();
  const newId = context.ids();
  let made: LeaseChange | undefined;
  const set = await context.store.updateSpace(space, bytes => {
    const stored = decodeContainer(bytes);
    checkContainerConditions(conditions, stored.lastModified);
    made = changeLease(stored.lease, action, now, newId, 'Container');
    return encodeContainer({ ...stored, lease: made.lease });
  });
  if (!set || !made) throw missingContainer();
  const { id, seconds } = made;
  return { kind: 'leased', action: action.kind, stamp: stampOf(decodeContainer(set.metadata)), id, seconds };
}
