// Targets of requests and of parts of a batch: every form, in every encoding (protocol: requests#addresses, tables#paths, entities#keys-in-urls).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import { parseQuery, parseTarget } from '../shared/target.js';
import { entityPath } from './answer.js';
import { parsePartTarget, type Route, TABLE_GRAMMAR, type TableResource } from './route.js';

const HOST = '127.0.0.1:10002';
const ACCOUNTS = new Set(['devstoreaccount1', 'other1', '127']);
const parse = (target: string, host: string | undefined = HOST, secure = false): Route =>
  parseTarget({ target, headers: { host }, secure }, ACCOUNTS, TABLE_GRAMMAR);
/** What a path below the account names. */
const resource = (path: string): TableResource => parse(`/devstoreaccount1/${path}`).resource;
const entity = (partitionKey: string, rowKey: string, table = 'T'): TableResource => ({
  kind: 'entity',
  table,
  key: { partitionKey, rowKey },
});

test('the position of the account', () => {
  const origin = `http://${HOST}`;
  const cases: readonly (readonly [string, string | undefined, string, boolean, string])[] = [
    ['/devstoreaccount1/Tables', HOST, 'devstoreaccount1', false, `${origin}/devstoreaccount1`],
    [
      '/devstoreaccount1-secondary/Tables',
      HOST,
      'devstoreaccount1',
      true,
      `${origin}/devstoreaccount1-secondary`,
    ],
    ['/unknown/Tables', HOST, 'unknown', false, `${origin}/unknown`],
    [
      '/devstoreaccount1/Tables',
      'localhost:10002',
      'devstoreaccount1',
      false,
      'http://localhost:10002/devstoreaccount1',
    ],
    ['/devstoreaccount1/Tables', 'tables', 'devstoreaccount1', false, 'http://tables/devstoreaccount1'],
    [
      '/devstoreaccount1/Tables',
      'my.proxy.example',
      'devstoreaccount1',
      false,
      'http://my.proxy.example/devstoreaccount1',
    ],
    [
      '/Tables',
      'devstoreaccount1.table.localhost:10002',
      'devstoreaccount1',
      false,
      'http://devstoreaccount1.table.localhost:10002',
    ],
    ['/Tables', 'other1-secondary.table.example', 'other1', true, 'http://other1-secondary.table.example'],
    // An account may look like a part of an IP address; the IP address is not an account.
    ['/127/Tables', HOST, '127', false, `${origin}/127`],
    [
      `http://elsewhere/devstoreaccount1/Tables`,
      HOST,
      'devstoreaccount1',
      false,
      `${origin}/devstoreaccount1`,
    ],
  ];
  for (const [target, host, account, secondary, endpoint] of cases) {
    const route = parse(target, host);
    assert.deepEqual(
      [route.account, route.secondary, route.endpoint],
      [account, secondary, endpoint],
      target,
    );
    assert.deepEqual(route.resource, { kind: 'tables' });
  }
  assert.equal(parse('/a/Tables', HOST, true).endpoint, `https://${HOST}/a`);
});

test('the signed path is as it was sent', () => {
  const path = "/devstoreaccount1/T(PartitionKey=%27a%20b%27,RowKey='c')";
  assert.equal(parse(`${path}?$select=x`).path, path);
  assert.equal(parse(`http://h${path}`).path, path);
  assert.equal(parse('', 'devstoreaccount1.table.localhost').path, '/');
  assert.equal(parse('/', 'devstoreaccount1.table.localhost').path, '/');
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
    ['tables', { kind: 'entities', table: 'tables' }],
    ["Tables('T')", { kind: 'table', table: 'T' }],
    ['Tables(%27T%27)', { kind: 'table', table: 'T' }],
    ["Tables(TableName='T')", { kind: 'table', table: 'T' }],
    ["Tables( 'T' )", { kind: 'table', table: 'T' }],
    ["Tables('a''b')", { kind: 'table', table: "a'b" }],
    ["Tables('')", { kind: 'table', table: '' }],
    ['T', { kind: 'entities', table: 'T' }],
    ['T()', { kind: 'entities', table: 'T' }],
    ['T( )', { kind: 'entities', table: 'T' }],
    ['my_table', { kind: 'entities', table: 'my_table' }],
    ['$MetricsCapacityBlob', { kind: 'entities', table: '$MetricsCapacityBlob' }],
  ];
  for (const [path, expected] of cases) assert.deepEqual(resource(path), expected, path);
  const bare = parse('/devstoreaccount1');
  assert.deepEqual([bare.account, bare.resource], ['devstoreaccount1', { kind: 'service' }]);
});

test('the keys of an entity, raw and encoded', () => {
  const cases: readonly (readonly [string, TableResource])[] = [
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
  const code = (path: string) => {
    const found = resource(path);
    return found.kind === 'invalid' ? found.code : found.kind;
  };
  const syntax = ['/', '%2F', '\\', '%5C', '%00', '%1F', '%0A', '%7F'];
  for (const character of syntax) {
    assert.equal(code(`T(PartitionKey='a${character}b',RowKey='')`), 'InvalidInput:QuerySyntax', character);
    assert.equal(code(`T(PartitionKey='',RowKey='${character}')`), 'InvalidInput:QuerySyntax', character);
  }
  for (const character of ['%23', '%3F', '%C2%80', '%C2%9F', '#'])
    assert.equal(code(`T(PartitionKey='a${character}b',RowKey='')`), 'OutOfRangeInput', character);
  assert.equal(code("T(PartitionKey='%23%2F',RowKey='')"), 'InvalidInput:QuerySyntax');
});

test('predicates that do not parse', () => {
  const wrong = [
    "T('x')",
    "T(PartitionKey='p')",
    "T(RowKey='r')",
    "T(PartitionKey='p',RowKey='r',RowKey='r')",
    "T(PartitionKey='p',PartitionKey='r')",
    "T(PartitionKey='p'RowKey='r')",
    "T(PartitionKey='p',RowKey='r'",
    "T(PartitionKey='p',RowKey='r')x",
    "T(PartitionKey='p',RowKey='r'')",
    "T(PartitionKey='p',RowKey=r)",
    'T(PartitionKey=1,RowKey=2)',
    "T(partitionkey='p',rowkey='r')",
    "T(PartitionKey='p',RowKey='r',)",
    'T(',
    'Tables(x)',
    "Tables('a'b')",
    "Tables('a','b')",
  ];
  for (const path of wrong)
    assert.deepEqual(resource(path), { kind: 'invalid', code: 'InvalidInput:QuerySyntax' }, path);
});

test('paths below a table: the first segment is its name; a batch below it is refused', () => {
  const cases: readonly (readonly [string, TableResource])[] = [
    ['T/Tables', { kind: 'nested', table: 'T' }],
    ["T/Tables('x')", { kind: 'nested', table: 'T' }],
    ['T/Tables()/', { kind: 'nested', table: 'T' }],
    ['T/x/y', { kind: 'nested', table: 'T' }],
    ['T/x(', { kind: 'nested', table: 'T' }],
    ['T%2Fx', { kind: 'nested', table: 'T' }],
    ['T//', { kind: 'nested', table: 'T' }],
    ['a%2F%2F', { kind: 'nested', table: 'a' }],
    ['/T', { kind: 'nested', table: '' }],
    ['T/$batch', { kind: 'invalid', code: 'MediaTypeNotSupported' }],
    ['T/x/$batch/', { kind: 'invalid', code: 'MediaTypeNotSupported' }],
  ];
  for (const [path, expected] of cases) assert.deepEqual(resource(path), expected, path);
});

test('targets without an account, and escapes that are broken', () => {
  for (const target of [
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
  ])
    assert.throws(() => parse(target), { code: 'InvalidUri' }, target);
  for (const query of ['a=%', '%=a', 'a=%C3', 'a=b&c=%2'])
    assert.throws(() => parse(`/a/T?${query}`), { code: 'InvalidUri' }, query);
});

test('hosts compare without case; the account of a path does not', () => {
  const accountOf = (target: string, host: string) => {
    const { account, secondary, endpoint } = parse(target, host);
    return [account, secondary, endpoint];
  };
  for (const host of ['DevStoreAccount1.table.localhost:10002', 'DEVSTOREACCOUNT1.TABLE.EXAMPLE'])
    assert.deepEqual(accountOf('/Tables', host), ['devstoreaccount1', false, `http://${host}`]);
  const secondary = 'OTHER1-Secondary.Table.Example';
  assert.deepEqual(accountOf('/Tables', secondary), ['other1', true, `http://${secondary}`]);
  assert.equal(accountOf('/DevStoreAccount1/Tables', HOST)[0], 'DevStoreAccount1');
});

test('the query: escapes once, plus and %20 are spaces, the first of a name counts', () => {
  const cases: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    ['', []],
    ['&&', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=a', [['', 'a']]],
    ['a=b=c', [['a', 'b=c']]],
    ['%24filter=x', [['$filter', 'x']]],
    ['$filter=a+eq%201', [['$filter', 'a eq 1']]],
    ['a=%2B%2520', [['a', '+%20']]],
    ['a=%C3%B4ô', [['a', 'ôô']]],
    [
      'sig=a+b%2B%20=&Sig=a+b',
      [
        ['sig', 'a+b+ ='],
        ['Sig', 'a b'],
      ],
    ],
    [
      's%69g=a+b=&a=1+2',
      [
        ['sig', 'a+b='],
        ['a', '1 2'],
      ],
    ],
    [
      'a=1&a=2&b=3',
      [
        ['a', '1'],
        ['b', '3'],
      ],
    ],
    ['a=x?y', [['a', 'x?y']]],
    ['__proto__=1', [['__proto__', '1']]],
  ];
  for (const [text, expected] of cases) assert.deepEqual([...parseQuery(text)], expected, text);
});

test('the target of a part: host and account are optional', () => {
  const keys = "T(PartitionKey='p',RowKey='r')";
  const inPath = parse('/devstoreaccount1/$batch');
  const inHost = parse('/$batch', 'devstoreaccount1.table.localhost');
  const secondary = parse('/devstoreaccount1-secondary/$batch');
  const cases: readonly (readonly [string, Route])[] = [
    [`http://${HOST}/devstoreaccount1/${keys}`, inPath],
    [`HTTPS://other.example/devstoreaccount1/${keys}`, inPath],
    [`/devstoreaccount1/${keys}`, inPath],
    [`/${keys}`, inPath],
    [keys, inPath],
    [`devstoreaccount1/${keys}`, inPath],
    [`devstoreaccount1/${keys}?`, inPath],
    [keys, inHost],
    [`https://devstoreaccount1.table.core.windows.net/${keys}`, inPath],
    [`https://devstoreaccount1.table.core.windows.net/${keys}`, inHost],
    [`/${keys}`, inHost],
    [`/devstoreaccount1-secondary/${keys}`, secondary],
    [`devstoreaccount1-secondary/${keys}`, secondary],
  ];
  for (const [target, batch] of cases) {
    const { resource: found, account, endpoint } = parsePartTarget(target, batch);
    assert.deepEqual([found, account, endpoint], [entity('p', 'r'), batch.account, batch.endpoint], target);
  }
  const query = parsePartTarget(
    `/${keys}?%24format=json&$select=a`,
    parse('/devstoreaccount1/$batch?sig=x'),
  ).query;
  assert.deepEqual(
    [...query],
    [
      ['$format', 'json'],
      ['$select', 'a'],
    ],
  );
});

test('a part cannot leave its account', () => {
  const batch = parse('/devstoreaccount1/$batch');
  const { account, resource: found } = parsePartTarget(`http://${HOST}/other1/T`, batch);
  assert.equal(account, 'devstoreaccount1');
  assert.deepEqual(found, { kind: 'nested', table: 'other1' });
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
