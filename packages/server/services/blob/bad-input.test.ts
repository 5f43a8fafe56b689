// Bad input to the Blob service: what it refuses, and what it leaves as it was. test/fuzz sends it any request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT, HOST } from '../../testing/service.js';
import {
  codeOf,
  type Headers,
  openContainer,
  signed,
  unsigned,
  withSas,
} from '../../testing/storage-requests.js';

test('a signature puts nothing into a header that no header can hold', async () => {
  const { send } = await openContainer();
  const read = (name: string, value: string) => {
    const fields = `sv=2020-12-06&sr=b&sp=r&se=2030-01-01T00:00:00Z&${name}=${encodeURIComponent(value)}`;
    const target = withSas('/abc/b', fields, { container: 'abc', blob: 'b' });
    return send(unsigned({ method: 'GET', target }));
  };
  const good = await read('rscd', 'attachment; filename="é.txt"');
  assert.equal(codeOf(good), '200');
  assert.equal(good.headers.get('content-disposition'), 'attachment; filename="é.txt"');
  for (const name of ['rscc', 'rscd', 'rsce', 'rscl', 'rsct'])
    for (const value of ['a\r\nX-Other: 1', '\n', '\0', '\x7f', '日本'])
      assert.equal(codeOf(await read(name, value)), '400 InvalidQueryParameterValue', name + value);
});

test('an empty parameter, which anyone can add to a signature, overrides no header', async () => {
  const { send } = await openContainer();
  const fields = 'sv=2020-12-06&sr=b&sp=r&se=2030-01-01T00:00:00Z';
  const target = `${withSas('/abc/b', fields, { container: 'abc', blob: 'b' })}&rsct=&rscd=&rscc=`;
  const { headers } = await send(unsigned({ method: 'GET', target }));
  assert.equal(headers.get('content-type'), 'application/octet-stream');
  assert.ok(!headers.has('content-disposition') && !headers.has('cache-control'));
});

test('the signature of a container is not for a blob of the root container with its name', async () => {
  const { send, ask } = await openContainer();
  const headers = { 'x-ms-blob-type': 'BlockBlob' };
  await ask({ method: 'PUT', target: '/$root?restype=container' });
  await ask({ method: 'PUT', target: '/abc', headers, body: 'of the root' });
  const fields = 'sv=2020-12-06&sr=c&sp=rwd&se=2030-01-01T00:00:00Z';
  const by = async (method: string, target: string, container: string) =>
    codeOf(
      await send(
        unsigned({ method, target: withSas(target, fields, { container, blob: '' }), headers, body: '' }),
      ),
    );
  for (const method of ['GET', 'PUT', 'DELETE'])
    assert.equal(await by(method, '/abc', 'abc'), '403 AuthenticationFailed', method);
  assert.equal(await by('GET', '/abc/b', 'abc'), '200');
  assert.equal(await by('GET', '/abc', '$root'), '200');
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
