// The strings that Shared Key signs, with the signatures that Azure's clients compute for them (protocol: authentication#examples).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WireRequest } from '#base';
import { RepeatedParameters } from '../shared/repeated-parameters.js';
import type { Route } from '../table/route.js';
import {
  otherSpellings,
  parseSharedKey,
  type SharedKeyCredential,
  signedDate,
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

interface Vector {
  readonly name: string;
  readonly scheme?: SharedKeyCredential['scheme'];
  readonly method?: string;
  readonly contentType?: string;
  readonly date?: string;
  readonly route: Route;
  readonly text: string;
  readonly signature: string;
}

const TWICE = '/devstoreaccount1/devstoreaccount1';
const VECTORS: readonly Vector[] = [
  {
    name: 'Lite, host style',
    route: route('/Tables'),
    text: `${DATE}\n/devstoreaccount1/Tables`,
    signature: 'J9FEepXD6pDeTi0minPFRBHJs0OWhvyj6wEgmw2oei0=',
  },
  {
    name: 'Lite, path style',
    route: route('/devstoreaccount1/Tables', { $top: '1' }),
    text: `${DATE}\n${TWICE}/Tables`,
    signature: 'VbydjldjsQucyO+nic8ZIcZ10VIIm/Q+bScgwEsQGtc=',
  },
  {
    name: 'Lite, access policies',
    route: route('/devstoreaccount1/mytable', { comp: 'acl' }),
    text: `${DATE}\n${TWICE}/mytable?comp=acl`,
    signature: 'Ef17TK7bkZdS0Y5h1QEhVmXCCfnLLoZE+3x4gzNieP0=',
  },
  {
    name: 'Lite, service properties',
    route: route('/devstoreaccount1/', { restype: 'service', comp: 'properties' }),
    text: `${DATE}\n${TWICE}/?comp=properties`,
    signature: '5hiFLCNRA6Hnf9VFg9cJKDN689q8BPThxs4gnosI4bo=',
  },
  {
    name: 'Lite, entity',
    route: route("/devstoreaccount1/mytable(PartitionKey='a%20b',RowKey='c')"),
    text: `${DATE}\n${TWICE}/mytable(PartitionKey='a%20b',RowKey='c')`,
    signature: 'DXKmSoYj562PGOimVUbyc5CV3vXpD1f8cxHoyQZrw9Y=',
  },
  {
    name: 'full, create table',
    scheme: 'SharedKey',
    method: 'POST',
    contentType: 'application/json',
    route: route('/devstoreaccount1/Tables'),
    text: `POST\n\napplication/json\n${DATE}\n${TWICE}/Tables`,
    signature: 'U/bg+H9hHOXgbYgmMfXzOSYjn1qSIk3YrA0vvnDnZk8=',
  },
  {
    name: 'full, query',
    scheme: 'SharedKey',
    route: route('/devstoreaccount1/mytable()'),
    text: `GET\n\n\n${DATE}\n${TWICE}/mytable()`,
    signature: 'Ym7X9NGjbx1Uwg4nwE6YvcJ7WCC2VizrrAynZTzYxU8=',
  },
  {
    name: 'Lite, a batch of the .NET client',
    method: 'POST',
    date: 'Sat, 22 May 2021 23:05:14 GMT',
    route: route('/devstoreaccount1/$batch'),
    text: `Sat, 22 May 2021 23:05:14 GMT\n${TWICE}/$batch`,
    signature: 'y7mfjNimD4WGdW8k2saY+cB9E2vbD/VDFQTc2xrjHA4=',
  },
];

for (const vector of VECTORS) {
  test(`signs ${vector.name}`, () => {
    const { scheme = 'SharedKeyLite', method = 'GET', date = DATE } = vector;
    const sent = request(method, { 'content-type': vector.contentType, 'x-ms-date': date });
    const [text = ''] = tableStringsToSign(scheme, sent, vector.route);
    assert.equal(text, vector.text);
    assert.equal(sign(text), vector.signature);
  });
}

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
  const signed = (names: readonly string[]) =>
    [
      ...tableStringsToSign('SharedKeyLite', request('GET', { date: DATE }), {
        ...route('/devstoreaccount1/t'),
        query: new RepeatedParameters(new Map([['comp', 'acl']]), new Set(names)),
      }),
    ].length;
  assert.equal(signed(['timeout']), 1);
  assert.equal(signed(['comp']), 0);
  assert.equal(signed(['timeout', 'comp']), 0);
});

test('arbitrary headers are read without failing', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      parseSharedKey(text);
      assert.equal(parseSharedKey(`SharedKey a:${text}`)?.account, text === '' ? undefined : 'a');
    }),
  );
});
