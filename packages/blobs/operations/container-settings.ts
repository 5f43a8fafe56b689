// Get Container Properties, Get and Set Container Metadata and ACL, Lease Container (protocol: containers#settings, leases).
import type { SignedIdentifier } from '#account';
import type { Space } from '#store';
import { type BlobContext, missingContainer, openContainer } from '../blob-context.js';
import { checkBlobMetadata, checkLeaseAction } from '../limits.js';
import type { LeaseContainer, OnContainerIf, SetContainerAcl, SetContainerMetadata } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { type Container, decodeContainer, encodeContainer } from '../rows/container-space.js';
import { checkContainerConditions } from '../values/check-conditions.js';
import type { ContainerConditions } from '../values/conditions.js';
import { changeLease, checkLease, type LeaseChange } from '../values/lease-machine.js';
import type { PublicAccess, Stamp } from '../values/properties.js';
import { seenContainer } from './container-life.js';

interface Read {
  readonly space: Space;
  readonly stored: Container;
  readonly stamp: Stamp;
}

/** Reads need no lease; an id that is sent has to be the right one (protocol: leases#other-operations). */
async function readContainer(
  context: BlobContext,
  { container, conditions }: OnContainerIf<string>,
): Promise<Read> {
  const space = await openContainer(context, container);
  const stored = decodeContainer(space.metadata);
  checkLease(stored.lease, conditions.leaseId, context.clock(), false, 'Container');
  checkContainerConditions(conditions, stored.lastModified);
  return { space, stored, stamp: { etag: stored.etag, lastModified: stored.lastModified } };
}

export async function getContainerProperties(
  context: BlobContext,
  operation: OnContainerIf<'getContainerProperties'>,
): Promise<Outcome> {
  const { space } = await readContainer(context, operation);
  return { kind: 'container', container: seenContainer(space, context.clock()) };
}

export async function getContainerMetadata(
  context: BlobContext,
  operation: OnContainerIf<'getContainerMetadata'>,
): Promise<Outcome> {
  const { stored, stamp } = await readContainer(context, operation);
  return { kind: 'containerMetadata', stamp, metadata: stored.metadata };
}

export async function getContainerAcl(
  context: BlobContext,
  operation: OnContainerIf<'getContainerAcl'>,
): Promise<Outcome> {
  const { stored, stamp } = await readContainer(context, operation);
  return { kind: 'acl', stamp, publicAccess: stored.publicAccess, identifiers: stored.identifiers };
}

/** What a server needs to decide about callers without a key. */
export async function readContainerAccess(
  context: Pick<BlobContext, 'store' | 'account'>,
  container: string,
): Promise<{ readonly publicAccess: PublicAccess; readonly identifiers: readonly SignedIdentifier[] }> {
  const space = await openContainer(context, container);
  const { publicAccess, identifiers } = decodeContainer(space.metadata);
  return { publicAccess, identifiers };
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
    checkLease(stored.lease, conditions.leaseId, now, false, 'Container');
    checkContainerConditions(conditions, stored.lastModified);
    const etag = now > stored.etag ? now : stored.etag + 1n;
    return encodeContainer({ ...change(stored), etag, lastModified: etag });
  });
  if (!set) throw missingContainer();
  const { etag, lastModified } = decodeContainer(set.metadata);
  return { kind: 'containerSet', stamp: { etag, lastModified } };
}

export function setContainerMetadata(
  context: BlobContext,
  { container, conditions, metadata }: SetContainerMetadata,
): Promise<Outcome> {
  checkBlobMetadata(metadata);
  return setContainer(context, container, conditions, stored => ({ ...stored, metadata }));
}

export const setContainerAcl = (
  context: BlobContext,
  { container, conditions, publicAccess, identifiers }: SetContainerAcl,
): Promise<Outcome> =>
  setContainer(context, container, conditions, stored => ({ ...stored, publicAccess, identifiers }));

/** Leases leave the stamp as it is (protocol: leases#actions). */
export async function leaseContainer(
  context: BlobContext,
  { container, conditions, action }: LeaseContainer,
): Promise<Outcome> {
  checkLeaseAction(action);
  const space = await openContainer(context, container);
  const now = context.clock();
  const newId = context.ids();
  let made: LeaseChange | undefined;
  const set = await context.store.updateSpace(space, bytes => {
    const stored = decodeContainer(bytes);
    if (stored.isDeleting) throw missingContainer();
    checkContainerConditions(conditions, stored.lastModified);
    made = changeLease(stored.lease, action, now, newId, 'Container');
    return encodeContainer({ ...stored, lease: made.lease });
  });
  if (!set || !made) throw missingContainer();
  const { etag, lastModified } = decodeContainer(set.metadata);
  const { id, seconds } = made;
  return { kind: 'leased', action: action.kind, stamp: { etag, lastModified }, id, seconds };
}
