// Answers of Azure that users and programs reported, and that need a whole service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT, HOST } from '../../testing/service.js';
import { codeOf, type Headers, openAbc } from '../../testing/storage-requests.js';

const BLOCK_BLOB = { 'x-ms-blob-type': 'BlockBlob' };

test('find by tags refuses by the position or the rule', async () => {
  const { ask, send } = await openAbc();
  const find = (where: string) => `comp=blobs&where=${encodeURIComponent(where)}`;
  const ofAccount = await ask({ method: 'GET', target: `/?${find(`"a"='1' OR "b"='2'`)}` });
  assert.equal(codeOf(ofAccount), '400 InvalidQueryParameterValue');
  assert.match(
    ofAccount.text,
    /<Message>Error parsing query at or near character position 9: unexpected 'OR'\n.*<QueryParameterName>where<\/QueryParameterName><QueryParameterValue>"a"='1' OR "b"='2'<\/QueryParameterValue><\/Error>$/s,
  );
  const both = await send('GET', `?restype=container&${find(`@container='abc' AND a='1'`)}`);
  assert.equal(codeOf(both), '400 InvalidQueryParameterValue');
  assert.match(both.text, /<Message>Error parsing query: Cannot have container in both uri and query\n/);
  assert.equal(
    codeOf(await ask({ method: 'GET', target: `/?${find(`@container='abc' AND a='1'`)}` })),
    '200',
  );
  assert.equal(codeOf(await send('GET', `?restype=container&${find("a='1'")}`)), '200');
});

test('operations on the root blob alone refuse a snapshot', async () => {
  const { send, code } = await openAbc();
  const readable = { 'x-ms-blob-public-access': 'blob' };
  assert.equal(await code('PUT', '?restype=container&comp=acl', readable), '200');
  const taken = (await send('PUT', '/b?comp=snapshot')).headers.get('x-ms-snapshot') ?? '';
  const at = `snapshot=${encodeURIComponent(taken)}`;
  const guid = '00000000-0000-0000-0000-000000000000';
  const copy = { 'x-ms-copy-source': `http://${HOST}/${ACCOUNT}/abc/b` };
  const cases: readonly (readonly [method: string, comp: string, headers: Headers])[] = [
    ['DELETE', '', { 'x-ms-delete-snapshots': 'include' }],
    ['DELETE', '', { 'x-ms-delete-snapshots': 'only' }],
    ['PUT', '', BLOCK_BLOB],
    ['PUT', '', { 'x-ms-blob-type': 'AppendBlob' }],
    ['PUT', '', { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': '512' }],
    ['PUT', '', copy],
    ['PUT', '', { ...copy, ...BLOCK_BLOB }],
    ['PUT', '&comp=block&blockid=YQ%3D%3D', {}],
    ['PUT', '&comp=blocklist', {}],
    ['PUT', '&comp=appendblock', {}],
    ['PUT', '&comp=page', { 'x-ms-page-write': 'clear', 'x-ms-range': 'bytes=0-511' }],
    ['PUT', '&comp=seal', {}],
    ['PUT', '&comp=metadata', { 'x-ms-meta-a': '1' }],
    ['PUT', '&comp=properties', {}],
    ['PUT', '&comp=snapshot', {}],
    ['PUT', '&comp=lease', { 'x-ms-lease-action': 'acquire', 'x-ms-lease-duration': '-1' }],
    ['PUT', `&comp=copy&copyid=${guid}`, { 'x-ms-copy-action': 'abort' }],
    ['PUT', '&comp=tags', {}],
  ];
  for (const [method, comp, headers] of cases) {
    const answer = await send(method, `/b?${at}${comp}`, headers);
    const name = `${method} ${comp} ${JSON.stringify(headers)}`;
    assert.equal(codeOf(answer), '400 InvalidQueryParameterValue', name);
    assert.equal(answer.headers.get('x-ms-error-code'), 'InvalidQueryParameterValue', name);
    assert.equal(answer.headers.get('x-ms-version'), '2026-04-06', name);
    assert.match(
      answer.text,
      /<QueryParameterName>snapshot<.*<Reason>This operation is only allowed on the root blob\. Snapshot should not be provided\.<\/Reason>/,
      name,
    );
  }
  assert.equal(codeOf(await send('DELETE', `/b?${at}`)), '202');
  assert.equal(codeOf(await send('DELETE', '/b', { 'x-ms-delete-snapshots': 'include' })), '202');
});

test('a synchronous copy takes block blobs that are online', async () => {
  const { send, code } = await openAbc();
  assert.equal(
    await code('PUT', '?restype=container&comp=acl', { 'x-ms-blob-public-access': 'blob' }),
    '200',
  );
  assert.equal(await code('PUT', '/log', { 'x-ms-blob-type': 'AppendBlob' }), '201');
  assert.equal(await code('PUT', '/old', { ...BLOCK_BLOB, 'x-ms-access-tier': 'Archive' }, 'x'), '201');
  const copy = (name: string, more: Headers) =>
    send('PUT', '/copy', { 'x-ms-copy-source': `http://${HOST}/${ACCOUNT}/abc/${name}`, ...more });
  const waiting = { 'x-ms-requires-sync': 'true' };
  const log = await copy('log', waiting);
  assert.equal(codeOf(log), '409 CannotVerifyCopySource');
  assert.match(log.text, /<Message>The copy source must be a block blob\.\n/);
  assert.equal(codeOf(await copy('log', BLOCK_BLOB)), '201');
  assert.equal(codeOf(await copy('log', {})), '202');
  for (const more of [waiting, BLOCK_BLOB]) {
    const old = await copy('old', more);
    assert.equal(codeOf(old), '409 CannotVerifyCopySource');
    assert.match(old.text, /<Message>This operation is not permitted on an archived blob\.\n/);
  }
  assert.equal(codeOf(await copy('old', { 'x-ms-access-tier': 'Hot' })), '202');
  assert.equal(await code('PUT', '/old', BLOCK_BLOB, 'y'), '409 BlobArchived');
  assert.equal(await code('PUT', '/old?comp=metadata', { 'x-ms-meta-a': '1' }), '409 BlobArchived');
  assert.equal(await code('DELETE', '/old'), '202');
});

test('metadata values that are not ASCII are refused', async () => {
  const { ask, code } = await openAbc();
  const metadata = { 'x-ms-meta-a': Buffer.from('č').toString('latin1') };
  const copy = { 'x-ms-copy-source': `http://${HOST}/${ACCOUNT}/abc/b` };
  const refused = '400 InvalidMetadata';
  for (const [target, headers] of [
    ['/m', BLOCK_BLOB],
    ['/m', { 'x-ms-blob-type': 'AppendBlob' }],
    ['/m', copy],
    ['/b?comp=metadata', {}],
    ['/b?comp=snapshot', {}],
    ['?restype=container&comp=metadata', {}],
  ] as const)
    assert.equal(await code('PUT', target, { ...headers, ...metadata }), refused, target);
  const list = '<BlockList></BlockList>';
  assert.equal(await code('PUT', '/m?comp=blocklist', metadata, list), refused);
  const container = { method: 'PUT', target: '/new?restype=container', headers: metadata };
  assert.equal(codeOf(await ask(container)), refused);
  assert.equal(await code('PUT', '/m', { ...BLOCK_BLOB, 'x-ms-meta-a': '%C4%8D' }), '201');
});
