// Outcomes of the Blob service as answers: the status, the headers and the document of each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultServiceProperties } from '#account';
import type { Outcome } from '#blobs';
import { parseTarget } from '../shared/target.js';
import { BLOB, MD5, STAMP, TICKS } from '../testing/shown-blob.js';
import { BLOB_GRAMMAR } from './blob-route.js';
import {
  type BlobsFound,
  formatBlobLists,
  formatBlobOutcome,
  formatLongList,
  isLongList,
} from './format-blob-outcome.js';

const STAMPED = ['Last-Modified', 'ETag'];
const DIGESTS = { md5: Buffer.alloc(16), crc64: Buffer.alloc(8) };
const DIGESTED = ['Content-MD5', 'x-ms-content-crc64', ...STAMPED];
const ENCRYPTED = ['x-ms-request-server-encrypted'];
const APPENDED = ['x-ms-blob-append-offset', 'x-ms-blob-committed-block-count'];
const NUMBERED = ['x-ms-blob-sequence-number'];
const COPIED = ['x-ms-copy-id', 'x-ms-copy-status'];
const routeOf = (path: string) =>
  parseTarget(
    { target: `/acc${path}`, headers: { host: '127.0.0.1:1' }, secure: false },
    new Set(),
    BLOB_GRAMMAR,
  );

const answerOf = (outcome: Outcome, path = '/abc/b', version = '2026-04-06') =>
  formatBlobOutcome(outcome, {
    route: routeOf(path),
    version,
    overrides: undefined,
    rangeDigests: [['x-ms-content-crc64', 'sum']],
  });

test('writes, settings and deletions: the status, and the headers before and behind those of the server', () => {
  const [stamp, digests] = [STAMP, DIGESTS];
  const cases: readonly (readonly [Outcome, number, readonly string[], readonly string[]])[] = [
    [{ kind: 'blobPut', stamp, digests }, 201, DIGESTED, ENCRYPTED],
    [{ kind: 'blobPut', stamp, digests: undefined }, 201, STAMPED, ENCRYPTED],
    [{ kind: 'blockPut', digests }, 201, DIGESTED.slice(0, 2), ENCRYPTED],
    [{ kind: 'appended', stamp, digests, offset: 7, blocks: 2 }, 201, DIGESTED, [...APPENDED, ...ENCRYPTED]],
    [{ kind: 'pagesPut', stamp, digests, sequenceNumber: 3n }, 201, DIGESTED, [...NUMBERED, ...ENCRYPTED]],
    [{ kind: 'sealed', stamp, length: 3 }, 200, STAMPED, ['x-ms-blob-sealed']],
    [{ kind: 'copied', stamp, copyId: 'i', digests: undefined }, 202, STAMPED, COPIED],
    [{ kind: 'snapshotTaken', stamp, snapshot: TICKS }, 201, STAMPED, ['x-ms-snapshot', ...ENCRYPTED]],
    [{ kind: 'containerCreated', stamp }, 201, STAMPED, []],
    [{ kind: 'containerDeleted' }, 202, [], []],
    [{ kind: 'containerSet', stamp }, 200, STAMPED, []],
    [{ kind: 'servicePropertiesSet' }, 202, [], []],
    [{ kind: 'blobPropertiesSet', stamp, sequenceNumber: undefined }, 200, STAMPED, []],
    [{ kind: 'blobPropertiesSet', stamp, sequenceNumber: 3n }, 200, STAMPED, NUMBERED],
    [{ kind: 'blobMetadataSet', stamp }, 200, STAMPED, ENCRYPTED],
    [{ kind: 'blobDeleted' }, 202, [], ['x-ms-delete-type-permanent']],
    [{ kind: 'tagsSet' }, 204, [], []],
    [{ kind: 'copyAborted' }, 204, [], []],
    [{ kind: 'tierSet' }, 200, [], []],
  ];
  for (const [outcome, ...expected] of cases) {
    const { status, content, more, body } = answerOf(outcome);
    assert.equal(body, undefined);
    assert.deepEqual(
      [status, content.map(([name]) => name), more.map(([name]) => name)],
      expected,
      outcome.kind,
    );
  }
  assert.deepEqual(answerOf({ kind: 'snapshotTaken', stamp, snapshot: TICKS + 1n }).more, [
    ['x-ms-snapshot', '2019-05-09T01:19:36.0000001Z'],
    ['x-ms-request-server-encrypted', 'false'],
  ]);
});

test('the stamp of what was written, and the digests that its version knows', () => {
  const written = (md5: Buffer | undefined, version: string) =>
    answerOf({ kind: 'blobPut', stamp: BLOB.stamp, digests: { ...DIGESTS, md5 } }, '/abc/b', version).content;
  const stamp = [
    ['Last-Modified', 'Thu, 09 May 2019 01:19:36 GMT'],
    ['ETag', '"0x8D6D41C664D0400"'],
  ];
  const md5 = ['Content-MD5', MD5.toString('base64')];
  const crc64 = ['x-ms-content-crc64', 'AAAAAAAAAAA='];
  assert.deepEqual(written(MD5, '2018-11-09'), [md5, ...stamp]);
  assert.deepEqual(written(MD5, '2019-02-02'), [md5, crc64, ...stamp]);
  assert.deepEqual(written(undefined, '2019-02-02'), [crc64, ...stamp]);
});

test('lease actions have a status each', () => {
  const of = (action: 'acquire' | 'renew' | 'change' | 'release' | 'break', more: object) => {
    const answer = answerOf({
      kind: 'leased',
      action,
      stamp: STAMP,
      id: undefined,
      seconds: undefined,
      ...more,
    });
    return [answer.status, ...answer.more.map(([name, value]) => `${name} ${value}`)];
  };
  assert.deepEqual(of('acquire', { id: 'i' }), [201, 'x-ms-lease-id i']);
  assert.deepEqual(of('renew', { id: 'i' }), [200, 'x-ms-lease-id i']);
  assert.deepEqual(of('change', { id: 'i' }), [200, 'x-ms-lease-id i']);
  assert.deepEqual(of('release', {}), [200]);
  assert.deepEqual(of('break', { seconds: 0 }), [202, 'x-ms-lease-time 0']);
});

test('a content, whole and in part', () => {
  const whole = answerOf({ kind: 'blobContent', blob: BLOB, range: undefined, content: Buffer.alloc(10) });
  assert.deepEqual([whole.status, whole.length, whole.contentType], [200, 10, 'text/plain']);
  assert.equal(new Map(whole.content).get('x-ms-content-crc64'), 'sum');
  assert.equal(new Map(whole.more).has('x-ms-blob-content-md5'), false);
  const part = answerOf({
    kind: 'blobContent',
    blob: BLOB,
    range: { from: 2, until: 5 },
    content: Buffer.alloc(3),
  });
  assert.deepEqual([part.status, part.length], [206, 3]);
  assert.equal(new Map(part.content).get('Content-Range'), 'bytes 2-4/10');
  assert.equal(new Map(part.more).has('x-ms-blob-content-md5'), true);
  const head = answerOf({ kind: 'blobProperties', blob: BLOB });
  assert.deepEqual([head.status, head.length, head.body], [200, 10, undefined]);
});

test('containers tell their level and their lease', () => {
  const container = {
    name: 'abc',
    stamp: STAMP,
    metadata: [{ name: 'A', value: '1' }],
    lease: { state: 'available', duration: undefined } as const,
  };
  const more = (publicAccess: 'private' | 'blob') =>
    answerOf({ kind: 'container', container: { ...container, publicAccess } }).more.map(([name]) => name);
  const holds = [
    'x-ms-has-immutability-policy',
    'x-ms-has-legal-hold',
    'x-ms-immutable-storage-with-versioning-enabled',
  ];
  const lease = ['x-ms-lease-status', 'x-ms-lease-state'];
  assert.deepEqual(more('private'), ['x-ms-meta-A', ...lease, ...holds]);
  assert.deepEqual(more('blob'), ['x-ms-meta-A', ...lease, 'x-ms-blob-public-access', ...holds]);
});

test('documents, with the parameters of the request', () => {
  const listed = answerOf(
    { kind: 'blobs', entries: [], next: { blob: 'b', snapshot: undefined } },
    '/abc?restype=container&comp=list&prefix=p&maxresults=7000&delimiter=%2F',
  );
  assert.deepEqual([listed.status, typeof listed.body], [200, 'string']);
  assert.match(
    String(listed.body),
    /ServiceEndpoint="http:\/\/127\.0\.0\.1:1\/acc\/" ContainerName="abc"><Prefix>p<\/Prefix><MaxResults>7000<\/MaxResults><Delimiter>\/<\/Delimiter><Blobs \/><NextMarker>1!Yg<\/NextMarker>/,
  );
  const containers = answerOf(
    { kind: 'containers', containers: [], next: 'abd' },
    '/?comp=list&maxresults=1',
  );
  assert.match(
    String(containers.body),
    /<MaxResults>1<\/MaxResults><Containers \/><NextMarker>\/acc\/abd<\/NextMarker>/,
  );
  const found = answerOf({ kind: 'found', blobs: [], next: undefined }, `/?comp=blobs&where=%22a%22%3D'1'`);
  assert.match(String(found.body), /<Where>"a"='1'<\/Where><Blobs \/><NextMarker \/>/);
  const acl = answerOf({ kind: 'acl', stamp: STAMP, publicAccess: 'container', identifiers: [] });
  assert.match(String(acl.body), /<SignedIdentifiers \/>/);
  assert.deepEqual(acl.more, [['x-ms-blob-public-access', 'container']]);
  const blocks = { kind: 'blocks', committed: [], uncommitted: undefined } as const;
  assert.deepEqual(answerOf({ ...blocks, committedBlob: undefined }).content, []);
  assert.deepEqual(answerOf({ ...blocks, committedBlob: { stamp: STAMP, length: 4 } }).more, [
    ['x-ms-blob-content-length', '4'],
  ]);
  for (const outcome of [
    { kind: 'serviceProperties', properties: defaultServiceProperties },
    { kind: 'serviceStats', lastSync: TICKS },
    { kind: 'tags', tags: [['a', '1']] },
  ] satisfies Outcome[])
    assert.match(String(answerOf(outcome).body), /^\ufeff<\?xml/);
});

const route = parseTarget(
  { target: '/acc/abc?prefix=%C3%A9&where=x', headers: { host: '127.0.0.1:1' }, secure: false },
  new Set(),
  BLOB_GRAMMAR,
);
const COUNT = 1000;
const numbers = Array.from({ length: COUNT }, (_, number) => number);

const LISTED: BlobsFound = {
  kind: 'blobs',
  entries: numbers.map(number => ({ kind: 'prefix', name: `é<${number}>` })),
  next: { blob: 'next', snapshot: undefined },
};
const FOUND: BlobsFound = {
  kind: 'found',
  blobs: numbers.map(number => ({ container: 'abc', blob: `${number}`, tags: [['k', `ü${number}`]] })),
  next: undefined,
};

for (const outcome of [LISTED, FOUND])
  test(`${outcome.kind}: the bytes of the long form are those of the text, and others have turns meanwhile`, async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const { body, ...facts } = await formatLongList(outcome, route, '2026-04-06');
    clearImmediate(timer);
    assert(turns >= 3, `${turns} turns`);
    const { body: text, ...same } = formatBlobLists(outcome, route, '2026-04-06');
    assert.deepEqual(facts, same);
    assert(Buffer.isBuffer(body) && typeof text === 'string');
    assert.equal(body.toString(), text);
  });

test('a list is long if it has more entries than a turn', () => {
  assert(isLongList(LISTED) && isLongList(FOUND));
  assert(!isLongList({ ...LISTED, entries: LISTED.entries.slice(0, 256) }));
  assert(!isLongList({ kind: 'tagsSet' }));
});
