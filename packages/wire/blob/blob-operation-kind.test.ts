// The kind of operation: every pair of verb and resource, what the headers make of it, and invalid ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { parseTarget } from '../shared/target.js';
import { BLOB_GRAMMAR, blobOperationKind } from './blob-route.js';

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'MERGE', 'TRACE', 'get', 'constructor'];

type Headers = Readonly<Record<string, string>>;

function outcomeOf(method: string, target: string, headers: Headers = {}): string {
  const route = parseTarget(
    { target, headers: { host: '127.0.0.1' }, secure: false },
    new Set(),
    BLOB_GRAMMAR,
  );
  try {
    return blobOperationKind({ method, headers }, route);
  } catch (error) {
    assert(error instanceof ServiceError);
    return error.code;
  }
}

const WRONG = 'InvalidQueryParameterValue';
const MISSING = 'MissingRequiredQueryParameter';
const VERB = 'UnsupportedHttpVerb';

type Line = readonly [target: string, kinds: Headers, other: string];

/** By method; `other` is every other method. */
const OF_SERVICE: readonly Line[] = [
  ['/a/?comp=list', { GET: 'listContainers' }, VERB],
  ['/a?COMP=List&include=metadata', { GET: 'listContainers' }, VERB],
  ["/a/?comp=blobs&where=%22a%22='b'", { GET: 'findBlobsByTags' }, VERB],
  ['/a/?comp=batch', { POST: 'submitBatch' }, VERB],
  ['/a/?restype=service&comp=properties', { GET: 'getServiceProperties', PUT: 'setServiceProperties' }, VERB],
  ['/a-secondary/?restype=service&comp=stats', { GET: 'getServiceStats' }, VERB],
  ['/a/?restype=service&comp=stats', { GET: WRONG }, VERB],
  ['/a/?restype=Service&comp=userDelegationKey', { POST: 'getUserDelegationKey' }, VERB],
  ['/a/?restype=service&comp=list', {}, WRONG],
  ['/a/?restype=service', {}, MISSING],
  ['/a/?comp=properties', {}, MISSING],
  ['/a/?comp=userdelegationkey', {}, MISSING],
  ['/a/?restype=container&comp=properties', {}, WRONG],
  ['/a/?comp=other', {}, WRONG],
  ['/a/?comp=constructor', {}, WRONG],
  ['/a/', {}, MISSING],
];

const ACCOUNT = { GET: 'getAccountInformation', HEAD: 'getAccountInformation' };
const OF_ACCOUNT: readonly Line[] = ['/a/', '/a/c', '/a/c/b/d'].flatMap((path): Line[] => [
  [`${path}?restype=account&comp=properties`, ACCOUNT, VERB],
  // Nothing else of an account is at a path: least of all the container may be made or deleted by it.
  [`${path}?restype=account`, {}, MISSING],
  [`${path}?restype=Account&comp=acl`, {}, WRONG],
]);

const OF_CONTAINER: readonly Line[] = [
  [
    '/a/c?restype=container',
    {
      GET: 'getContainerProperties',
      HEAD: 'getContainerProperties',
      PUT: 'createContainer',
      DELETE: 'deleteContainer',
    },
    VERB,
  ],
  [
    '/a/c/?RESTYPE=Container&comp=Metadata',
    { GET: 'getContainerMetadata', HEAD: 'getContainerMetadata', PUT: 'setContainerMetadata' },
    VERB,
  ],
  [
    '/a/c?restype=container&comp=acl',
    { GET: 'getContainerAcl', HEAD: 'getContainerAcl', PUT: 'setContainerAcl' },
    VERB,
  ],
  ['/a/c?restype=container&comp=lease', { PUT: 'leaseContainer' }, VERB],
  ['/a/c?restype=container&comp=list', { GET: 'listBlobs' }, VERB],
  ['/a/c?restype=container&comp=blobs', { GET: 'findBlobsByTags' }, VERB],
  ['/a/c?restype=container&comp=batch', { POST: 'submitBatch' }, VERB],
  ['/a/c?restype=container&comp=block', {}, WRONG],
  ['/a/c?restype=container&action=getAccessControl', {}, WRONG],
];

const OF_BLOB: readonly Line[] = ['/a/c/b', '/a/b'].flatMap((path): Line[] => [
  [path, { GET: 'getBlob', HEAD: 'getBlobProperties', PUT: 'putBlockBlob', DELETE: 'deleteBlob' }, VERB],
  [`${path}?comp=block`, { PUT: 'putBlock' }, VERB],
  [`${path}?comp=blockList`, { GET: 'getBlockList', PUT: 'putBlockList' }, VERB],
  [`${path}?comp=appendblock`, { PUT: 'appendBlock' }, VERB],
  [`${path}?comp=seal`, { PUT: 'sealBlob' }, VERB],
  [`${path}?comp=page`, { PUT: 'putPages' }, VERB],
  [`${path}?comp=pagelist`, { GET: 'getPageRanges' }, VERB],
  [`${path}?comp=properties`, { PUT: 'setBlobProperties' }, VERB],
  [
    `${path}?comp=metadata`,
    { GET: 'getBlobMetadata', HEAD: 'getBlobMetadata', PUT: 'setBlobMetadata' },
    VERB,
  ],
  [`${path}?comp=lease`, { PUT: 'leaseBlob' }, VERB],
  [`${path}?comp=snapshot`, { PUT: 'snapshotBlob' }, VERB],
  [`${path}?comp=copy`, { PUT: 'abortCopy' }, VERB],
  [`${path}?comp=tier`, { PUT: 'setTier' }, VERB],
  [`${path}?comp=tags`, { GET: 'getTags', PUT: 'setTags' }, VERB],
  [`${path}?comp=list`, {}, WRONG],
  [`${path}?comp=batch`, {}, WRONG],
  [`${path}?action=getStatus`, {}, WRONG],
]);

test('method, resource and query name the operation', () => {
  const sent = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-page-write': 'update' };
  for (const [target, kinds, other] of [...OF_SERVICE, ...OF_ACCOUNT, ...OF_CONTAINER, ...OF_BLOB])
    for (const method of METHODS)
      assert.equal(
        outcomeOf(method, target, sent),
        (Object.hasOwn(kinds, method) ? kinds[method] : undefined) ?? other,
        `${method} ${target}`,
      );
});

test('of a path without a container nothing is named', () => {
  for (const method of METHODS) assert.equal(outcomeOf(method, '/a//b?comp=block'), 'InvalidUri');
});

const SOURCE = { 'x-ms-copy-source': 'http://h/a/c/s' };

test('headers name the type of what is put, and whether it is copied', () => {
  const put = (headers: Headers, comp = '') => outcomeOf('PUT', `/a/c/b?comp=${comp}`, headers);
  const type = (name: string) => ({ 'x-ms-blob-type': name });
  assert.equal(put(type('blockBLOB')), 'putBlockBlob');
  assert.equal(put(type('AppendBlob')), 'putAppendBlob');
  assert.equal(put(type('PageBlob')), 'putPageBlob');
  assert.equal(put(type('Blob')), 'InvalidHeaderValue');
  assert.equal(put({}), 'MissingRequiredHeader');
  assert.equal(put(SOURCE), 'copyBlob');
  assert.equal(put({ ...SOURCE, ...type('BlockBlob') }), 'putBlobFromUrl');
  assert.equal(put(SOURCE, 'block'), 'putBlockFromUrl');
  assert.equal(put(SOURCE, 'appendblock'), 'appendBlockFromUrl');
  assert.equal(put({ ...SOURCE, 'x-ms-page-write': 'update' }, 'page'), 'putPagesFromUrl');
  assert.equal(put({ 'x-ms-page-write': 'Clear' }, 'page'), 'clearPages');
  assert.equal(put({ 'x-ms-page-write': 'x' }, 'page'), 'InvalidHeaderValue');
  assert.equal(put({}, 'page'), 'MissingRequiredHeader');
});
