// The strings that Shared Key signs for blobs and queues, by signatures of the official client (protocol: authentication#examples).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { WireRequest } from '#base';
import { type SignedTarget, storageStringsToSign } from './storage-key.js';

const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const ACCOUNT = 'devstoreaccount1';
const DATE = 'Fri, 02 Jan 2026 03:04:05 GMT';

const sign = (text: string): string =>
  createHmac('sha256', Buffer.from(KEY, 'base64')).update(text).digest('base64');

const request = (method: string, headers: Record<string, string>): WireRequest => ({
  method,
  target: '',
  headers: { 'x-ms-date': DATE, 'x-ms-version': '2026-04-06', ...headers },
  body: Buffer.alloc(0),
  bodyTooLarge: false,
  secure: false,
  remoteAddress: '127.0.0.1',
});

const target = (path: string, query: Record<string, string> = {}): SignedTarget => ({
  account: ACCOUNT,
  secondary: false,
  path: `/${ACCOUNT}${path}`,
  query: new Map(Object.entries(query)),
});

const first = (sent: WireRequest, to: SignedTarget): string =>
  [...storageStringsToSign('SharedKey', sent, to)][0] ?? '';

test('a write with conditions, metadata and an escaped path', () => {
  const sent = request('PUT', {
    'content-length': '11',
    'content-type': 'application/octet-stream',
    'if-none-match': '*',
    'x-ms-meta-zed': '1',
    'x-ms-meta-alpha': ' two words ',
    'x-ms-blob-type': 'BlockBlob',
    'x-ms-blob-content-type': 'text/plain',
    'x-ms-client-request-id': 'd8d560f3-2b47-4350-b51a-881b471861c9',
  });
  const text = first(sent, target('/c1/dir/a%20b.txt'));
  assert.equal(sign(text), 'qaOSTw4FmaGKibzB9UXR4MtyaW9ysDzA/7lNpvQzE8Y=');
});

test('a list: the query stands by name, each on a line', () => {
  const sent = request('GET', { 'x-ms-client-request-id': '7a04564e-d798-4c5d-9994-22610b49fa74' });
  const query = { restype: 'container', prefix: 'log/2026/', comp: 'list', maxresults: '50' };
  assert.equal(sign(first(sent, target('/c1', query))), 'XQMOl5Qt5oqOT8wAh9FHrN9zXJKNpvHAPi0PMv/Ku7U=');
});

test('empty headers are signed from 2016-05-31 on', () => {
  const signedAs = (version: string): string =>
    first(request('PUT', { 'x-ms-version': version, 'x-ms-meta-a': ' ', 'x-ms-meta-b': '1' }), target('/c1'));
  assert.match(signedAs('2016-05-31'), /\nx-ms-meta-a:\nx-ms-meta-b:1\n/);
  assert.doesNotMatch(signedAs('2015-12-11'), /x-ms-meta-a/);
  assert.match(signedAs('2015-12-11'), /\nx-ms-meta-b:1\n/);
});

test('a message put', () => {
  const sent = request('POST', {
    'content-length': '113',
    'content-type': 'application/xml',
    'x-ms-client-request-id': '3b4d7d02-54c3-4d2d-80d6-ad851b6f7b8f',
  });
  const query = { visibilitytimeout: '5', timeout: '30' };
  const text = first(sent, target('/q1/messages', query));
  assert.equal(sign(text), '0qDNWjadmMGQnKL5cOLyxpZsO4ZVD4BdFQ/A6AURMVE=');
});

test('a message deleted: a receipt is signed decoded', () => {
  const sent = request('DELETE', { 'x-ms-client-request-id': 'a1ea0ade-8f80-4450-a6d4-e1d55b31a184' });
  const query = { popreceipt: 'AgAAAAMAAAAAAAAAtB30WQUG1QE=', timeout: '30' };
  const text = first(sent, target('/q1/messages/11111111-2222-3333-4444-555555555555', query));
  assert.equal(sign(text), 'FDMmzYpY2YxRXNI7Ehl/64uJK0Fk3UcZ1qAhz1PLeko=');
});

test('Lite signs less, and of the query comp alone', () => {
  const sent = request('GET', { 'content-length': '0' });
  const [text = ''] = storageStringsToSign(
    'SharedKeyLite',
    sent,
    target('/c1', { comp: 'list', prefix: 'a' }),
  );
  assert.equal(sign(text), 'dLbd+ITLhPX1wX2fZh+etXb1S/Nl8qhJWcDTJ4fHwqE=');
});

test('no length is signed as nothing, before 2015-02-21 as it was sent', () => {
  const lengthLine = (version: string): string | undefined =>
    first(request('PUT', { 'content-length': '0', 'x-ms-version': version }), target('/q1')).split('\n')[3];
  assert.equal(lengthLine('2014-02-14'), '0');
  assert.equal(lengthLine('2015-02-21'), '');
  assert.equal(lengthLine('2026-04-06'), '');
});

test('Date counts where there is no x-ms-date', () => {
  const { 'x-ms-date': _, ...headers } = request('GET', { date: DATE }).headers;
  const text = first({ ...request('GET', {}), headers }, target('/q1'));
  assert.equal(text.split('\n')[6], DATE);
});

test('orders that agree are one', () => {
  assert.equal([...storageStringsToSign('SharedKey', request('GET', {}), target('/q1'))].length, 1);
});

test('other spellings: headers by code, and the secondary as the primary', () => {
  const sent = request('PUT', { 'x-ms-meta-a1': '1', 'x-ms-meta-a_b': '2' });
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
    [...storageStringsToSign('SharedKey', request('PUT', { 'x-ms-meta-a': value }), target('/q1'))].map(
      text => /x-ms-meta-a:(.*)\n/.exec(text)?.[1],
    );
  assert.deepEqual(texts('ok'), ['ok']);
  assert.deepEqual(texts('\xc4\x8d'), ['\xc4\x8d', 'č']);
  assert.deepEqual(texts('\xe9'), ['\xe9']);
});
