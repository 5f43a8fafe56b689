// The kind of operation by method and resource (protocol: tables#paths, entities), tunnelled verbs included, and what it refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OperationKind, TableError, type TableErrorCode } from '#tables';
import { parseTarget } from '../shared/target.js';
import { isRead, isXmlRoute, operationKind, TABLE_GRAMMAR } from './route.js';

const route = (path: string) =>
  parseTarget(
    { target: path, headers: { host: '127.0.0.1:10002' }, secure: false },
    { has: () => true },
    TABLE_GRAMMAR,
  );
const at = (path: string) => route(`/account1/${path}`);

/** The kind, or the code of the refusal. */
function attempt(
  method: string,
  path: string,
  headers: Record<string, string> = {},
): OperationKind | TableErrorCode {
  try {
    return operationKind({ method, headers }, path.startsWith('/') ? route(path) : at(path));
  } catch (error) {
    assert.ok(error instanceof TableError);
    return error.code;
  }
}

const VERBS = [
  'GET',
  'POST',
  'PUT',
  'MERGE',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'get',
  'constructor',
] as const;
const ENTITY = "T(PartitionKey='p',RowKey='r')";

/** The verbs of each path. */
const PATHS: readonly (readonly [string, Readonly<Record<string, OperationKind>>])[] = [
  ['Tables', { GET: 'queryTables', POST: 'createTable' }],
  ['Tables()', { GET: 'queryTables', POST: 'createTable' }],
  ["Tables('T')", { GET: 'getTable', DELETE: 'deleteTable' }],
  ['T', { GET: 'queryEntities', POST: 'insertEntity' }],
  ['T()?$filter=x', { GET: 'queryEntities', POST: 'insertEntity' }],
  ['T?comp=acl', { GET: 'getTableAcl', HEAD: 'getTableAcl', PUT: 'setTableAcl' }],
  ['T?restype=table&comp=acl', { GET: 'getTableAcl', HEAD: 'getTableAcl', PUT: 'setTableAcl' }],
  ['$batch', { POST: 'submitTransaction' }],
  ['?restype=service&comp=properties', { GET: 'getServiceProperties', PUT: 'setServiceProperties' }],
  [
    ENTITY,
    {
      GET: 'getEntity',
      PUT: 'insertOrReplaceEntity',
      MERGE: 'insertOrMergeEntity',
      PATCH: 'insertOrMergeEntity',
      DELETE: 'deleteEntity',
    },
  ],
  [
    "T/Tables('x')",
    {
      GET: 'queryEntities',
      POST: 'insertEntity',
      PUT: 'insertOrReplaceEntity',
      MERGE: 'insertOrMergeEntity',
      PATCH: 'insertOrMergeEntity',
      DELETE: 'deleteEntity',
    },
  ],
];

test('every verb on every resource', () => {
  for (const [path, verbs] of PATHS) {
    for (const method of VERBS) {
      const expected = Object.hasOwn(verbs, method) ? verbs[method] : 'MethodNotAllowed';
      assert.equal(attempt(method, path), expected, `${method} ${path}`);
      if (verbs[method] !== undefined)
        assert.equal(isRead(verbs[method]), method === 'GET' || method === 'HEAD', `${method} ${path}`);
    }
  }
});

test('If-Match makes an upsert a conditional write, even if it is empty', () => {
  const verbs = {
    GET: 'getEntity',
    PUT: 'updateEntity',
    MERGE: 'mergeEntity',
    PATCH: 'mergeEntity',
    DELETE: 'deleteEntity',
  };
  for (const [method, kind] of Object.entries(verbs)) {
    for (const condition of ['*', 'W/"x"', ''])
      assert.equal(attempt(method, ENTITY, { 'if-match': condition }), kind);
  }
  assert.equal(attempt('POST', 'T', { 'if-match': '*' }), 'insertEntity');
});

test('the stats are those of the secondary', () => {
  const query = '?restype=service&comp=stats';
  assert.equal(attempt('GET', `/account1-secondary/${query}`), 'getServiceStats');
  assert.equal(attempt('GET', `/account1/${query}`), 'InvalidQueryParameterValue');
  assert.equal(attempt('PUT', `/account1-secondary/${query}`), 'MethodNotAllowed');
});

test('resources that do not exist', () => {
  for (const path of [
    '',
    '?comp=properties',
    '?restype=service',
    '?restype=service&comp=list',
    '?restype=account&comp=properties',
  ])
    assert.equal(attempt('GET', path), 'InvalidUri', path);
  assert.equal(attempt('GET', 'T?restype=service&comp=properties'), 'InvalidUri');
  for (const path of ['T/?restype=service&comp=properties', 'T/?restype=service&comp=stats'])
    assert.equal(attempt('GET', path), 'InvalidQueryParameterValue', path);
  assert.equal(attempt('POST', 'T/$batch'), 'MediaTypeNotSupported');
  assert.equal(attempt('GET', "T('x')"), 'InvalidInput:QuerySyntax');
  assert.equal(attempt('GET', "T(PartitionKey='%23',RowKey='')"), 'OutOfRangeInput');
});

test('X-HTTP-Method stands for the verb of a POST', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['MERGE', ENTITY, 'insertOrMergeEntity'],
    ['merge', ENTITY, 'insertOrMergeEntity'],
    [' PATCH ', ENTITY, 'insertOrMergeEntity'],
    ['PUT', ENTITY, 'insertOrReplaceEntity'],
    ['DELETE', ENTITY, 'deleteEntity'],
    ['GET', ENTITY, 'getEntity'],
    ['DELETE', "Tables('T')", 'deleteTable'],
    ['POST', 'T', 'insertEntity'],
    ['POST', ENTITY, 'MethodNotAllowed'],
    ['HEAD', ENTITY, 'XMethodIncorrectValue'],
    ['', ENTITY, 'XMethodIncorrectValue'],
    ['constructor', ENTITY, 'XMethodIncorrectValue'],
    ['MERGE, MERGE', ENTITY, 'XMethodIncorrectCount'],
  ];
  for (const [verb, path, expected] of cases)
    assert.equal(attempt('POST', path, { 'x-http-method': verb }), expected, verb);
  for (const method of ['GET', 'PUT', 'MERGE'])
    assert.equal(attempt(method, ENTITY, { 'x-http-method': method }), 'XMethodNotUsingPost');
});

test('the operations whose documents are XML', () => {
  for (const path of ['T?comp=acl', '?restype=service&comp=properties', '?restype=service&comp=stats'])
    assert.equal(isXmlRoute(at(path)), true, path);
  for (const path of ['T', 'Tables', '$batch', ENTITY, 'T?comp=x', ''])
    assert.equal(isXmlRoute(at(path)), false, path);
});
