// Targets of the Blob service, names that are odd but legal, and the kind of operation: every pair of verb and resource, and what the headers make of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { codesOf } from '#account/testing';
import { parseTarget } from '../shared/target.js';
import { BLOB_GRAMMAR, blobAddressOf, blobOperationKind, signedNameOf } from './blob-route.js';

const routeOf = (target: string) =>
  parseTarget({ target, headers: { host: '127.0.0.1' }, secure: false }, new Set(['a']), BLOB_GRAMMAR);
const address = (target: string) => blobAddressOf(routeOf(target));
const blobOf = (path: string): string => address(`/a/c/${path}`).blob;
const codeOf = codesOf(ServiceError);

test('one segment is a container, or a blob of the root container', () => {
  for (const [target, container, blob] of [
    ['/a/c?restype=container', 'c', ''],
    ['/a/c/?RESTYPE=Container', 'c', ''],
    ['/a/c', '$root', 'c'],
    ['/a/$root/c', '$root', 'c'],
    ['/a/%24root/c', '$root', 'c'],
    ['/a/c/b?restype=container', 'c', 'b'],
    ['/a/c%2Fb?restype=container', 'c/b', ''],
    ['/a/', '', ''],
  ] as const)
    assert.deepEqual(address(target), { container, blob }, target);
  assert.equal(signedNameOf(address('/a/c')), '$root/c');
  assert.equal(signedNameOf(address('/a/c?restype=container')), 'c');
});

test('names are decoded once and otherwise kept, but for backslashes', () => {
  const same = ['..', 'a/../b', '.', 'a.', 'a//b', '/', 'a/', 'a+b', 'A', 'a'.repeat(1025), '/'.repeat(300)];
  const kept: readonly (readonly [path: string, name: string])[] = [
    ...same.map(path => [path, path] as const),
    ['a%2Fb', 'a/b'],
    ['a%2fb/d', 'a/b/d'],
    ['a%5Cb', 'a/b'],
    ['a\\b%5c%5C', 'a/b//'],
    ['%20a%20', ' a '],
    ['a%2Bb', 'a+b'],
    ['a%2520', 'a%20'],
    ['%00%0D%0A', '\0\r\n'],
    ['%F0%9F%98%80', '😀'],
    ['e%CC%81', 'e\u0301'],
    ['%C3%A9', 'é'],
  ];
  for (const [path, name] of kept) assert.equal(blobOf(path), name, path.slice(0, 20));
});

test('escapes that are malformed, no UTF-8 and no account are refused', () => {
  const escapes = ['%', '%2', '%zz', '%80', '%C3', '%ED%A0%80', '%F8%88%80%80%80', '%C0%AF'];
  const targets = escapes.flatMap(path => [
    `/a/c/${path}`,
    `/a/${path}/b`,
    `/a/c/b?x=${path}`,
    `/${path}/c/b`,
  ]);
  for (const target of [...targets, '', '/', '//c/b', '?comp=list'])
    assert.equal(
      codeOf(() => routeOf(target)),
      'InvalidUri',
      target,
    );
});

type Headers = Readonly<Record<string, string>>;

/** The kind, or the code of the refusal. */
function outcomeOf(method: string, target: string, headers: Headers = {}): string {
  let kind = '';
  const code = codeOf(() => {
    kind = blobOperationKind({ method, headers }, routeOf(target));
  });
  return code === 'none' ? kind : code;
}

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'MERGE', 'TRACE', 'get', 'constructor'];

test('a container without a name is refused after authentication', () => {
  for (const target of ['/a//b', '/a//', '/a//b?restype=container', '/a//b?comp=block']) {
    assert.deepEqual(routeOf(target).resource, { kind: 'invalid' });
    for (const method of METHODS) assert.equal(outcomeOf(method, target), 'InvalidUri');
  }
});

const WRONG = 'InvalidQueryParameterValue';
const MISSING = 'MissingRequiredQueryParameter';
const reads = (kind: string): Headers => ({ GET: kind, HEAD: kind });

/** By method; `other` is every other method, where it is not the usual refusal. */
type Line = readonly [target: string, kinds: Headers, other?: string];

const OF_SERVICE: readonly Line[] = [
  ['/a/?comp=list', { GET: 'listContainers' }],
  ['/a?COMP=List&include=metadata', { GET: 'listContainers' }],
  ["/a/?comp=blobs&where=%22a%22='b'", { GET: 'findBlobsByTags' }],
  ['/a/?comp=batch', { POST: 'submitBatch' }],
  ['/a/?restype=service&comp=properties', { GET: 'getServiceProperties', PUT: 'setServiceProperties' }],
  ['/a-secondary/?restype=service&comp=stats', { GET: 'getServiceStats' }],
  ['/a/?restype=service&comp=stats', { GET: WRONG }],
  ['/a/?restype=Service&comp=userDelegationKey', { POST: 'getUserDelegationKey' }],
  ['/a/?restype=service&comp=list', {}, WRONG],
  ['/a/?restype=service', {}, MISSING],
  ['/a/?comp=properties', {}, MISSING],
  ['/a/?comp=userdelegationkey', {}, MISSING],
  ['/a/?restype=container&comp=properties', {}, WRONG],
  ['/a/?comp=other', {}, WRONG],
  ['/a/?comp=constructor', {}, WRONG],
  ['/a/', {}, MISSING],
];

const OF_ACCOUNT: readonly Line[] = ['/a/', '/a/c', '/a/c/b/d'].flatMap((path): Line[] => [
  [`${path}?restype=account&comp=properties`, reads('getAccountInformation')],
  // Nothing else of an account is at a path: least of all the container may be made or deleted by it.
  [`${path}?restype=account`, {}, MISSING],
  [`${path}?restype=Account&comp=acl`, {}, WRONG],
]);

const CONTAINER = { ...reads('getContainerProperties'), PUT: 'createContainer', DELETE: 'deleteContainer' };
const OF_CONTAINER: readonly Line[] = [
  ['/a/c?restype=container', CONTAINER],
  [
    '/a/c/?RESTYPE=Container&comp=Metadata',
    { ...reads('getContainerMetadata'), PUT: 'setContainerMetadata' },
  ],
  ['/a/c?restype=container&comp=acl', { ...reads('getContainerAcl'), PUT: 'setContainerAcl' }],
  ['/a/c?restype=container&comp=lease', { PUT: 'leaseContainer' }],
  ['/a/c?restype=container&comp=list', { GET: 'listBlobs' }],
  ['/a/c?restype=container&comp=blobs', { GET: 'findBlobsByTags' }],
  ['/a/c?restype=container&comp=batch', { POST: 'submitBatch' }],
  ['/a/c?restype=container&comp=block', {}, WRONG],
  ['/a/c?restype=container&action=getAccessControl', {}, WRONG],
];

const BLOB = { GET: 'getBlob', HEAD: 'getBlobProperties', PUT: 'putBlockBlob', DELETE: 'deleteBlob' };
const OF_BLOB: readonly Line[] = ['/a/c/b', '/a/b'].flatMap((path): Line[] => [
  [path, BLOB],
  [`${path}?comp=block`, { PUT: 'putBlock' }],
  [`${path}?comp=blockList`, { GET: 'getBlockList', PUT: 'putBlockList' }],
  [`${path}?comp=appendblock`, { PUT: 'appendBlock' }],
  [`${path}?comp=seal`, { PUT: 'sealBlob' }],
  [`${path}?comp=page`, { PUT: 'putPages' }],
  [`${path}?comp=pagelist`, { GET: 'getPageRanges' }],
  [`${path}?comp=properties`, { PUT: 'setBlobProperties' }],
  [`${path}?comp=metadata`, { ...reads('getBlobMetadata'), PUT: 'setBlobMetadata' }],
  [`${path}?comp=lease`, { PUT: 'leaseBlob' }],
  [`${path}?comp=snapshot`, { PUT: 'snapshotBlob' }],
  [`${path}?comp=copy`, { PUT: 'abortCopy' }],
  [`${path}?comp=tier`, { PUT: 'setTier' }],
  [`${path}?comp=tags`, { GET: 'getTags', PUT: 'setTags' }],
  [`${path}?comp=list`, {}, WRONG],
  [`${path}?comp=batch`, {}, WRONG],
  [`${path}?action=getStatus`, {}, WRONG],
]);

test('method, resource and query name the operation', () => {
  const sent = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-page-write': 'update' };
  for (const [target, kinds, other = 'UnsupportedHttpVerb'] of [
    ...OF_SERVICE,
    ...OF_ACCOUNT,
    ...OF_CONTAINER,
    ...OF_BLOB,
  ])
    for (const method of METHODS) {
      const expected = (Object.hasOwn(kinds, method) ? kinds[method] : undefined) ?? other;
      assert.equal(outcomeOf(method, target, sent), expected, `${method} ${target}`);
    }
});

test('headers name the type of what is put, and whether it is copied', () => {
  const type = (name: string): Headers => ({ 'x-ms-blob-type': name });
  const write = (name: string): Headers => ({ 'x-ms-page-write': name });
  const source: Headers = { 'x-ms-copy-source': 'http://h/a/c/s' };
  const cases: readonly (readonly [comp: string, headers: Headers, outcome: string])[] = [
    ['', type('blockBLOB'), 'putBlockBlob'],
    ['', type('AppendBlob'), 'putAppendBlob'],
    ['', type('PageBlob'), 'putPageBlob'],
    ['', type('Blob'), 'InvalidHeaderValue'],
    ['', {}, 'MissingRequiredHeader'],
    ['', source, 'copyBlob'],
    ['', { ...source, ...type('BlockBlob') }, 'putBlobFromUrl'],
    ['block', source, 'putBlockFromUrl'],
    ['appendblock', source, 'appendBlockFromUrl'],
    ['page', { ...source, ...write('update') }, 'putPagesFromUrl'],
    ['page', write('Clear'), 'clearPages'],
    ['page', write('x'), 'InvalidHeaderValue'],
    ['page', {}, 'MissingRequiredHeader'],
  ];
  for (const [comp, headers, outcome] of cases)
    assert.equal(outcomeOf('PUT', `/a/c/b?comp=${comp}`, headers), outcome, comp + JSON.stringify(headers));
});
