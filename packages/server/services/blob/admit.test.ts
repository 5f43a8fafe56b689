// Rules of admission to Blob operations beyond the rights: the resource of a signature, what `c` without `w` may create, what
// tags need, and what is open to all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobError, execute, type Operation, type PublicAccess } from '#blobs';
import { parseTarget } from '#wire';
import { BLOB_GRAMMAR, type BlobOperationKind, type BlobRoute } from '#wire/blob';
import type { Grant } from '../../auth/grant.js';
import { ACCOUNT, HOST, openService } from '../../testing/service.js';
import {
  anonymousRefusal,
  authorizeBlob,
  authorizeTags,
  ifMissing,
  isOpen,
  mayOnlyCreate,
  notReplaced,
} from './admit.js';
import { blobContextOf } from './blob-request.js';

const routeOf = (path: string): BlobRoute =>
  parseTarget(
    { target: `/${ACCOUNT}${path}`, headers: { host: HOST }, secure: false },
    new Set(),
    BLOB_GRAMMAR,
  );
const signature = (resource: string, permission = 'rwlt'): Grant => ({
  kind: 'serviceSas',
  resource,
  permission,
  range: undefined,
});

function outcome(run: () => void): string {
  try {
    run();
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
}
const admitted = (grant: Grant, kind: BlobOperationKind, path: string): string =>
  outcome(() => authorizeBlob(grant, kind, routeOf(path)));

test('a signature is for its blob, one of a container for all of them', () => {
  for (const [resource, kind, path, expected] of [
    ['abc/b', 'getBlob', '/abc/b', 'ok'],
    ['abc/b/c', 'getBlob', '/abc/b%2Fc', 'ok'],
    ['abc', 'getBlob', '/abc/b', 'ok'],
    ['abc', 'listBlobs', '/abc?restype=container&comp=list', 'ok'],
    ['$root/abc', 'getBlob', '/abc', 'ok'],
    ['$root', 'getBlob', '/abc', 'ok'],
    ['abc', 'getBlob', '/abc', 'AuthorizationFailure'],
    ['abc/b', 'getBlob', '/abc/c', 'AuthorizationFailure'],
    ['abc/b', 'getBlob', '/abc/B', 'AuthorizationFailure'],
    ['abc/b', 'getBlob', '/abc/b/', 'AuthorizationFailure'],
    ['abc/b', 'getBlob', '/abd/b', 'AuthorizationFailure'],
    ['abc/b', 'listBlobs', '/abc?restype=container&comp=list', 'AuthorizationFailure'],
    ['abc', 'getBlob', '/abcd/b', 'AuthorizationFailure'],
    ['abc', 'getBlob', '/$root/abc', 'AuthorizationFailure'],
    ['abc', 'deleteContainer', '/abc?restype=container', 'AuthorizationFailure'],
    ['abc', 'deleteBlob', '/abc/b', 'AuthorizationPermissionMismatch'],
  ] as const)
    assert.equal(admitted(signature(resource), kind, path), expected, `${resource} ${kind} ${path}`);
});

test('tags that come with a content need their own letter', () => {
  const by = (permission: string, kind: BlobOperationKind, headers: Readonly<Record<string, string>>) =>
    outcome(() => authorizeTags(signature('abc', permission), kind, routeOf('/abc/b'), headers));
  for (const headers of [{ 'x-ms-tags': 'a=1' }, { 'x-ms-copy-source-tag-option': 'COPY' }])
    for (const kind of [
      'putBlockBlob',
      'putAppendBlob',
      'putPageBlob',
      'putBlobFromUrl',
      'putBlockList',
      'copyBlob',
    ] as const) {
      assert.equal(by('w', kind, headers), 'AuthorizationPermissionMismatch', kind);
      assert.equal(by('wt', kind, headers), 'ok', kind);
    }
  assert.equal(by('w', 'putBlockBlob', { 'x-ms-tags': '', 'x-ms-copy-source-tag-option': 'REPLACE' }), 'ok');
  assert.equal(by('w', 'putBlock', { 'x-ms-tags': 'a=1' }), 'ok');
});

test('c without w makes blobs and replaces none', () => {
  const kinds = [
    'putBlockBlob',
    'putAppendBlob',
    'putPageBlob',
    'putBlobFromUrl',
    'putBlockList',
    'copyBlob',
    'putBlock',
    'putBlockFromUrl',
  ] as const;
  for (const kind of kinds) {
    assert.equal(mayOnlyCreate(signature('abc', 'c'), kind), true);
    assert.equal(mayOnlyCreate({ kind: 'accountSas', resourceTypes: 'o', permission: 'rc' }, kind), true);
    assert.equal(mayOnlyCreate(signature('abc', 'cw'), kind), false);
    assert.equal(mayOnlyCreate({ kind: 'owner' }, kind), false);
  }
  assert.equal(mayOnlyCreate(signature('abc', 'c'), 'appendBlock'), false);
  const conditions = { ifNoneMatch: undefined, leaseId: 'x' };
  const operation = { kind: 'putBlockBlob', conditions } as unknown as Operation;
  const limited = ifMissing(operation);
  assert.deepEqual(limited, { kind: 'putBlockBlob', conditions: { ifNoneMatch: 'any', leaseId: 'x' } });
  const there = new BlobError('BlobAlreadyExists');
  assert.equal((notReplaced(there, operation) as BlobError).code, 'UnauthorizedBlobOverwrite');
  assert.equal(notReplaced(there, limited), there, 'who asked for it is told so');
  const other = new BlobError('LeaseIdMissing');
  assert.equal(notReplaced(other, operation), other);
});

test('who came without credentials is asked for them, or finds nothing', () => {
  for (const version of [undefined, '2019-12-12', '2020-12-05'])
    assert.equal(anonymousRefusal(version, 'Bearer').code, 'ResourceNotFound');
  for (const version of ['2020-12-06', '2026-04-06'])
    assert.equal(anonymousRefusal(version, 'Bearer').code, 'NoAuthenticationInformation');
});

test('a container is open for what its level says, one that is missing for nothing', async () => {
  const { service } = openService();
  const context = blobContextOf(service, ACCOUNT);
  for (const publicAccess of ['private', 'blob', 'container'] satisfies PublicAccess[])
    await execute(
      { kind: 'createContainer', container: `of-${publicAccess}`, metadata: [], publicAccess },
      context,
    );
  const open = (container: string, kind: BlobOperationKind) =>
    isOpen(service.store, routeOf(`/${container}/b`), kind);
  for (const [container, reads, lists] of [
    ['of-private', false, false],
    ['of-blob', true, false],
    ['of-container', true, true],
    ['of-nothing', false, false],
  ] as const) {
    assert.equal(await open(container, 'getBlob'), reads, container);
    assert.equal(await open(container, 'listBlobs'), lists, container);
    assert.equal(await open(container, 'putBlockBlob'), false, container);
    assert.equal(await open(container, 'getTags'), false, container);
  }
});
