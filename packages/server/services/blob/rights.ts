// What the Blob service's operations need: of signatures of accounts, containers and blobs, of roles, and of containers that are open to
// all (protocol: sas#rights-of-blobs, authentication#roles, blob-requests#public-access).
import type { BlobOperationKind } from '#wire/blob';
import { type AuthorizationProtocol, ofOwner, type Right, right } from '../../auth/auth-protocol.js';

/** Below `Microsoft.Storage/storageAccounts/blobServices/`. */
type Action =
  | 'read'
  | 'write'
  | 'generateUserDelegationKey'
  | 'containers/read'
  | 'containers/write'
  | 'containers/delete'
  | 'containers/acl'
  | 'containers/blobs/read'
  | 'containers/blobs/write'
  | 'containers/blobs/delete'
  | 'containers/blobs/add'
  | 'containers/blobs/filter'
  | 'containers/blobs/tags/read'
  | 'containers/blobs/tags/write';

/** On blobs a signature of the account and one of a container need the same letters. */
const onBlob = (needs: string, actions: readonly Action[]): Right<Action> =>
  right('o', needs, actions, needs);

const POLICIES = ofOwner<Action>('containers/acl');
const READ = onBlob('r', ['containers/blobs/read']);
const WRITE = onBlob('w', ['containers/blobs/write']);
/** To replace an existing blob, `c` is not enough (admit.ts). */
const CREATE = onBlob('cw', ['containers/blobs/write', 'containers/blobs/add']);
const DELETE = onBlob('d', ['containers/blobs/delete']);
const APPEND = onBlob('aw', ['containers/blobs/write']);
const READ_CONTAINER = right<Action>('c', 'r', ['containers/read']);

export const BLOB_RIGHTS: Readonly<Record<BlobOperationKind, Right<Action>>> = {
  listContainers: right('s', 'l', ['containers/read']),
  createContainer: right('c', 'cw', ['containers/write']),
  deleteContainer: right('c', 'd', ['containers/delete']),
  getContainerProperties: READ_CONTAINER,
  getContainerMetadata: READ_CONTAINER,
  setContainerMetadata: right('c', 'w', ['containers/write']),
  getContainerAcl: POLICIES,
  setContainerAcl: POLICIES,
  leaseContainer: right('c', 'wd', ['containers/write']),
  listBlobs: right('c', 'l', ['containers/blobs/read'], 'l'),
  findBlobsByTags: right('sc', 'f', ['containers/blobs/filter'], 'f'),
  putBlockBlob: CREATE,
  putAppendBlob: CREATE,
  putPageBlob: CREATE,
  putBlobFromUrl: CREATE,
  putBlock: CREATE,
  putBlockFromUrl: CREATE,
  putBlockList: CREATE,
  getBlockList: READ,
  appendBlock: APPEND,
  appendBlockFromUrl: APPEND,
  sealBlob: WRITE,
  putPages: WRITE,
  clearPages: WRITE,
  putPagesFromUrl: WRITE,
  getPageRanges: READ,
  getBlob: READ,
  getBlobProperties: READ,
  setBlobProperties: WRITE,
  getBlobMetadata: READ,
  setBlobMetadata: WRITE,
  snapshotBlob: CREATE,
  deleteBlob: DELETE,
  leaseBlob: onBlob('wd', ['containers/blobs/write']),
  copyBlob: CREATE,
  abortCopy: WRITE,
  setTier: WRITE,
  getTags: onBlob('t', ['containers/blobs/tags/read']),
  setTags: onBlob('t', ['containers/blobs/tags/write']),
  getServiceProperties: right('s', 'r', ['read']),
  setServiceProperties: right('s', 'w', ['write']),
  getServiceStats: right('s', 'r', ['read']),
  getAccountInformation: right('sco', 'rwdlacuptf', ['containers/read'], 'racwdxltmeiyfop'),
  getUserDelegationKey: ofOwner('generateUserDelegationKey'),
  submitBatch: 'anyone',
};

/** Whether the operation makes a blob, or a block of it, in the place of one that may be there. */
export const isCreation = (kind: BlobOperationKind): boolean =>
  BLOB_RIGHTS[kind] === CREATE && kind !== 'snapshotBlob';

const READER: readonly Action[] = ['containers/read', 'containers/blobs/read', 'generateUserDelegationKey'];
const CONTRIBUTOR: readonly Action[] = [
  ...READER,
  'containers/write',
  'containers/delete',
  'containers/blobs/write',
  'containers/blobs/delete',
  'containers/blobs/add',
];

export const BLOB_ROLES = {
  'Storage Blob Data Reader': READER,
  'Storage Blob Data Contributor': CONTRIBUTOR,
  'Storage Blob Data Owner': [
    ...CONTRIBUTOR,
    'containers/acl',
    'containers/blobs/filter',
    'containers/blobs/tags/read',
    'containers/blobs/tags/write',
  ],
  'Storage Blob Delegator': ['generateUserDelegationKey'],
} as const satisfies AuthorizationProtocol['roles'] & Readonly<Record<string, readonly Action[]>>;

/** The action that a letter of a signature needs from the owner of its user delegation key. */
export const ACTION_OF_LETTER: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['r', 'containers/blobs/read'],
  ['l', 'containers/blobs/read'],
  ['a', 'containers/blobs/add'],
  ['c', 'containers/blobs/write'],
  ['w', 'containers/blobs/write'],
  ['d', 'containers/blobs/delete'],
  ['x', 'containers/blobs/delete'],
  ['m', 'containers/blobs/write'],
  ['e', 'containers/blobs/read'],
  ['y', 'containers/blobs/delete'],
  ['t', 'containers/blobs/tags/read'],
  ['f', 'containers/blobs/filter'],
]);

/** The least that a container must be open for. */
const OPEN_TO_ALL: ReadonlyMap<BlobOperationKind, 'blob' | 'container'> = new Map<
  BlobOperationKind,
  'blob' | 'container'
>([
  ['getBlob', 'blob'],
  ['getBlobProperties', 'blob'],
  ['getBlobMetadata', 'blob'],
  ['getBlockList', 'blob'],
  ['getPageRanges', 'blob'],
  ['listBlobs', 'container'],
  ['getContainerProperties', 'container'],
  ['getContainerMetadata', 'container'],
]);

/** Whether a container of that level lets everybody do it. */
export function isOpenToAll(
  kind: BlobOperationKind,
  publicAccess: 'private' | 'blob' | 'container',
): boolean {
  const least = OPEN_TO_ALL.get(kind);
  return least !== undefined && (publicAccess === 'container' || publicAccess === least);
}
