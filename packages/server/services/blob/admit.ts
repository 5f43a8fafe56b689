// Authorizes Blob operations beyond the rules of authorize.ts: public containers, signatures of a container on its
// blobs, and the letter `c`, which creates blobs and replaces none (protocol: sas#rights-of-blobs, blob-requests#public-access).

import { type BlobContext, BlobError, isBlobThere, type Operation, readContainerAccess } from '#blobs';
import type { Store } from '#store';
import {
  type BlobOperationKind,
  type BlobRoute,
  blobAddressOf,
  namesTagsOfSource,
  signedNameOf,
  TAGGING,
} from '#wire/blob';
import type { AuthorizationProtocol } from '../../auth/auth-protocol.js';
import { CHALLENGE_VERSION } from '../../auth/authenticate.js';
import { authorize } from '../../auth/authorize.js';
import type { Grant } from '../../auth/grant.js';
import { BLOB_RIGHTS, BLOB_ROLES, isCreation, isOpenToAll } from './rights.js';

export const BLOB_AUTHORIZATION: AuthorizationProtocol<BlobOperationKind> = {
  rights: BLOB_RIGHTS,
  roles: BLOB_ROLES,
  sasScope: resource => `The signature is for ${resource}.`,
};

/**
 * The refusal of a request without credentials: newer versions get a challenge, older ones ResourceNotFound
 * (recorded; protocol: blob-requests#public-access).
 */
export function anonymousRefusal(version: string | undefined, challenge: string): BlobError {
  const reason = 'There are no credentials.';
  return (version ?? '') >= CHALLENGE_VERSION
    ? new BlobError('NoAuthenticationInformation', { challenge, reason })
    : new BlobError('ResourceNotFound', { reason, isAnonymous: 1 });
}

/** Whether the container is open for that; one that is missing is open for nothing. */
export async function isOpen(store: Store, route: BlobRoute, kind: BlobOperationKind): Promise<boolean> {
  const { container } = blobAddressOf(route);
  const access = await readContainerAccess({ store, account: route.account }, container);
  return access !== undefined && isOpenToAll(kind, access.publicAccess);
}

/** A container's signature covers its blobs too. Names of blobs are case-sensitive, so the signature's own name is compared here. */
function grantedResource(grant: Grant, route: BlobRoute): string {
  const address = blobAddressOf(route);
  const name = signedNameOf(address);
  if (grant.kind !== 'serviceSas') return name;
  return grant.resource === address.container || grant.resource === name ? grant.resource : '';
}

/** @throws ServiceError AuthorizationFailure, AuthorizationResourceTypeMismatch, AuthorizationPermissionMismatch. */
export const authorizeBlob = (grant: Grant, kind: BlobOperationKind, route: BlobRoute): void =>
  authorize(BLOB_AUTHORIZATION, grant, kind, grantedResource(grant, route));

/** Setting tags together with content needs the right to set tags too (protocol: sas#rights-of-blobs). */
export function authorizeTags(
  grant: Grant,
  kind: BlobOperationKind,
  route: BlobRoute,
  headers: Readonly<Record<string, string | undefined>>,
): void {
  const setsTags = headers['x-ms-tags'] || namesTagsOfSource(headers);
  if (setsTags && TAGGING.has(kind)) authorizeBlob(grant, 'setTags', route);
}

/** Whether the grant makes blobs and replaces none. */
export function mayOnlyCreate(grant: Grant, kind: BlobOperationKind): boolean {
  if (grant.kind !== 'accountSas' && grant.kind !== 'serviceSas') return false;
  return isCreation(kind) && !grant.permission.includes('w');
}

/** The same operation, on the condition that the blob does not exist. */
export const ifMissing = (operation: Operation): Operation =>
  'conditions' in operation && 'ifNoneMatch' in operation.conditions
    ? ({ ...operation, conditions: { ...operation.conditions, ifNoneMatch: 'any' } } as Operation)
    : operation;

/** The error for a create-only SAS when the blob already exists. A client that sent that condition itself gets the condition's error. */
export const notReplaced = (error: unknown, operation: Operation): unknown =>
  error instanceof BlobError &&
  error.code === 'BlobAlreadyExists' &&
  'conditions' in operation &&
  !('ifNoneMatch' in operation.conditions && operation.conditions.ifNoneMatch === 'any')
    ? overwriting()
    : error;

const overwriting = (): BlobError =>
  new BlobError('UnauthorizedBlobOverwrite', {
    reason: 'The blob exists, and the signature grants create (c) without write (w).',
  });

/** Blocks that would replace a blob are refused when they come (protocol: sas#rights-of-blobs). @throws BlobError UnauthorizedBlobOverwrite. */
export async function checkStaging(operation: Operation, blobs: BlobContext): Promise<void> {
  if (operation.kind !== 'putBlock' && operation.kind !== 'putBlockFromUrl') return;
  const { container, blob } = operation;
  if (await isBlobThere(blobs, container, blob)) throw overwriting();
}
