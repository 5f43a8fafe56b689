// Whatever comes, the Blob service answers with a code of its own and has no fault. BLOB_FUZZ_RUNS looks longer.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { blobSasStringToSign, parseBlobSas, wireCode } from '#wire';
import { BLOB_ERROR_TABLE } from '#wire/blob';
import { ACCOUNT, HOST } from '../../testing/service.js';
import {
  codeOf,
  type Headers,
  KEY,
  openContainer,
  routeOf,
  signed,
  unsigned,
} from '../../testing/storage-requests.js';

const RUNS = Number(process.env.BLOB_FUZZ_RUNS ?? 150);
const CODES = new Set(Object.keys(BLOB_ERROR_TABLE).map(wireCode));
/** What a header of an answer can hold. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

test('a signature puts nothing into a header that no header can hold', async () => {
  const { send } = await openContainer();
  const read = async (name: string, value: string) => {
    const fields = `sv=2020-12-06&sr=b&sp=r&se=2030-01-01T00:00:00Z&${name}=${encodeURIComponent(value)}`;
    const target = (sig: string) => `/abc/b?${fields}&sig=${encodeURIComponent(sig)}`;
    const { query } = routeOf(unsigned({ method: 'GET', target: target(`${'A'.repeat(43)}=`) }));
    const text = blobSasStringToSign(parseBlobSas(query, { container: 'abc', blob: 'b' }), ACCOUNT);
    const sig = createHmac('sha256', KEY).update(text).digest('base64');
    return send(unsigned({ method: 'GET', target: target(sig) }));
  };
  const good = await read('rscd', 'attachment; filename="é.txt"');
  assert.equal(codeOf(good), '200');
  assert.equal(good.headers.get('content-disposition'), 'attachment; filename="é.txt"');
  for (const name of ['rscc', 'rscd', 'rsce', 'rscl', 'rsct'])
    for (const value of ['a\r\nX-Other: 1', '\n', '\0', '\x7f', '日本'])
      assert.equal(codeOf(await read(name, value)), '400 InvalidQueryParameterValue', name + value);
});

test('a secondary endpoint answers reads', async () => {
  const { ask } = await openContainer();
  const answered = async (method: string, target: string) =>
    codeOf(await ask({ method, target: `-secondary${target}`, headers: { 'x-ms-blob-type': 'BlockBlob' } }));
  const lease = '/abc/b?comp=lease';
  for (const target of ['/abc/b', '/abc?restype=container&comp=list', '/?restype=service&comp=stats'])
    assert.equal(await answered('GET', target), '200', target);
  assert.equal(await answered('HEAD', '/abc/b'), '200');
  for (const [method, target] of [
    ['PUT', '/abc/b'],
    ['DELETE', '/abc/b'],
    ['PUT', lease],
  ] as const)
    assert.equal(await answered(method, target), '403 InsufficientAccountPermissions', target);
  for (const target of ['/?comp=batch', '/?restype=service&comp=userdelegationkey'])
    assert.match(await answered('POST', target), /^403 /, target);
});

test('what speaks of the account leaves the container alone', async () => {
  const { ask } = await openContainer();
  for (const method of ['DELETE', 'PUT', 'GET'])
    assert.equal(
      codeOf(await ask({ method, target: '/abc?restype=account' })),
      '400 MissingRequiredQueryParameter',
    );
  assert.equal(codeOf(await ask({ method: 'GET', target: '/abc/b' })), '200');
});

test('block lists that are none', async () => {
  const { ask } = await openContainer();
  const block = (id: string, body = 'x') =>
    ask({ method: 'PUT', target: `/abc/l?comp=block&blockid=${encodeURIComponent(id)}`, body });
  const commit = (items: string) =>
    ask({ method: 'PUT', target: '/abc/l?comp=blocklist', body: `<BlockList>${items}</BlockList>` });
  assert.equal(codeOf(await block('YWFhYQ==')), '201');
  assert.equal(codeOf(await block('Yg==')), '400 InvalidBlobOrBlock');
  assert.equal(codeOf(await block('!!')), '400 InvalidQueryParameterValue');
  assert.equal(codeOf(await block('')), '400 MissingRequiredQueryParameter');
  assert.equal(codeOf(await block('YmJiYg==', '')), '400 InvalidHeaderValue');
  assert.equal(codeOf(await commit('<Latest>enp6eg==</Latest>')), '400 InvalidBlockList');
  assert.equal(codeOf(await commit('<Committed>YWFhYQ==</Committed>')), '400 InvalidBlockList');
  assert.equal(codeOf(await commit('<Latest>YWFhYQ==</Latest>'.repeat(50_001))), '400 BlockListTooLong');
  assert.equal(codeOf(await commit('<Oldest>YWFhYQ==</Oldest>')), '400 InvalidXmlDocument');
  assert.equal(codeOf(await ask({ method: 'GET', target: '/abc/l' })), '404 BlobNotFound');
  assert.equal(codeOf(await commit('<Latest>YWFhYQ==</Latest>'.repeat(2))), '201');
  assert.equal((await ask({ method: 'GET', target: '/abc/l' })).text, 'xx');
});

test('a body whose length is not told is not taken for an empty one', async () => {
  const { send } = await openContainer();
  const put = (target: string, headers: Headers) => {
    const { headers: sent, ...request } = signed({
      method: 'PUT',
      target,
      headers: { 'content-length': '', ...headers },
    });
    const { 'content-length': _length, ...rest } = sent;
    return send({ ...request, headers: rest });
  };
  const target = '/abc?restype=container&comp=acl';
  await send(signed({ method: 'PUT', target, headers: { 'x-ms-blob-public-access': 'blob' } }));
  const source = { 'x-ms-copy-source': `http://${HOST}/${ACCOUNT}/abc/b` };
  for (const [target, headers] of [
    ['/abc/n', { 'x-ms-blob-type': 'BlockBlob' }],
    ['/abc/n', { 'x-ms-blob-type': 'AppendBlob' }],
    ['/abc/n', { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': '512' }],
    ['/abc/n', { 'x-ms-blob-type': 'BlockBlob', ...source }],
    ['/abc/n?comp=block&blockid=YQ==', {}],
    ['/abc/n?comp=block&blockid=YQ==', source],
    ['/abc/n?comp=blocklist', {}],
    ['/abc/n?comp=appendblock', {}],
    ['/abc/n?comp=appendblock', source],
    ['/abc/n?comp=page', { 'x-ms-page-write': 'update', range: 'bytes=0-511' }],
    ['/abc/n?comp=page', { 'x-ms-page-write': 'clear', range: 'bytes=0-511' }],
    ['/abc/n?comp=page', { ...source, range: 'bytes=0-511' }],
  ] as const) {
    const answer = await put(target, headers);
    assert.equal(codeOf(answer), '411 MissingContentLengthHeader', `${target} ${JSON.stringify(headers)}`);
    assert.match(answer.text, /<HeaderName>Content-Length<\/HeaderName>/);
  }
});

test('sums that differ leave nothing behind', async () => {
  const { ask } = await openContainer();
  const put = (headers: Headers) =>
    ask({
      method: 'PUT',
      target: '/abc/n',
      headers: { 'x-ms-blob-type': 'BlockBlob', ...headers },
      body: 'x',
    });
  const md5 = 'AAAAAAAAAAAAAAAAAAAAAA==';
  assert.equal(codeOf(await put({ 'content-md5': md5 })), '400 Md5Mismatch');
  assert.equal(codeOf(await put({ 'x-ms-blob-content-md5': md5 })), '400 Md5Mismatch');
  assert.equal(codeOf(await put({ 'x-ms-content-crc64': 'AAAAAAAAAAA=' })), '400 Crc64Mismatch');
  assert.equal(codeOf(await put({ 'content-md5': 'AAAA' })), '400 InvalidMd5');
  assert.equal(
    codeOf(await put({ 'content-md5': md5, 'x-ms-content-crc64': 'AAAAAAAAAAA=' })),
    '400 BothCrc64AndMd5HeaderPresent',
  );
  assert.equal(codeOf(await ask({ method: 'GET', target: '/abc/n' })), '404 BlobNotFound');
});

const names = fc.constantFrom(
  'b',
  'p',
  'a',
  'l',
  '%2F',
  '..',
  'a.',
  '%20',
  '%F0%9F%98%80',
  '%00',
  '%0D',
  '%zz',
  '',
);
const path = fc.oneof(
  { weight: 5, arbitrary: names.map(name => `/abc/${name}`) },
  fc.constantFrom('/', '/abc', '/ABC', '/a--b', '/$root', '/$logs', '//b'),
  fc.webPath(),
);
const numbers = fc.constantFrom(
  '',
  '0',
  '-1',
  '1',
  '15',
  '512',
  '5001',
  '2147483648',
  '9223372036854775807',
  '1e3',
);
const ranges = fc.constantFrom(
  'x',
  'bytes=0-',
  'bytes=0-511',
  'bytes=9-',
  'bytes=-1',
  `bytes=0-${'9'.repeat(16)}`,
);
const times = fc.constantFrom('x', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.9999999Z', '');
const comp = fc.constantFrom(
  ...['list', 'block', 'blocklist', 'appendblock', 'seal', 'page', 'pagelist', 'properties', 'metadata', 'x'],
  ...['acl', 'lease', 'snapshot', 'copy', 'tier', 'tags', 'batch', 'blobs', 'stats', 'userdelegationkey'],
);
const anyText = fc.string({ unit: codePoint, maxLength: 8 });
const parameter = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('comp'), comp) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('restype'), fc.constantFrom('container', 'service', 'x')) },
  fc.tuple(fc.constantFrom('maxresults', 'timeout'), numbers),
  fc.tuple(fc.constantFrom('snapshot', 'prevsnapshot'), times),
  fc.tuple(fc.constant('blockid'), fc.constantFrom('', 'YQ==', 'x', '!')),
  fc.tuple(
    fc.constantFrom('prefix', 'marker', 'delimiter', 'include', 'where', 'copyid', 'versionid'),
    anyText,
  ),
  fc.tuple(fc.constant('marker'), fc.constantFrom('1!QQ', '1!QQ!9999999999999999999', '1!AA!QQ', '1!_____w')),
  fc.tuple(fc.constant('where'), fc.constantFrom(`"a"='b'`, `"a">'`, '((', `@container='c'`)),
);
const query = fc
  .array(parameter, { maxLength: 4 })
  .map(pairs => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'));
const URL_OF = `http://${HOST}/${ACCOUNT}`;
const header = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constant('x-ms-blob-type'),
      fc.constantFrom('BlockBlob', 'PageBlob', 'AppendBlob', ''),
    ),
  },
  fc.tuple(fc.constantFrom('range', 'x-ms-range', 'x-ms-source-range'), ranges),
  fc.tuple(
    fc.constantFrom('if-match', 'if-none-match', 'x-ms-source-if-match', 'x-ms-lease-id', 'content-md5'),
    fc.constantFrom('*', 'x', '"', '"0x8D"', '0x0', '00000000-0000-0000-0000-000000000001'),
  ),
  fc.tuple(
    fc.constantFrom('x-ms-blob-content-length', 'x-ms-blob-sequence-number', 'x-ms-blob-condition-appendpos'),
    numbers,
  ),
  fc.tuple(
    fc.constantFrom('x-ms-lease-duration', 'x-ms-lease-break-period', 'x-ms-structured-content-length'),
    numbers,
  ),
  fc.tuple(fc.constant('x-ms-page-write'), fc.constantFrom('update', 'clear', 'x')),
  fc.tuple(fc.constant('x-ms-lease-action'), fc.constantFrom('acquire', 'break', 'renew', 'change', 'x')),
  fc.tuple(fc.constant('x-ms-sequence-number-action'), fc.constantFrom('max', 'update', 'increment', 'x')),
  fc.tuple(
    fc.constant('x-ms-copy-source'),
    fc.constantFrom(`${URL_OF}/abc/b`, `${URL_OF}/abc/%zz`, 'x', 'http://', `${URL_OF}/abc/b?snapshot=x`),
  ),
  fc.tuple(fc.constantFrom('x-ms-tags', 'x-ms-if-tags'), fc.constantFrom('a=b', `"a"='b'`, 'a', '%zz', '((')),
  fc.tuple(
    fc.constantFrom('x-ms-access-tier', 'x-ms-meta-a', 'x-ms-meta-1'),
    fc.constantFrom('Hot', 'x', ''),
  ),
  fc.tuple(fc.constant('x-ms-structured-body'), fc.constantFrom('XSM/1.0; properties=crc64', 'x')),
);
const headers = fc.array(header, { maxLength: 4 }).map((pairs): Headers => Object.fromEntries(pairs));
const document = fc.oneof(
  anyText,
  fc.constantFrom(
    'x'.repeat(512),
    '<BlockList><Latest>YQ==</Latest></BlockList>',
    '<Tags><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tags>',
    '<KeyInfo><Expiry>x</Expiry></KeyInfo>',
    '<StorageServiceProperties><StaticWebsite><Enabled>x</Enabled></StaticWebsite></StorageServiceProperties>',
    '<SignedIdentifiers />',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '--b\r\nContent-Type: application/http\r\n\r\nDELETE /x HTTP/1.1\r\n\r\n--b--',
    '\x01\0\0\0\0\0\0\0\0\x01\0\x01\0',
  ),
);
const method = fc.constantFrom('PUT', 'GET', 'HEAD', 'DELETE', 'POST', 'OPTIONS', 'PATCH');

test('every request has an answer of the protocol', async () => {
  const { ask, failures } = await openContainer();
  const asked = fc.record({ method, path, query, headers, body: document });
  await fc.assert(
    fc.asyncProperty(asked, async ({ path: below, query: parameters, ...rest }) => {
      const answer = await ask({ ...rest, target: parameters === '' ? below : `${below}?${parameters}` });
      assert.deepEqual(failures, []);
      assert.ok(answer.status < 500, codeOf(answer));
      for (const [name, value] of answer.headers) assert.match(value, HEADER_TEXT, name);
      const code = answer.headers.get('x-ms-error-code');
      if (code !== undefined) assert.ok(CODES.has(code) && answer.status >= 300, codeOf(answer));
      if (answer.status >= 400 && rest.method !== 'HEAD')
        assert.match(answer.text, /<Error><Code>\w+<\/Code>/);
    }),
    { numRuns: RUNS },
  );
});
