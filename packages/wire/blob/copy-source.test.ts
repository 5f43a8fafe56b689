// The URL of a copy's source: those of this server under all its names, those of others, and what is shown of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { codesOf } from '#account/testing';
import { parseSourceUrl } from './copy-source.js';

const ACCOUNTS = new Set(['acc', 'other']);

const parse = (url: string, host = '127.0.0.1:10000', secure = false) =>
  parseSourceUrl({ headers: { host, 'x-ms-copy-source': url }, secure }, ACCOUNTS);

const codeOf = codesOf(ServiceError);
const refusal = (url: string, host?: string): string => codeOf(() => parse(url, host));

const AT = 'http://127.0.0.1:10000/acc';

test('a blob, one of the root container, and a snapshot', () => {
  const { container, blob, snapshot, target, route } = parse(`${AT}/con/a%2Fb%20c`);
  assert.deepEqual(
    { container, blob, snapshot, target, account: route.account },
    { container: 'con', blob: 'a/b c', snapshot: undefined, target: '/acc/con/a%2Fb%20c', account: 'acc' },
  );
  assert.equal(parse(`${AT}/b`).container, '$root');
  assert.equal(parse(`${AT}/con/b?snapshot=1970-01-01T00:00:00.0000001Z`).snapshot, 1n);
  assert.equal(parse(`${AT}/con/b#part`).blob, 'b');
  assert.equal(parse(`${AT}-secondary/con/b`).route.secondary, true);
});

test('this machine has many names, all with the same port', () => {
  const hosts = ['localhost:10000', 'LOCALHOST:10000', '127.0.0.9:10000', '[::1]:10000'];
  for (const host of [...hosts, 'host.docker.internal:10000'])
    assert.equal(refusal(`http://${host}/acc/con/b`), 'none', host);
  assert.equal(refusal('http://server:10000/acc/con/b', 'server:10000'), 'none');
  assert.equal(refusal('http://localhost/acc/con/b', 'localhost:80'), 'none');
});

test('hosts of accounts are alike behind their first label', () => {
  const own = 'acc.blob.example:1';
  for (const host of ['acc', 'other', 'acc-secondary'])
    assert.equal(refusal(`http://${host}.blob.example:1/con/b`, own), 'none', host);
  for (const host of [
    'third.blob.example:1',
    'other.blob.example:2',
    'other.table.example:1',
    'blob.example:1',
  ])
    assert.equal(refusal(`http://${host}/con/b`, own), 'CannotVerifyCopySource:Missing', host);
});

test('other servers are not asked', () => {
  const others = ['example.com', '127.0.0.1', '127.0.0.1:10001', '10.0.0.1:10000', 'localhost.example:10000'];
  const tricks = ['127.0.0.1:10000@example.com', 'user@127.0.0.1:10000', '127.0.0.1:10000\\', '[::1', '0'];
  for (const host of [...others, ...tricks])
    assert.equal(refusal(`http://${host}/acc/con/b`), 'CannotVerifyCopySource:Missing', host);
  assert.equal(refusal('https://127.0.0.1/acc/con/b', '127.0.0.1:80'), 'CannotVerifyCopySource:Missing');
});

test('what is no URL of a blob', () => {
  const bad = ['x', 'http://', 'http:///acc/con/b', '/acc/con/b', 'file:///a', 'ftp://127.0.0.1:10000/a'];
  for (const url of [...bad, AT, `${AT}/`, `${AT}/con?restype=container`, `${AT}//b`])
    assert.equal(refusal(url), 'InvalidHeaderValue', url);
  assert.equal(refusal(''), 'MissingRequiredHeader');
  assert.equal(refusal(`${AT}/con/%zz`), 'InvalidUri');
  assert.equal(refusal(`${AT}/con/b?x=%80`), 'InvalidUri');
  assert.equal(refusal(`${AT}/con/b?snapshot=x`), 'InvalidQueryParameterValue');
  assert.notEqual(refusal(`${AT}/C/b`), 'none');
});

test('2,048 characters', () => {
  const sized = (length: number) => {
    const head = `${AT}/con/b?x=`;
    return refusal(head + 'x'.repeat(length - head.length));
  };
  for (const length of [2047, 2048]) assert.equal(sized(length), 'none');
  assert.equal(sized(2049), 'InvalidHeaderValue');
});

test('a signature is not shown, nor kept', () => {
  const shown = (query: string) => parse(`${AT}/con/b${query}`).shownUrl;
  assert.equal(shown('?sv=1&sr=b&sp=r&se=2&SIG=secret'), `${AT}/con/b`);
  assert.equal(
    shown('?sig=s&skoid=1&skt=2&ss=b&srt=o&spr=https&sip=1&si=p&snapshot='),
    `${AT}/con/b?snapshot=`,
  );
  assert.equal(shown('?x=1&sig=secret&y=2'), `${AT}/con/b?x=1&y=2`);
  assert.equal(shown('?x=1&sp=kept'), `${AT}/con/b?x=1&sp=kept`);
  assert.equal(shown('?rscd=a?b&sig=secret'), `${AT}/con/b?rscd=a?b`);
  assert.equal(shown('?x=1&s%69g=secret&%73p=r'), `${AT}/con/b?x=1`);
  assert.equal(shown('?sig=secret&x=1#part'), `${AT}/con/b?x=1#part`);
});
