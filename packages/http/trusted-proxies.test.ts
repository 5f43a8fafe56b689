// The origin of a request that came through proxies: what their fields state, in which order they are read, and when
// none is trusted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen, type Respond } from './listen.js';
import { answer, connect, drain } from './testing/raw-socket.js';
import { TrustedProxies } from './trusted-proxies.js';

/** Address, scheme and host of a request from 10.0.0.1 over plain HTTP to `own`; `400` where it is refused. */
async function origin(
  headers: Readonly<Record<string, string>>,
  trusted = ['10.0.0.0/24', 'fd00::/8'],
): Promise<string> {
  const tell: Respond = ({ remoteAddress, secure, headers: { host } }) =>
    Promise.resolve(answer(`${remoteAddress} ${secure ? 'https' : 'http'} ${host}`));
  const respond = new TrustedProxies(trusted).unwrap(tell);
  const { status, body } = await respond({
    method: 'GET',
    target: '/',
    headers: { host: 'own', ...headers },
    body: Buffer.alloc(0),
    secure: false,
    remoteAddress: '10.0.0.1',
  });
  return status === 400 ? '400' : String(body);
}

const x = (addresses: string, proto?: string, host?: string): Readonly<Record<string, string>> => ({
  'x-forwarded-for': addresses,
  ...(proto !== undefined && { 'x-forwarded-proto': proto }),
  ...(host !== undefined && { 'x-forwarded-host': host }),
});

test('X-Forwarded-*: the nearest address that is not a trusted proxy is the caller', async () => {
  for (const [headers, expected] of [
    [{}, '10.0.0.1 http own'],
    [x('192.0.2.7'), '192.0.2.7 http own'],
    [x('192.0.2.7', 'https', 'tables.example'), '192.0.2.7 https tables.example'],
    [x('192.0.2.7', 'HTTPS', 'tables.example:8443'), '192.0.2.7 https tables.example:8443'],
    [x('192.0.2.7', 'http'), '192.0.2.7 http own'],
    // What the caller wrote is on the left.
    [x('127.0.0.1, 192.0.2.7', 'https, http', 'evil, own'), '192.0.2.7 http own'],
    [x('127.0.0.1, 192.0.2.7', 'http'), '192.0.2.7 http own'],
    // Several trusted proxies in a chain.
    [x('6.6.6.6, 192.0.2.7, 10.0.0.9', 'http, https, http', 'evil, far, near'), '192.0.2.7 https far'],
    [x('192.0.2.7, 10.0.0.9', 'https'), '192.0.2.7 https own'],
    [x('10.0.0.8, 10.0.0.9', 'https'), '10.0.0.8 https own'],
    [{ 'x-forwarded-proto': 'https' }, '10.0.0.1 https own'],
    [x('192.0.2.7:4711', 'https'), '192.0.2.7 https own'],
    [x('2001:db8::7', 'https'), '2001:db8::7 https own'],
    [x('[2001:db8::7]:4711', 'https'), '2001:db8::7 https own'],
    [x('::ffff:192.0.2.7', 'https'), '192.0.2.7 https own'],
    [x('192.0.2.7, fd00::9', 'https'), '192.0.2.7 https own'],
    [x('192.0.2.7, ::ffff:10.0.0.9', 'https'), '192.0.2.7 https own'],
    // A hidden address is in no range, and not the proxy's.
    [x('192.0.2.7, unknown', 'https'), 'unknown https own'],
    [x('192.0.2.7,', 'https'), 'unknown https own'],
    [x('192.0.2.7', 'ftp'), '192.0.2.7 http own'],
    [x('192.0.2.7', 'https', 'no host'), '192.0.2.7 https own'],
  ] as const)
    assert.equal(await origin(headers), expected, JSON.stringify(headers));
});

test('Forwarded: the same, and what cannot be read is refused', async () => {
  for (const [forwarded, expected] of [
    ['for=192.0.2.7', '192.0.2.7 http own'],
    ['for=192.0.2.7;proto=https;host=tables.example;by=10.0.0.1', '192.0.2.7 https tables.example'],
    ['For="[2001:db8::7]:4711" ; Proto="https"', '2001:db8::7 https own'],
    ['for=127.0.0.1;proto=https, for=192.0.2.7;proto=http', '192.0.2.7 http own'],
    ['for=192.0.2.7;proto=https,,for=10.0.0.9;proto=http', '192.0.2.7 https own'],
    ['for="192.0.2.7:4711";host="a\\.example"', '192.0.2.7 http a.example'],
    ['for=_hidden;proto=https', 'unknown https own'],
    ['for=unknown', 'unknown http own'],
    ['proto=https', '10.0.0.1 https own'],
    ['', '10.0.0.1 http own'],
    ...['for', 'for=', 'for=[::1]', 'for=a;for=b', 'for="a', 'for=a b', ';=a'].map(
      text => [text, '400'] as const,
    ),
  ] as const)
    assert.equal(await origin({ forwarded }), expected, forwarded);
});

test('both kinds of fields must agree: the proxy adds one, and anyone may add the other', async () => {
  const forwarded = 'for=192.0.2.7;proto=https';
  assert.equal(await origin({ ...x('192.0.2.7', 'https', 'h'), forwarded }), '192.0.2.7 https h');
  assert.equal(await origin({ ...x('192.0.2.8', 'https'), forwarded }), '400');
  assert.equal(await origin({ ...x('192.0.2.7', 'http'), forwarded }), '400');
  assert.equal(await origin({ ...x('192.0.2.7', 'https', 'h'), forwarded: `${forwarded};host=i` }), '400');
});

test('only listed proxies are trusted', async t => {
  const told: string[] = [];
  const respond: Respond = ({ remoteAddress, secure, headers: { host } }) => {
    told.push(`${remoteAddress} ${secure} ${host}`);
    return Promise.resolve(answer(''));
  };
  const head =
    'GET / HTTP/1.1\r\nHost: own\r\nX-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: h\r\nConnection: close\r\n\r\n';
  for (const ranges of [undefined, ['192.0.2.0/24'], ['127.0.0.0/8']]) {
    const trustedProxies = ranges && new TrustedProxies(ranges);
    const listener = await listen({ host: '127.0.0.1', port: 0, trustedProxies }, respond);
    t.after(() => listener.close());
    const socket = connect(listener);
    socket.write(head);
    assert.match(await drain(socket), /^HTTP\/1\.1 200 /);
  }
  assert.deepEqual(told, ['127.0.0.1 false own', '127.0.0.1 false own', '192.0.2.7 true h']);
});
