// From a request to an operation: conditions, query options and bodies with their limits, and the precedence of
// their errors (protocol: data-model, entities, queries).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableErrorCode } from '#tables';
import { parseTarget } from '../shared/target.js';
import { formatEtag } from './answer.js';
import { checkRoute, parseOperation } from './parse-operation.js';
import { operationKind, TABLE_GRAMMAR } from './route.js';

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const ENTITY = "T(PartitionKey='p',RowKey='r')";
const KEY = { partitionKey: 'p', rowKey: 'r' };
const BODY = '{"a":1}';
const PROPERTIES = [{ name: 'a', type: 'Edm.Int32', value: 1, literal: undefined }];
const VERSION = 15_778_405_200_000_000n;

const routeOf = (path: string) =>
  parseTarget(
    { target: `/account1/${path}`, headers: { host: '127.0.0.1' }, secure: false },
    { has: () => true },
    TABLE_GRAMMAR,
  );

function parse(method: string, path: string, { headers = {}, body = '' }: Sent = {}) {
  const route = routeOf(path);
  const kind = operationKind({ method, headers }, route);
  if (kind === 'submitTransaction') return assert.fail('A batch is parsed part by part.');
  return parseOperation(kind, { method, headers, body: Buffer.from(body) }, route);
}

function assertRefused(code: TableErrorCode, method: string, path: string, sent: Sent = {}): void {
  assert.throws(() => parse(method, path, sent), { code }, `${method} ${path}`);
}

test('an insert takes its keys from the body', () => {
  const body = '{"PartitionKey":"p","RowKey":"r","a":1}';
  const expected = { kind: 'insertEntity', table: 'T', key: KEY, properties: PROPERTIES };
  assert.deepEqual(parse('POST', 'T', { body }), expected);
  assert.deepEqual(
    parse('POST', 'T', { body, headers: { 'if-match': 'abc', 'if-none-match': '*' } }),
    expected,
  );
  assertRefused('PropertiesNeedValue', 'POST', 'T', { body: BODY });
  for (const value of ['5', 'true', '{}'])
    assertRefused('InvalidInput:KeyType', 'POST', 'T', { body: `{"PartitionKey":"p","RowKey":${value}}` });
});

test('below a table an insert into the table is the only operation', () => {
  for (const path of ['T/Tables', "T/Tables('x')", 'T/x/y']) {
    const body = '{"PartitionKey":"p","RowKey":"r","a":1}';
    const expected = { kind: 'insertEntity', table: 'T', key: KEY, properties: PROPERTIES };
    assert.deepEqual(parse('POST', path, { body }), expected);
    assertRefused('PropertiesNeedValue', 'POST', path, { body: '{}' });
    assertRefused('NotImplemented', 'GET', path);
    for (const method of ['PUT', 'MERGE', 'PATCH', 'DELETE'])
      for (const headers of [{}, { 'if-match': '*' }, { 'if-match': 'abc' }])
        assert.throws(() => parse(method, path, { headers, body: '{' }), {
          code: 'InvalidInput:KeyCount',
          detail: { resource: 'account1.T' },
        });
  }
});

test('writes of an entity take their keys from the URL and ignore those in the body', () => {
  for (const body of [
    BODY,
    '{"PartitionKey":"p","RowKey":"r","a":1}',
    '{"RowKey":"other","a":1}',
    '{"PartitionKey":5,"RowKey":{},"a":1}',
    '{"PartitionKey@odata.type":"Edm.DateTime","PartitionKey":"yesterday","RowKey":null,"a":1}',
    '{"PartitionKey":"a/b","a":1}',
  ]) {
    const put = { kind: 'insertOrReplaceEntity', table: 'T', key: KEY, properties: PROPERTIES };
    assert.deepEqual(parse('PUT', ENTITY, { body }), put);
    const merge = { ...put, kind: 'mergeEntity', condition: { kind: 'version', version: VERSION } };
    const headers = { 'if-match': ` ${formatEtag(VERSION)} ` };
    assert.deepEqual(parse('MERGE', ENTITY, { body, headers }), merge);
    const tunnelled = { ...headers, 'x-http-method': 'PATCH' };
    assert.deepEqual(parse('POST', ENTITY, { body, headers: tunnelled }), merge);
  }
  const update = parse('PUT', ENTITY, { body: BODY, headers: { 'if-match': '*' } });
  assert.deepEqual(update, {
    kind: 'updateEntity',
    table: 'T',
    key: KEY,
    condition: { kind: 'any' },
    properties: PROPERTIES,
  });
});

test('a delete has a condition and no body', () => {
  const headers = { 'if-match': '*' };
  const expected = { kind: 'deleteEntity', table: 'T', key: KEY, condition: { kind: 'any' } };
  assert.deepEqual(parse('DELETE', ENTITY, { headers }), expected);
  assert.deepEqual(parse('DELETE', ENTITY, { headers, body: '{' }), expected);
  assertRefused('MissingRequiredHeader', 'DELETE', ENTITY);
});

test('invalid conditions', () => {
  for (const method of ['PUT', 'MERGE', 'PATCH', 'DELETE']) {
    const etag = { headers: { 'if-match': 'abc' }, body: BODY };
    assertRefused('InvalidInput:Etag', method, ENTITY, etag);
    const none = { headers: { 'if-none-match': '*' }, body: BODY };
    assertRefused('InvalidInput:IfNoneMatch', method, ENTITY, none);
    const two = { headers: { 'if-match': '*', 'if-none-match': '*' }, body: BODY };
    assertRefused('InvalidInput:TwoConditions', method, ENTITY, two);
  }
});

test('types of a body', () => {
  for (const type of [
    'application/json',
    'Application/JSON; odata=nometadata',
    'application/json;charset=utf-8',
    'application/vnd.x+json',
    '',
    ' ',
  ])
    assert.equal(
      parse('PUT', ENTITY, { body: BODY, headers: { 'content-type': type } }).kind,
      'insertOrReplaceEntity',
    );
  const refused: readonly (readonly [string, TableErrorCode])[] = [
    ['text/plain', 'MediaTypeNotSupported'],
    ['application/xml', 'MediaTypeNotSupported'],
    ['application/jsonp', 'MediaTypeNotSupported'],
    ['multipart/mixed; boundary=x', 'MediaTypeNotSupported'],
    ['application/atom+xml', 'AtomFormatNotSupported'],
  ];
  for (const [type, code] of refused) {
    const sent = { body: BODY, headers: { 'content-type': type } };
    assertRefused(code, 'PUT', ENTITY, sent);
    assertRefused(code, 'POST', 'T', sent);
    assertRefused(code, 'POST', 'Tables', sent);
  }
});

test('limits of the entity are checked', () => {
  const long = 'x'.repeat(32_769);
  assertRefused('PropertyValueTooLarge', 'PUT', ENTITY, { body: `{"a":"${long}"}` });
  assertRefused('PropertyNameInvalid', 'MERGE', ENTITY, { body: '{"a-b":1}' });
  assertRefused('PropertyValueTooLarge', 'POST', 'T', { body: `{"PartitionKey":"${long}","RowKey":""}` });
  const key = `T(PartitionKey='${'k'.repeat(1025)}',RowKey='')`;
  assertRefused('PropertyValueTooLarge', 'GET', key);
  assertRefused('PropertyValueTooLarge', 'PUT', key, { body: '{}' });
  assertRefused('PropertyValueTooLarge', 'DELETE', key, { headers: { 'if-match': '*' } });
});

test('the options of a query of entities', () => {
  assert.deepEqual(parse('GET', 'T'), {
    kind: 'queryEntities',
    table: 'T',
    filter: undefined,
    top: 1000,
    from: undefined,
  });
  const path =
    'T()?$filter=a+eq+1&$top=5&$select=a&$format=json&NextPartitionKey=1!4!cGs-&NextRowKey=1!4!cms-&timeout=30&x=y';
  assert.deepEqual(parse('GET', path), {
    kind: 'queryEntities',
    table: 'T',
    filter: {
      kind: 'compare',
      name: 'a',
      operator: 'eq',
      other: { kind: 'constant', constant: { type: 'Edm.Int32', value: 1 } },
    },
    top: 5,
    from: { partitionKey: 'pk', rowKey: 'rk' },
  });
  assert.deepEqual(parse('GET', 'T?$filter=&$top=&NextPartitionKey=&NextRowKey='), parse('GET', 'T'));
});

test('options that are invalid, out of range or unknown', () => {
  for (const path of ['T', 'Tables']) {
    for (const top of ['0', '1', '999', '1000', '0005']) parse('GET', `${path}?$top=${top}`);
    for (const top of ['-1', '1001', '1.5', '1e3', 'x', '+1', '%205', '99999', '0x5', '00005'])
      assertRefused('InvalidInput', 'GET', `${path}?$top=${top}`);
    assertRefused('InvalidInput:FilterSyntax', 'GET', `${path}?$filter=aaa+bbb+ccc`);
    for (const option of ['$orderby', '$skip', '$count', '$inlinecount', '$expand', '$search'])
      assertRefused('NotImplemented', 'GET', `${path}?${option}=x`);
    for (const option of ['$foo', '$', '$Filter', '$TOP'])
      assertRefused('InvalidInput', 'GET', `${path}?${option}=1`);
  }
  assertRefused('InvalidInput', 'GET', 'T?NextPartitionKey=x');
  assertRefused('InvalidInput', 'GET', 'T?NextPartitionKey=1!0!&NextRowKey=x');
  assertRefused('InvalidInput', 'GET', 'Tables?NextTableName=1!x');
  assertRefused('NotImplemented', 'GET', `${ENTITY}?$expand=x`);
});

test('the name of a new table', () => {
  for (const body of [
    '{"TableName":"abc"}',
    '{"TableName":"abc","x":[1]}',
    '\r\n{"odata.type":"x","TableName":"abc"}',
  ])
    assert.deepEqual(parse('POST', 'Tables', { body }), { kind: 'createTable', table: 'abc' });
  for (const body of ['{}', '{"TableName":null}', '{"TableName":""}', '{"tablename":"abc"}'])
    assertRefused('PropertiesNeedValue', 'POST', 'Tables', { body });
  for (const body of ['', '[]', '{"TableName":5}', '{"TableName":true}', '{"TableName":"abc"'])
    assertRefused('InvalidInput:Body', 'POST', 'Tables', { body });
});

test('names of tables in a URL', () => {
  for (const path of [
    'abc',
    "Tables('abc')",
    'abc/a',
    '$MetricsHourPrimaryTransactionsTable',
    'Tables',
    '$batch',
    '',
  ])
    checkRoute(routeOf(path));
  for (const [name, code] of [
    ['ab', 'OutOfRangeInput:ResourceName'],
    ['my_table', 'InvalidResourceName'],
    ['tables', 'InvalidInput'],
  ] as const) {
    for (const path of [name, `Tables('${name}')`, `${name}(PartitionKey='',RowKey='')`, `${name}/more`])
      assert.throws(() => checkRoute(routeOf(path)), { code }, path);
  }
});
