// Targets of requests and of parts of a batch: every form, in every encoding; and the kind of operation by method and resource, tunnelled verbs included
// (protocol: requests#addresses, tables#paths, entities#keys-in-urls, requests#tunnelled-verbs).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codesOf } from '#account/testing';
import { randomRuns } from '#base/testing/random-runs';
import { type OperationKind, TableError } from '#tables';
import { parseQuery, parseTarget } from '../shared/target.js';
import { entityPath } from './answer.js';
import {
  isRead,
  isXmlRoute,
  operationKind,
  parsePartTarget,
  type Route,
  TABLE_GRAMMAR,
  type TableResource,
} from './route.js';

const codeOf = codesOf(TableError);
const HOST = '127.0.0.1:10002';
const ACCOUNTS = new Set(['acc', 'other1', '127']);
const parse = (target: string, host: string | undefined = HOST, secure = false): Route =>
  parseTarget({ target, headers: { host }, secure }, ACCOUNTS, TABLE_GRAMMAR);
/** What a path below the account names. */
const resource = (path: string): TableResource => parse(`/acc/${path}`).resource;
const entity = (partitionKey: string, rowKey: string): TableResource => ({
  kind: 'entity',
  table: 'T',
  key: { partitionKey, rowKey },
});
const table = (kind: 'table' | 'entities' | 'nested', name: string): TableResource => ({ kind, table: name });
/** The code of the refusal that a path has later, or its kind. */
const codeOfPath = (path: string): string => {
  const found = resource(path);
  return found.kind === 'invalid' ? found.code : found.kind;
};

test('the position of the account', () => {
  const origin = `http://${HOST}`;
  for (const [target, host, account, secondary, endpoint] of [
    ['/acc/Tables', HOST, 'acc', false, `${origin}/acc`],
    ['/acc-secondary/Tables', HOST, 'acc', true, `${origin}/acc-secondary`],
    ['/unknown/Tables', HOST, 'unknown', false, `${origin}/unknown`],
    ['/acc/Tables', 'localhost:10002', 'acc', false, 'http://localhost:10002/acc'],
    ['/acc/Tables', 'tables', 'acc', false, 'http://tables/acc'],
    ['/acc/Tables', 'my.proxy.example', 'acc', false, 'http://my.proxy.example/acc'],
    ['/Tables', 'acc.table.localhost:10002', 'acc', false, 'http://acc.table.localhost:10002'],
    ['/Tables', 'other1-secondary.table.example', 'other1', true, 'http://other1-secondary.table.example'],
    // Hosts compare without case; the account of a path does not.
    ['/Tables', 'Acc.table.localhost:10002', 'acc', false, 'http://Acc.table.localhost:10002'],
    ['/Tables', 'OTHER1-Secondary.Table.Example', 'other1', true, 'http://OTHER1-Secondary.Table.Example'],
    ['/Acc/Tables', HOST, 'Acc', false, `${origin}/Acc`],
    // An account may look like a part of an IP address; the IP address is not an account.
    ['/127/Tables', HOST, '127', false, `${origin}/127`],
    ['http://elsewhere/acc/Tables', HOST, 'acc', false, `${origin}/acc`],
  ] as const) {
    const route = parse(target, host);
    assert.deepEqual([route.account, route.secondary], [account, secondary], target);
    assert.equal(route.endpoint, endpoint);
    assert.deepEqual(route.resource, { kind: 'tables' });
  }
  assert.equal(parse('/a/Tables', HOST, true).endpoint, `https://${HOST}/a`);
});

test('the signed path is as it was sent', () => {
  const path = "/acc/T(PartitionKey=%27a%20b%27,RowKey='c')";
  assert.equal(parse(`${path}?$select=x`).path, path);
  assert.equal(parse(`http://h${path}`).path, path);
  for (const target of ['', '/']) assert.equal(parse(target, 'acc.table.localhost').path, '/');
});

test('what a path names', () => {
  const cases: readonly (readonly [string, TableResource])[] = [
    ['', { kind: 'service' }],
    ['$batch', { kind: 'batch' }],
    ['$batch/', { kind: 'batch' }],
    ['%24batch', { kind: 'batch' }],
    ['Tables', { kind: 'tables' }],
    ['Tables/', { kind: 'tables' }],
    ['Tables()', { kind: 'tables' }],
    ["Tables('T')", table('table', 'T')],
    ['Tables(%27T%27)', table('table', 'T')],
    ["Tables(TableName='T')", table('table', 'T')],
    ["Tables( 'T' )", table('table', 'T')],
    ["Tables('a''b')", table('table', "a'b")],
    ["Tables('')", table('table', '')],
    ['tables', table('entities', 'tables')],
    ['T', table('entities', 'T')],
    ['T()', table('entities', 'T')],
    ['T( )', table('entities', 'T')],
    ['my_table', table('entities', 'my_table')],
    ['$MetricsCapacityBlob', table('entities', '$MetricsCapacityBlob')],
    // Below a table the first segment is its name.
    ['T/Tables', table('nested', 'T')],
    ["T/Tables('x')", table('nested', 'T')],
    ['T/Tables()/', table('nested', 'T')],
    ['T/x/y', table('nested', 'T')],
    ['T/x(', table('nested', 'T')],
    ['T%2Fx', table('nested', 'T')],
    ['T//', table('nested', 'T')],
    ['a%2F%2F', table('nested', 'a')],
    ['/T', table('nested', '')],
    ["T(PartitionKey='p',RowKey='r')", entity('p', 'r')],
    ["T(RowKey='r',PartitionKey='p')", entity('p', 'r')],
    ["T(PartitionKey='p', RowKey='r')", entity('p', 'r')],
    ["T( PartitionKey = 'p' , RowKey = 'r' )", entity('p', 'r')],
    ['T(PartitionKey=%27p%27,RowKey=%27r%27)', entity('p', 'r')],
    ['T%28PartitionKey%3D%27p%27%2CRowKey%3D%27r%27%29', entity('p', 'r')],
    ["T(PartitionKey='p',RowKey='r')/", entity('p', 'r')],
    ["T(PartitionKey='',RowKey='')", entity('', '')],
    ["T(PartitionKey=' ',RowKey='%20r%20')", entity(' ', ' r ')],
    ["T(PartitionKey='O''Brien',RowKey='O%27%27Brien')", entity("O'Brien", "O'Brien")],
    ["T(PartitionKey='''''',RowKey='''')", entity("''", "'")],
    ["T(PartitionKey='%C3%B4',RowKey='%F0%9F%98%80')", entity('ô', '😀')],
    ["T(PartitionKey='foo%2525',RowKey='%25')", entity('foo%25', '%')],
    ["T(PartitionKey='a+b',RowKey='a%2Bb')", entity('a+b', 'a+b')],
    ["T(PartitionKey='a,b)(c=d',RowKey='),RowKey=')", entity('a,b)(c=d', '),RowKey=')],
    ["T(PartitionKey='foo''',RowKey=',bar')", entity("foo'", ',bar')],
    ["T(PartitionKey='a&b;c:d@e$f',RowKey='!*~\"')", entity('a&b;c:d@e$f', '!*~"')],
  ];
  for (const [path, expected] of cases) assert.deepEqual(resource(path), expected, path);
  assert.deepEqual(parse('/acc').resource, { kind: 'service' });
});

test('any key reads back from the URL in an answer', () => {
  const key = fc.string({ unit: 'grapheme' }).filter(text => !/[/\\#?\p{Cc}]/u.test(text));
  fc.assert(
    fc.property(key, key, (partition, row) => {
      const path = entityPath('T', { partition, key: row });
      assert.deepEqual(resource(path), entity(partition, row));
      assert.deepEqual(resource(path.replaceAll("'", '%27')), entity(partition, row));
    }),
    { numRuns: randomRuns(1_000) },
  );
});

test('forbidden keys, by the character', () => {
  for (const character of ['/', '%2F', '\\', '%5C', '%00', '%1F', '%0A', '%7F', '%23%2F'])
    for (const keys of [`PartitionKey='a${character}b',RowKey=''`, `PartitionKey='',RowKey='${character}'`])
      assert.equal(codeOfPath(`T(${keys})`), 'InvalidInput:QuerySyntax', character);
  for (const character of ['%23', '%3F', '%C2%80', '%C2%9F', '#'])
    assert.equal(codeOfPath(`T(PartitionKey='a${character}b',RowKey='')`), 'OutOfRangeInput', character);
});

test('predicates that do not parse, and a batch below a table', () => {
  const keys = [
    "'x'",
    "PartitionKey='p'",
    "RowKey='r'",
    "PartitionKey='p',RowKey='r',RowKey='r'",
    "PartitionKey='p',PartitionKey='r'",
    "PartitionKey='p'RowKey='r'",
    "PartitionKey='p',RowKey='r''",
    "PartitionKey='p',RowKey=r",
    'PartitionKey=1,RowKey=2',
    "partitionkey='p',rowkey='r'",
    "PartitionKey='p',RowKey='r',",
  ].map(predicate => `T(${predicate})`);
  const others = ["T(PartitionKey='p',RowKey='r'", "T(PartitionKey='p',RowKey='r')x", 'T(', 'Tables(x)'];
  for (const path of [...keys, ...others, "Tables('a'b')", "Tables('a','b')"])
    assert.equal(codeOfPath(path), 'InvalidInput:QuerySyntax', path);
  for (const path of ['T/$batch', 'T/x/$batch/']) assert.equal(codeOfPath(path), 'MediaTypeNotSupported');
});

test('targets without an account, and escapes that are broken', () => {
  const targets = [
    '/',
    '',
    '*',
    '?x=1',
    '//Tables',
    'http://host',
    '/a/%',
    '/a/%zz',
    '/a/%C3',
    '/a/%FF',
    '/%E0/T',
  ];
  const queries = ['a=%', '%=a', 'a=%C3', 'a=b&c=%2'].map(query => `/a/T?${query}`);
  for (const target of [...targets, ...queries])
    assert.throws(() => parse(target), { code: 'InvalidUri' }, target);
});

test('the query: escapes once, plus and %20 are spaces, the first of a name counts', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['', {}],
    ['&&', {}],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['=a', { '': 'a' }],
    ['a=b=c', { a: 'b=c' }],
    ['%24filter=x', { $filter: 'x' }],
    ['$filter=a+eq%201', { $filter: 'a eq 1' }],
    ['a=%2B%2520', { a: '+%20' }],
    ['a=%C3%B4ô', { a: 'ôô' }],
    ['sig=a+b%2B%20=&Sig=a+b', { sig: 'a+b+ =', Sig: 'a b' }],
    ['s%69g=a+b=&a=1+2', { sig: 'a+b=', a: '1 2' }],
    ['a=1&a=2&b=3', { a: '1', b: '3' }],
    ['a=x?y', { a: 'x?y' }],
    ['__proto__=1', { ['__proto__']: '1' }],
  ];
  for (const [text, expected] of cases)
    assert.deepEqual([...parseQuery(text)], Object.entries(expected), text);
});

test('the target of a part: host and account are optional, and it cannot leave its account', () => {
  const keys = "T(PartitionKey='p',RowKey='r')";
  const inPath = parse('/acc/$batch');
  const inHost = parse('/$batch', 'acc.table.localhost');
  const secondary = parse('/acc-secondary/$batch');
  const cases: readonly (readonly [string, Route])[] = [
    [`http://${HOST}/acc/${keys}`, inPath],
    [`HTTPS://other.example/acc/${keys}`, inPath],
    [`/acc/${keys}`, inPath],
    [`/${keys}`, inPath],
    [keys, inPath],
    [`acc/${keys}`, inPath],
    [`acc/${keys}?`, inPath],
    [keys, inHost],
    [`https://acc.table.core.windows.net/${keys}`, inPath],
    [`https://acc.table.core.windows.net/${keys}`, inHost],
    [`/${keys}`, inHost],
    [`/acc-secondary/${keys}`, secondary],
    [`acc-secondary/${keys}`, secondary],
  ];
  for (const [target, batch] of cases) {
    const { resource: found, account, endpoint } = parsePartTarget(target, batch);
    assert.deepEqual([found, account, endpoint], [entity('p', 'r'), batch.account, batch.endpoint], target);
  }
  const { query } = parsePartTarget(`/${keys}?%24format=json&$select=a`, parse('/acc/$batch?sig=x'));
  assert.deepEqual(Object.fromEntries(query), { $format: 'json', $select: 'a' });
  const elsewhere = parsePartTarget(`http://${HOST}/other1/T`, inPath);
  assert.deepEqual([elsewhere.account, elsewhere.resource], ['acc', table('nested', 'other1')]);
});

test('the target of a part is bounded like the head of a request', () => {
  const batch = parse('/acc/$batch');
  const start = 'T()?$filter=n+eq+1&x=';
  for (const [length, code] of [
    [65_536, 'none'],
    [65_537, 'InvalidUri:TooLong'],
  ] as const)
    assert.equal(
      codeOf(() => parsePartTarget(start.padEnd(length, 'y'), batch)),
      code,
    );
});

test('the longest target is parsed in linear time', () => {
  const long = 'a'.repeat(60_000);
  assert.deepEqual(resource(`T(PartitionKey='${long}',RowKey='')`), entity(long, ''));
  for (const path of [
    `T(PartitionKey='${"''".repeat(30_000)}`,
    `T(${' '.repeat(60_000)}x)`,
    '('.repeat(60_000),
  ])
    assert.equal(resource(path).kind, 'invalid');
});

/** The kind, or the code of the refusal. */
function attempt(method: string, path: string, headers: Record<string, string> = {}): string {
  let kind = '';
  const code = codeOf(() => {
    kind = operationKind({ method, headers }, parse(path.startsWith('/') ? path : `/acc/${path}`));
  });
  return code === 'none' ? kind : code;
}

const METHODS = ['GET', 'POST', 'PUT', 'MERGE', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get', 'constructor'];
const ENTITY = "T(PartitionKey='p',RowKey='r')";
const UPSERTS = {
  PUT: 'insertOrReplaceEntity',
  MERGE: 'insertOrMergeEntity',
  PATCH: 'insertOrMergeEntity',
} as const;
const TABLES = { GET: 'queryTables', POST: 'createTable' } as const;
const ENTITIES = { GET: 'queryEntities', POST: 'insertEntity' } as const;
const ACL = { GET: 'getTableAcl', HEAD: 'getTableAcl', PUT: 'setTableAcl' } as const;

test('every verb on every resource', () => {
  const paths: readonly (readonly [string, Readonly<Record<string, OperationKind>>])[] = [
    ['Tables', TABLES],
    ['Tables()', TABLES],
    ["Tables('T')", { GET: 'getTable', DELETE: 'deleteTable' }],
    ['T', ENTITIES],
    ['T()?$filter=x', ENTITIES],
    ['T?comp=acl', ACL],
    ['T?restype=table&comp=acl', ACL],
    ['$batch', { POST: 'submitTransaction' }],
    ['?restype=service&comp=properties', { GET: 'getServiceProperties', PUT: 'setServiceProperties' }],
    ['/acc-secondary/?restype=service&comp=stats', { GET: 'getServiceStats' }],
    [ENTITY, { ...UPSERTS, GET: 'getEntity', DELETE: 'deleteEntity' }],
    ["T/Tables('x')", { ...UPSERTS, ...ENTITIES, DELETE: 'deleteEntity' }],
  ];
  for (const [path, verbs] of paths)
    for (const method of METHODS) {
      const kind = Object.hasOwn(verbs, method) ? verbs[method] : undefined;
      assert.equal(attempt(method, path), kind ?? 'MethodNotAllowed', `${method} ${path}`);
      if (kind !== undefined) assert.equal(isRead(kind), method === 'GET' || method === 'HEAD', kind);
    }
});

test('If-Match makes an upsert a conditional write, even if it is empty', () => {
  for (const condition of ['*', 'W/"x"', '']) {
    const kindOf = (method: string, path = ENTITY) => attempt(method, path, { 'if-match': condition });
    assert.equal(kindOf('GET'), 'getEntity');
    assert.equal(kindOf('PUT'), 'updateEntity');
    for (const method of ['MERGE', 'PATCH']) assert.equal(kindOf(method), 'mergeEntity');
    assert.equal(kindOf('DELETE'), 'deleteEntity');
    assert.equal(kindOf('POST', 'T'), 'insertEntity');
  }
});

test('resources that do not exist', () => {
  const service = ['', '?comp=properties', '?restype=service', '?restype=service&comp=list'];
  for (const path of [...service, '?restype=account&comp=properties', 'T?restype=service&comp=properties'])
    assert.equal(attempt('GET', path), 'InvalidUri', path);
  for (const path of ['T/?restype=service&comp=properties', '?restype=service&comp=stats'])
    assert.equal(attempt('GET', path), 'InvalidQueryParameterValue', path);
  assert.equal(attempt('POST', 'T/$batch'), 'MediaTypeNotSupported');
  assert.equal(attempt('GET', "T('x')"), 'InvalidInput:QuerySyntax');
  assert.equal(attempt('GET', "T(PartitionKey='%23',RowKey='')"), 'OutOfRangeInput');
});

test('X-HTTP-Method stands for the verb of a POST', () => {
  for (const [verb, path, expected] of [
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
  ] as const)
    assert.equal(attempt('POST', path, { 'x-http-method': verb }), expected, verb);
  for (const method of ['GET', 'PUT', 'MERGE'])
    assert.equal(attempt(method, ENTITY, { 'x-http-method': method }), 'XMethodNotUsingPost');
});

test('the operations whose documents are XML', () => {
  for (const path of ['T?comp=acl', '?restype=service&comp=properties', '?restype=service&comp=stats'])
    assert.equal(isXmlRoute(parse(`/acc/${path}`)), true, path);
  for (const path of ['T', 'Tables', '$batch', ENTITY, 'T?comp=x', ''])
    assert.equal(isXmlRoute(parse(`/acc/${path}`)), false, path);
});
