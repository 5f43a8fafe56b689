// Create, List and Delete Container (protocol: containers). A deleted container's name is free at once, unless names are reserved.
import { isNameReserved, reserveName } from '#account';
import type { Space } from '#store';
import { type BlobContext, missingContainer, openContainer } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { checkBlobMetadata, checkContainerName } from '../limits.js';
import type { CreateContainer, ListContainers, OnContainerIf } from '../operation.js';
import type { Outcome, SeenContainer } from '../outcome.js';
import { containerAddress, decodeContainer, encodeContainer } from '../rows/container-space.js';
import { checkContainerConditions } from '../values/check-conditions.js';
import { stateOfLease } from '../values/lease.js';
import { checkLease } from '../values/lease-machine.js';

export function seenContainer({ name, metadata }: Space, now: bigint): SeenContainer {
  const container = decodeContainer(metadata);
  return {
    name,
    stamp: { etag: container.etag, lastModified: container.lastModified },
    metadata: container.metadata,
    publicAccess: container.publicAccess,
    lease: stateOfLease(container.lease, now),
  };
}

export async function createContainer(
  context: BlobContext,
  { container, metadata, publicAccess }: CreateContainer,
): Promise<Outcome> {
  checkContainerName(container);
  checkBlobMetadata(metadata);
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
    isDeleting: false,
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

/** The check of the lease and the deletion are two changes of the space: after the first, no client can acquire a lease. */
export async function deleteContainer(
  context: BlobContext,
  { container, conditions }: OnContainerIf<'deleteContainer'>,
): Promise<Outcome> {
  const { store, account, clock } = context;
  const space = await openToDelete(context, container);
  if (space === undefined) return { kind: 'containerDeleted' };
  const now = clock();
  const marked = await store.updateSpace(space, bytes => {
    const stored = decodeContainer(bytes);
    checkLease(stored.lease, conditions.leaseId, now, true, 'Container');
    checkContainerConditions(conditions, stored.lastModified);
    return encodeContainer({ ...stored, isDeleting: true });
  });
  if (!marked || !(await store.dropSpace(marked))) throw missingContainer();
  await reserveName(context, containerAddress(account, container));
  return { kind: 'containerDeleted' };
}

export async function listContainers(
  { store, account, clock }: BlobContext,
  { prefix, from, top }: ListContainers,
): Promise<Outcome> {
  const start = from !== undefined && from > prefix ? from : prefix;
  const spaces = await store.listSpaces(account, 'blob', start, top + 1);
  // Names with the prefix are contiguous, and begin at the prefix itself.
  const found = spaces.filter(({ name }) => name.startsWith(prefix));
  const now = clock();
  const containers = found.slice(0, top).map(space => seenContainer(space, now));
  return { kind: 'containers', containers, next: found[top]?.name };
}
