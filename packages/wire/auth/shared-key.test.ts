// The strings that Shared Key signs, with the signatures that Azure's clients compute for them (protocol: authentication#examples).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { WireRequest } from '#base';
import { RepeatedParameters } from '../shared/target.js';
import type { Route } from '../table/route.js';
import {
  compareHeaderNames,
  otherSpellings,
  parseSharedKey,
  type SharedKeyCredential,
  type SignedTarget,
  signedDate,
  storageStringsToSign,
  tableStringsToSign,
} from './shared-key.js';

const KEY = Buffer.from(
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'base64',
);
const DATE = 'Mon, 27 Jul 2020 12:28:53 GMT';
const sign = (text: string) => createHmac('sha256', KEY).update(text).digest('base64');

const route = (path: string, query: Readonly<Record<string, string>> = {}, secondary = false): Route => ({
  account: 'devstoreaccount1',
  secondary,
  path,
  endpoint: 'http://127.0.0.1:10002/devstoreaccount1',
  resource: { kind: 'service' },
  query: new Map(Object.entries(query)),
});
const request = (method: string, headers: WireRequest['headers']): WireRequest => ({
  method,
  target: '/',
  headers,
  body: Buffer.alloc(0),
  bodyTooLarge: false,
  secure: false,
  remoteAddress: '127.0.0.1',
});

const TWICE = '/devstoreaccount1/devstoreaccount1';
const ENTITY = "/mytable(PartitionKey='a%20b',RowKey='c')";
type Scheme = SharedKeyCredential['scheme'];
type Vector = readonly [name: string, scheme: Scheme, to: Route, text: string, signature: string];

/** Requests of the full scheme with a body are posts of JSON. */
const VECTORS: readonly Vector[] = [
  [
    'access policies',
    'SharedKeyLite',
    route('/devstoreaccount1/mytable', { comp: 'acl' }),
    `${DATE}\n${TWICE}/mytable?comp=acl`,
    'Ef17TK7bkZdS0Y5h1QEhVmXCCfnLLoZE+3x4gzNieP0=',
  ],
  [
    'an entity',
    'SharedKeyLite',
    route(`/devstoreaccount1${ENTITY}`),
    `${DATE}\n${TWICE}${ENTITY}`,
    'DXKmSoYj562PGOimVUbyc5CV3vXpD1f8cxHoyQZrw9Y=',
  ],
  [
    'a new table',
    'SharedKey',
    route('/devstoreaccount1/Tables'),
    `POST\n\napplication/json\n${DATE}\n${TWICE}/Tables`,
    'U/bg+H9hHOXgbYgmMfXzOSYjn1qSIk3YrA0vvnDnZk8=',
  ],
];

test('known signatures of requests to tables', () => {
  for (const [name, scheme, to, text, signature] of VECTORS) {
    const isPost = text.startsWith('POST');
    const headers = { 'content-type': isPost ? 'application/json' : undefined, 'x-ms-date': DATE };
    const [first = ''] = tableStringsToSign(scheme, request(isPost ? 'POST' : 'GET', headers), to);
    assert.equal(first, text, name);
    assert.equal(sign(text), signature, name);
  }
});

test('headers of the full scheme are signed as they were sent', () => {
  const content = { 'content-md5': 'Q2hlY2s=', 'content-type': 'multipart/mixed; boundary=b' };
  const sent = request('PUT', { ...content, date: DATE });
  const [text] = tableStringsToSign('SharedKey', sent, route('/devstoreaccount1/b'));
  assert.equal(text, `PUT\nQ2hlY2s=\nmultipart/mixed; boundary=b\n${DATE}\n${TWICE}/b`);
});

test('x-ms-date goes before Date', () => {
  assert.equal(signedDate(request('GET', { 'x-ms-date': 'a', date: 'b' })), 'a');
  assert.equal(signedDate(request('GET', { date: 'b' })), 'b');
  assert.equal(signedDate(request('GET', {})), undefined);
});

test('reads the header', () => {
  const signature = `${'b+/4'.repeat(10)}abc=`;
  const credential = { scheme: 'SharedKey', account: 'a', signature };
  assert.deepEqual(parseSharedKey(`SharedKey a:${signature}`), credential);
  assert.equal(parseSharedKey(`SharedKeyLite a:${signature}`)?.scheme, 'SharedKeyLite');
  for (const other of [
    'b',
    'b:c',
    signature.slice(1),
    `A${signature}`,
    signature.replace('=', ''),
    `${signature}\n`,
  ])
    assert.deepEqual(parseSharedKey(`SharedKey a:${other}`), { ...credential, signature: '' }, other);
  for (const header of ['', 'SharedKey', 'SharedKey a', 'SharedKey a:', 'SharedKey :b', 'Basic a:b']) {
    assert.equal(parseSharedKey(header), undefined, header);
  }
});

test('other spellings of a path', () => {
  assert.deepEqual(otherSpellings(route('/Tables')), []);
  assert.deepEqual(otherSpellings(route("/t('a')")), ['/t(%27a%27)']);
  assert.deepEqual(otherSpellings(route('/t(%27a%27)')), ["/t('a')"]);
  assert.deepEqual(otherSpellings(route('/devstoreaccount1-secondary/t', {}, true)), ['/devstoreaccount1/t']);
  assert.deepEqual(otherSpellings(route('/devstoreaccount1-secondary/t')), []);
  assert.equal(otherSpellings(route("/devstoreaccount1-secondary/t('%27')", {}, true)).length, 5);
});

test('nothing is signed where comp comes twice', () => {
  for (const stringsToSign of [tableStringsToSign, storageStringsToSign]) {
    const signed = (names: readonly string[]) => {
      const query = new RepeatedParameters(new Map([['comp', 'acl']]), new Set(names));
      const asked = { ...route('/devstoreaccount1/t'), query };
      return [...stringsToSign('SharedKeyLite', request('GET', { date: DATE }), asked)].length;
    };
    assert.equal(signed(['timeout']), 1);
    assert.equal(signed(['comp']), 0);
    assert.equal(signed(['timeout', 'comp']), 0);
  }
});

const ACCOUNT = 'devstoreaccount1';
/** As of a client of blobs and queues, with their signatures (protocol: authentication#examples). */
const ofStorage = (method: string, headers: Record<string, string>): WireRequest =>
  request(method, {
    'x-ms-date': 'Fri, 02 Jan 2026 03:04:05 GMT',
    'x-ms-version': '2026-04-06',
    ...headers,
  });

const target = (path: string, query: Record<string, string> = {}): SignedTarget => ({
  account: ACCOUNT,
  secondary: false,
  path: `/${ACCOUNT}${path}`,
  query: new Map(Object.entries(query)),
});

const first = (asked: WireRequest, to: SignedTarget): string =>
  [...storageStringsToSign('SharedKey', asked, to)][0] ?? '';

interface StorageVector {
  readonly name: string;
  readonly scheme?: SharedKeyCredential['scheme'];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly signature: string;
}

const STORAGE_VECTORS: readonly StorageVector[] = [
  {
    name: 'a write with conditions, metadata and an escaped path',
    method: 'PUT',
    headers: {
      'content-length': '11',
      'content-type': 'application/octet-stream',
      'if-none-match': '*',
      'x-ms-meta-zed': '1',
      'x-ms-meta-alpha': ' two words ',
      'x-ms-blob-type': 'BlockBlob',
      'x-ms-blob-content-type': 'text/plain',
      'x-ms-client-request-id': 'd8d560f3-2b47-4350-b51a-881b471861c9',
    },
    path: '/c1/dir/a%20b.txt',
    signature: 'qaOSTw4FmaGKibzB9UXR4MtyaW9ysDzA/7lNpvQzE8Y=',
  },
  {
    name: 'a message deleted: a receipt is signed decoded',
    method: 'DELETE',
    headers: { 'x-ms-client-request-id': 'a1ea0ade-8f80-4450-a6d4-e1d55b31a184' },
    path: '/q1/messages/11111111-2222-3333-4444-555555555555',
    query: { popreceipt: 'AgAAAAMAAAAAAAAAtB30WQUG1QE=', timeout: '30' },
    signature: 'FDMmzYpY2YxRXNI7Ehl/64uJK0Fk3UcZ1qAhz1PLeko=',
  },
  {
    name: 'Lite signs less, and of the query comp alone',
    scheme: 'SharedKeyLite',
    method: 'GET',
    headers: { 'content-length': '0' },
    path: '/c1',
    query: { comp: 'list', prefix: 'a' },
    signature: 'dLbd+ITLhPX1wX2fZh+etXb1S/Nl8qhJWcDTJ4fHwqE=',
  },
];

for (const { name, scheme = 'SharedKey', method, headers, path, query, signature } of STORAGE_VECTORS)
  test(name, () => {
    const [text = ''] = storageStringsToSign(scheme, ofStorage(method, headers), target(path, query));
    assert.equal(sign(text), signature);
  });

test('empty headers are signed from 2016-05-31 on', () => {
  const signedAs = (version: string): string =>
    first(
      ofStorage('PUT', { 'x-ms-version': version, 'x-ms-meta-a': ' ', 'x-ms-meta-b': '1' }),
      target('/c1'),
    );
  assert.match(signedAs('2016-05-31'), /\nx-ms-meta-a:\nx-ms-meta-b:1\n/);
  assert.doesNotMatch(signedAs('2015-12-11'), /x-ms-meta-a/);
  assert.match(signedAs('2015-12-11'), /\nx-ms-meta-b:1\n/);
});

test('no length is signed as nothing, before 2015-02-21 as it was sent', () => {
  const lengthLine = (version: string): string | undefined =>
    first(ofStorage('PUT', { 'content-length': '0', 'x-ms-version': version }), target('/q1')).split('\n')[3];
  assert.equal(lengthLine('2014-02-14'), '0');
  assert.equal(lengthLine('2015-02-21'), '');
  assert.equal(lengthLine('2026-04-06'), '');
});

test('other spellings: headers by code, and the secondary as the primary', () => {
  const sent = ofStorage('PUT', { 'x-ms-meta-a1': '1', 'x-ms-meta-a_b': '2' });
  const secondary = { ...target('-secondary/q1'), secondary: true };
  const texts = [...storageStringsToSign('SharedKey', sent, secondary)];
  assert.equal(texts.length, 4);
  assert.match(texts[0] ?? '', /a_b:2\nx-ms-meta-a1:1/);
  assert.match(texts[2] ?? '', /a1:1\nx-ms-meta-a_b:2/);
  assert.ok(texts[0]?.endsWith('/devstoreaccount1/devstoreaccount1-secondary/q1'));
  assert.ok(texts[1]?.endsWith('/devstoreaccount1/devstoreaccount1/q1'));
});

test('headers that are not ASCII are signed as Latin-1, or as the UTF-8 that they are', () => {
  const texts = (value: string) =>
    [...storageStringsToSign('SharedKey', ofStorage('PUT', { 'x-ms-meta-a': value }), target('/q1'))].map(
      text => /x-ms-meta-a:(.*)\n/.exec(text)?.[1],
    );
  assert.deepEqual(texts('ok'), ['ok']);
  assert.deepEqual(texts('\xc4\x8d'), ['\xc4\x8d', 'č']);
  assert.deepEqual(texts('\xe9'), ['\xe9']);
});

const sorted = (names: readonly string[]): string[] => [...names].sort(compareHeaderNames);

test('names sort as the official client sorts them', () => {
  const names = ['a.b', 'a_b', 'a1', 'ab', 'a-b', 'abc'].map(name => `x-ms-meta-${name}`);
  assert.deepEqual(sorted([...names].reverse()), names);
});

test('every character of names has its weight', () => {
  const names = [...'!#$%&*.^_`|~+0123456789abcdefghijklmnopqrstuvwxyz'].map(char => `x-ms-meta-a${char}`);
  assert.deepEqual(sorted([...names].reverse()), names);
});

test('dashes and apostrophes count only where nothing else differs', () => {
  assert.deepEqual(sorted(['a-c', 'ab', "a'c", 'ac', 'a']), ['a', 'ab', 'ac', "a'c", 'a-c']);
  assert.deepEqual(sorted(['ab-', 'a-b', 'ab']), ['ab', 'ab-', 'a-b']);
  assert.equal(compareHeaderNames('x-ms-date', 'x-ms-date'), 0);
});
