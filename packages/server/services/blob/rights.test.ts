// Which grant covers which operation of the Blob service (protocol: sas#rights-of-blobs, authentication#roles, blob-requests#public-access).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlobOperationKind } from '#wire/blob';
import { authorize } from '../../auth/authorize.js';
import type { Grant } from '../../auth/grant.js';
import type { Role } from '../../auth/roles.js';
import { BLOB_AUTHORIZATION } from './admit.js';
import { ACTION_OF_LETTER, BLOB_RIGHTS, BLOB_ROLES, isOpenToAll } from './rights.js';

const KINDS = Object.keys(BLOB_RIGHTS) as BlobOperationKind[];

const CREATES = [
  'putBlockBlob',
  'putAppendBlob',
  'putPageBlob',
  'putBlobFromUrl',
  'putBlock',
  'putBlockFromUrl',
];
const REPLACES = [...CREATES, 'putBlockList', 'snapshotBlob', 'copyBlob'];
const READS = ['getBlockList', 'getPageRanges', 'getBlob', 'getBlobProperties', 'getBlobMetadata'];
const WRITES = [
  'sealBlob',
  'putPages',
  'clearPages',
  'putPagesFromUrl',
  'setBlobProperties',
  'setBlobMetadata',
  'abortCopy',
  'setTier',
];
const APPENDS = ['appendBlock', 'appendBlockFromUrl'];
const TAGS = ['getTags', 'setTags'];
const ANY = ['getAccountInformation'];
/** What each letter is good for, on blobs. */
const OF_BLOBS: Readonly<Record<string, readonly string[]>> = {
  r: READS,
  a: APPENDS,
  c: REPLACES,
  w: [...REPLACES, ...WRITES, ...APPENDS, 'leaseBlob'],
  d: ['deleteBlob', 'leaseBlob'],
  t: TAGS,
  l: [],
  f: [],
};
/** On a container, with an account's signature. */
const OF_CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  r: ['getContainerProperties', 'getContainerMetadata'],
  c: ['createContainer'],
  w: ['createContainer', 'setContainerMetadata', 'leaseContainer'],
  d: ['deleteContainer', 'leaseContainer'],
  l: ['listBlobs'],
  f: ['findBlobsByTags'],
};
const OF_SERVICES: Readonly<Record<string, readonly string[]>> = {
  r: ['getServiceProperties', 'getServiceStats'],
  w: ['setServiceProperties'],
  l: ['listContainers'],
  f: ['findBlobsByTags'],
};

function outcome(grant: Grant, kind: BlobOperationKind): string {
  try {
    authorize(BLOB_AUTHORIZATION, grant, kind, 'c/b');
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
}

const allowed = (grant: Grant): string[] => KINDS.filter(kind => outcome(grant, kind) === 'ok').sort();
const sorted = (...kinds: readonly (readonly string[] | undefined)[]): string[] =>
  ['submitBatch', ...kinds.flatMap(each => each ?? [])].sort();

test('the owner may do everything', () => {
  assert.deepEqual(allowed({ kind: 'owner' }), [...KINDS].sort());
});

test("an account's signature by one type and one letter", () => {
  const tables = { s: OF_SERVICES, c: OF_CONTAINERS, o: OF_BLOBS };
  for (const type of ['s', 'c', 'o'] as const)
    for (const letter of 'rwdlactf')
      assert.deepEqual(
        allowed({ kind: 'accountSas', resourceTypes: type, permission: letter }),
        sorted(tables[type][letter], ANY),
        type + letter,
      );
});

test("a container's or a blob's signature is for blobs, lists and searches", () => {
  for (const letter of 'rwdlactf') {
    const more = letter === 'l' ? ['listBlobs'] : letter === 'f' ? ['findBlobsByTags'] : [];
    assert.deepEqual(
      allowed({ kind: 'serviceSas', resource: 'c/b', permission: letter, range: undefined }),
      sorted(OF_BLOBS[letter], ANY, more),
      letter,
    );
  }
});

test('the type is missed before the letter, and policies and keys are for no signature', () => {
  const grant = { kind: 'accountSas', resourceTypes: 's', permission: 'r' } as const;
  assert.equal(outcome(grant, 'getBlob'), 'AuthorizationResourceTypeMismatch');
  assert.equal(outcome(grant, 'listContainers'), 'AuthorizationPermissionMismatch');
  const all = { kind: 'accountSas', resourceTypes: 'sco', permission: 'rwdxylacuptfi' } as const;
  for (const kind of ['getContainerAcl', 'setContainerAcl', 'getUserDelegationKey'] as const)
    assert.equal(outcome(all, kind), 'AuthorizationFailure', kind);
});

test('roles', () => {
  const by = (...roles: Role[]) => allowed({ kind: 'bearer', roles, version: '2026-04-06' });
  const reader = sorted(READS, ANY, [
    'listContainers',
    'getContainerProperties',
    'getContainerMetadata',
    'listBlobs',
    'getUserDelegationKey',
  ]);
  const contributor = [
    ...reader,
    ...[
      'createContainer',
      'setContainerMetadata',
      'leaseContainer',
      'deleteContainer',
      'deleteBlob',
      'leaseBlob',
    ],
    ...REPLACES,
    ...WRITES,
    ...APPENDS,
  ].sort();
  const owner = [...contributor, ...TAGS, 'findBlobsByTags', 'getContainerAcl', 'setContainerAcl'].sort();
  assert.deepEqual(by('Storage Blob Data Reader'), reader);
  assert.deepEqual(by('Storage Blob Data Contributor'), contributor);
  assert.deepEqual(by('Storage Blob Data Owner'), owner);
  assert.deepEqual(by('Storage Blob Delegator'), sorted(['getUserDelegationKey']));
  assert.deepEqual(by('Storage Queue Data Contributor'), sorted());
  assert.deepEqual(by('Storage Account Contributor'), [...KINDS].sort());
});

test('the owner of data may delegate every letter, a reader those of reading alone', () => {
  const by = (role: keyof typeof BLOB_ROLES) => {
    const actions: readonly string[] = BLOB_ROLES[role];
    return [...ACTION_OF_LETTER].filter(([, action]) => actions.includes(action)).map(([letter]) => letter);
  };
  assert.deepEqual(by('Storage Blob Data Owner').join(''), 'rlacwdxmeytf');
  assert.deepEqual(by('Storage Blob Data Contributor').join(''), 'rlacwdxmey');
  assert.deepEqual(by('Storage Blob Data Reader').join(''), 'rle');
});

test('what a container is open for', () => {
  const open = (level: 'private' | 'blob' | 'container') =>
    KINDS.filter(kind => isOpenToAll(kind, level)).sort();
  assert.deepEqual(open('private'), []);
  assert.deepEqual(open('blob'), [...READS].sort());
  assert.deepEqual(
    open('container'),
    [...READS, 'listBlobs', 'getContainerProperties', 'getContainerMetadata'].sort(),
  );
});
