// Random requests through the whole service: nothing that a client sends is a fault of ours, and every answer can be written.
import assert from 'node:assert/strict';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { openService, openTable } from './service.test.fixture.js';

const ENTITY = "People(PartitionKey='p',RowKey='r')";
const JSON_BODY = '{"PartitionKey":"p","RowKey":"r","a":1,"b":"x"}';

const part = (line: string, body: string): string =>
  `--c\nContent-Type: application/http\n\n${line} HTTP/1.1\nContent-Type: application/json\n\n${body}\n`;
const changeset = (...parts: string[]): string =>
  `--b\nContent-Type: multipart/mixed; boundary=c\n\n${parts.join('')}--c--\n--b--\n`;
const upsert = part(`PUT /${ENTITY}`, '{"b":2}');

/** Good requests, each of which is then spoilt in a place or two. */
const GOOD: readonly (readonly [method: string, path: string, query: string, body: string])[] = [
  ['POST', 'Tables', '', '{"TableName":"People"}'],
  ['GET', 'Tables', '$top=1', ''],
  ['GET', "Tables('People')", '', ''],
  ['DELETE', "Tables('People')", '', ''],
  ['POST', 'People', '', JSON_BODY],
  ['PUT', ENTITY, '', JSON_BODY],
  ['MERGE', ENTITY, '', '{"c@odata.type":"Edm.Int64","c":"5"}'],
  ['DELETE', ENTITY, '', ''],
  ['GET', ENTITY, '$select=a,x', ''],
  ['GET', 'People()', "$filter=a eq 1 and not (b eq 'y')&$top=5", ''],
  ['POST', 'People/more', '', JSON_BODY],
  ['PUT', 'People', 'comp=acl', '<SignedIdentifiers/>'],
  ['GET', 'People', 'comp=acl', ''],
  ['GET', '', 'restype=service&comp=properties', ''],
  ['OPTIONS', 'People', '', ''],
  ['POST', '$batch', '', changeset(upsert, part('POST /People', '{"PartitionKey":"p","RowKey":"s"}'))],
  ['POST', '$batch', '', changeset(upsert, upsert)],
  ['POST', '$batch', '', `--b\nContent-Type: application/http\n\nGET /${ENTITY} HTTP/1.1\n\n\n--b--`],
];
const good = fc.constantFrom(...GOOD);

const METHODS = ['GET', 'POST', 'PUT', 'MERGE', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'X'];
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    '%',
    '%00',
    '%C3%A9',
    "'",
    '(',
    '/',
    '\\',
    '#',
    '*',
    '__proto__',
    '\r\n',
    '--b',
    '--c--',
    '"',
    '{',
  ),
);
const headers = fc.dictionary(
  fc.constantFrom(
    ...[
      'accept',
      'content-type',
      'if-match',
      'if-none-match',
      'prefer',
      'x-http-method',
      'origin',
      'x-ms-version',
    ],
    ...['access-control-request-method', 'x-ms-client-request-id', 'content-md5'],
  ),
  fc.oneof(
    fc.constantFrom(
      '*',
      'W/"x"',
      'application/json;odata=fullmetadata',
      'multipart/mixed; boundary=c',
      '2020-12-06',
    ),
    fc.constantFrom('return-content', 'return-no-content', 'MERGE', 'http://a', '\u00e9'),
    fc.string({ maxLength: 8 }),
  ),
  { maxKeys: 3 },
);
const options = fc.constantFrom(
  ...[
    '$filter=a lt 5L',
    '$top=0',
    '$select=*',
    '$format=application/json;odata%3Dfullmetadata',
    'comp=acl',
    'sig=x',
  ],
  ...[
    'NextPartitionKey=1!4!cGs-',
    'NextRowKey=',
    'NextTableName=1!4!cGs-',
    'sv=%0D%0A',
    'timeout=30',
    'restype=service',
  ],
);

/** One character or more of a text replaced by another text. */
const spoil = (whole: string, [at, removed, added]: readonly [number, number, string]): string => {
  const place = at % (whole.length + 1);
  return whole.slice(0, place) + added + whole.slice(place + removed);
};
const splice = fc.tuple(fc.nat(), fc.nat({ max: 3 }), text);
const seldom = <T>(other: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 8 }, { arbitrary: other, weight: 1 });
const change = fc.record({
  method: seldom(fc.constantFrom(...METHODS)),
  path: seldom(splice),
  option: seldom(options),
  query: seldom(splice),
  headers: fc.oneof(fc.constant({}), headers),
  body: seldom(splice),
  anonymous: seldom(fc.constant(true)),
});

test('whatever is sent, the answer is one that can be written, and no fault of ours', async () => {
  const { send, failures } = await openTable();
  const found = new Set<number>();
  const property = fc.asyncProperty(good, change, async ([method, path, query, body], spoilt) => {
    const isBatch = path === '$batch';
    const asked = spoilt.query ? spoil(query, spoilt.query) : query;
    const below = spoilt.path ? spoil(path, spoilt.path) : path;
    const response = await send(spoilt.method ?? method, `${below}?${asked}&${spoilt.option ?? ''}`, {
      body: spoilt.body ? spoil(body, spoilt.body) : body,
      headers: { ...(isBatch && { 'content-type': 'multipart/mixed; boundary=b' }), ...spoilt.headers },
      anonymous: spoilt.anonymous ?? false,
    });
    found.add(response.status);
    assert.ok(response.status < 500 || response.status === 501);
    for (const [name, value] of response.headers) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    assert.deepEqual(failures, []);
  });
  await fc.assert(property, { numRuns: 4_000 });
  for (const status of [200, 201, 202, 204, 400, 403, 404, 405, 409])
    assert.ok(found.has(status), `No request was answered with ${status}.`);
});

test('requests for accounts that there are not are not looked up', async () => {
  const { raw, service } = openService();
  const asked: string[] = [];
  const { getSpace } = service.store;
  service.store.getSpace = address => {
    asked.push(address.account);
    return getSpace.call(service.store, address);
  };
  const sent = { headers: { origin: 'http://a', 'access-control-request-method': 'GET' } };
  for (const method of ['OPTIONS', 'GET', 'PUT'])
    assert.equal((await raw(method, '/nobody/People', sent)).status, 403);
  assert.deepEqual(asked, []);
});
