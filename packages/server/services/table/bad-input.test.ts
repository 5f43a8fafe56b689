// Bad input of every kind, through the whole service: the code and the sentence of each refusal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT,
  headersOf,
  openTable,
  refusalOf,
  type Sent,
  sentenceOf,
  tableSas,
  textOf,
} from '../../testing/service.js';

const INPUT = 'One of the request inputs is not valid.';
const BODY = 'An error occurred while processing this request.';
const SYNTAX = 'Bad Request - Error in query syntax.';
const RANGE = 'One of the request inputs is out of range.';
const QUERY_VALUE = 'Value for one of the query parameters specified in the request URI is invalid.';
const URI = 'The requested URI does not represent any resource on the server.';
const VALUE =
  'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.';

type Case = readonly [method: string, path: string, sent: Sent, refusal: string, sentence: string];

async function assertRefused(cases: readonly Case[]): Promise<void> {
  const { send, failures } = await openTable();
  for (const [method, path, sent, refusal, sentence] of cases) {
    const response = await send(method, path, sent);
    const name = `${method} ${path} ${String(sent.body ?? '').slice(0, 100)}`;
    assert.equal(refusalOf(response), refusal, name);
    assert.equal(sentenceOf(response), sentence, name);
  }
  assert.deepEqual(failures, []);
}

const ENTITY = "People(PartitionKey='p',RowKey='r')";
const get = (path: string, refusal: string, sentence: string): Case => ['GET', path, {}, refusal, sentence];

test('targets and keys in them', async () => {
  await assertRefused([
    get('People?a=%', '400 InvalidUri', URI),
    get('%', '400 InvalidUri', URI),
    get('%C3(', '400 InvalidUri', URI),
    get('', '400 InvalidUri', URI),
    get('?restype=service', '400 InvalidUri', URI),
    get('People?restype=service&comp=properties', '400 InvalidUri', URI),
    [
      'POST',
      'People/$batch',
      {},
      '415 MediaTypeNotSupported',
      'None of the provided media types are supported',
    ],
    get("People('x')", '400 InvalidInput', SYNTAX),
    get("People(PartitionKey='a/b',RowKey='')", '400 InvalidInput', SYNTAX),
    get("People(PartitionKey='',RowKey='%5C')", '400 InvalidInput', SYNTAX),
    get("People(PartitionKey='%00',RowKey='')", '400 InvalidInput', SYNTAX),
    get("People(PartitionKey='%7F',RowKey='')", '400 InvalidInput', SYNTAX),
    get("People(PartitionKey='%23',RowKey='')", '400 OutOfRangeInput', RANGE),
    get("People(PartitionKey='',RowKey='%3F')", '400 OutOfRangeInput', RANGE),
    get("People(PartitionKey='',RowKey='%C2%80')", '400 OutOfRangeInput', RANGE),
    get(`People(PartitionKey='${'k'.repeat(1025)}',RowKey='')`, '400 PropertyValueTooLarge', VALUE),
    [
      'PUT',
      'Tables',
      {},
      '405 MethodNotAllowed',
      'The requested method is not allowed on the specified resource.',
    ],
  ]);
});

const LENGTH = 'The specified resource name length is not within the permissible limits.';
const NEED = 'The values are not specified for all properties in the entity.';

test('below a table: what each verb earns, after its name and after a table that is missing', async () => {
  const gone = 'The table specified does not exist.';
  const none = 'The requested operation is not implemented on the specified resource.';
  const count = (table: string) =>
    `The number of keys specified in the URI does not match number of key properties for the resource '${ACCOUNT}.${table}'.`;
  for (const path of ['People/Tables', "People/Tables('x')", 'people/a/b']) {
    const missing = path.replace(/people/i, 'Missing');
    await assertRefused([
      ['POST', path, { body: '{}' }, '400 PropertiesNeedValue', NEED],
      ['POST', path, { body: '{' }, '400 InvalidInput', BODY],
      ['POST', missing, { body: '{}' }, '404 TableNotFound', gone],
      get(path, '501 NotImplemented', none),
      get(missing, '404 TableNotFound', gone),
    ]);
    for (const method of ['PUT', 'MERGE', 'PATCH', 'DELETE']) {
      await assertRefused([
        [method, path, { body: '{' }, '400 InvalidInput', count(path.slice(0, 6))],
        [method, missing, { body: '{' }, '404 TableNotFound', gone],
        [method, 'a%2F%2F', {}, '400 OutOfRangeInput', LENGTH],
      ]);
    }
  }
  await assertRefused([
    ['POST', 'a%2F%2F', { body: '{' }, '400 OutOfRangeInput', LENGTH],
    get('a%2F%2F', '400 OutOfRangeInput', LENGTH),
    get('my_table/x', '400 InvalidResourceName', 'The specifed resource name contains invalid characters.'),
  ]);
});

test('below a table an insert goes into the table', async () => {
  const { send } = await openTable();
  const body = '{"PartitionKey":"p","RowKey":"r"}';
  assert.equal((await send('POST', 'People/more', { body })).status, 201);
  assert.equal((await send('GET', ENTITY)).status, 200);
});

test("the service's documents below a table: with a slash another refusal, which does not echo the version", async () => {
  const { send } = await openTable();
  const query = '?restype=service&comp=properties';
  const cases = [
    ['People', '400 InvalidUri', URI, '2019-02-02'],
    ['People/', '400 InvalidQueryParameterValue', QUERY_VALUE, undefined],
  ] as const;
  for (const [path, refusal, sentence, version] of cases) {
    const response = await send('GET', path + query);
    const headers = headersOf(response);
    assert.deepEqual([refusalOf(response), sentenceOf(response)], [refusal, sentence]);
    assert.deepEqual(
      [headers.get('content-type'), headers.get('x-ms-version')],
      ['application/xml', version],
      path,
    );
  }
});

test('names of tables', async () => {
  const characters = 'The specifed resource name contains invalid characters.';
  const cases: readonly (readonly [string, string, string])[] = [
    ['aa', '400 OutOfRangeInput', LENGTH],
    ['a'.repeat(64), '400 OutOfRangeInput', LENGTH],
    ['my_table', '400 InvalidResourceName', characters],
    ['1abc', '400 InvalidResourceName', characters],
    ['\u00e9t\u00e9s', '400 InvalidResourceName', characters],
    ['tables', '400 InvalidInput', INPUT],
  ];
  for (const [name, refusal, sentence] of cases) {
    const path = encodeURIComponent(name);
    await assertRefused([
      ['POST', 'Tables', { body: JSON.stringify({ TableName: name }) }, refusal, sentence],
      ['DELETE', `Tables('${path}')`, {}, refusal, sentence],
      get(path, refusal, sentence),
      get(`${path}?comp=acl`, refusal, sentence),
      ['POST', path, { body: '{' }, refusal, sentence],
    ]);
  }
  for (const body of ['{}', '{"TableName":""}'])
    await assertRefused([['POST', 'Tables', { body }, '400 PropertiesNeedValue', NEED]]);
});

test('queries', async () => {
  const missing = 'The requested operation is not implemented on the specified resource.';
  const types =
    "A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Boolean' for operator kind 'And'.";
  await assertRefused([
    get('People?$filter=aaa%20bbb%20ccc', '400 InvalidInput', "Syntax error at position 7 in 'aaa bbb ccc'."),
    get("People?$filter=(PartitionKey)%20and%20(RowKey%20ge%20'x')", '400 InvalidInput', types),
    get("People?$filter=startswith(a,'b')", '501 NotImplemented', missing),
    get(
      'People?$filter=RowKey%20eq%205',
      '400 InvalidInput',
      types.replace('Boolean', 'Int32').replace('And', 'Equal'),
    ),
    get('People?$top=1001', '400 InvalidInput', INPUT),
    get('People?$top=-1', '400 InvalidInput', INPUT),
    get('People?$orderby=a', '501 NotImplemented', missing),
    get('People?$unknown=a', '400 InvalidInput', INPUT),
    get(`People?$select=${'a,'.repeat(255)}a`, '400 InvalidInput', INPUT),
    get('People?NextPartitionKey=x', '400 InvalidInput', INPUT),
    get('Tables?NextTableName=1!x', '400 InvalidInput', INPUT),
    get('People?$format=atom', '415 AtomFormatNotSupported', 'Atom format is not supported.'),
  ]);
});

/** The entity's members, in an insert and in the writes of its key. */
const writes = (members: string, refusal: string, sentence: string): Case[] => [
  ['POST', 'People', { body: `{"PartitionKey":"p","RowKey":"r",${members}}` }, refusal, sentence],
  ['PUT', ENTITY, { body: `{${members}}` }, refusal, sentence],
  ['MERGE', ENTITY, { body: `{${members}}`, headers: { 'if-match': '*' } }, refusal, sentence],
];
const typed = (type: string, text: string): string => `"a@odata.type":"${type}","a":${text}`;

test('values that are none of their type, or out of its range', async () => {
  const wrong = [
    typed('Edm.Binary', '"A-_="'),
    typed('Edm.Binary', '"A"'),
    typed('Edm.Int32', '2147483648'),
    typed('Edm.Int32', '1.5'),
    typed('Edm.Int64', '"9223372036854775808"'),
    typed('Edm.Double', '"1e999"'),
    typed('Edm.Guid', '"x"'),
    typed('Edm.DateTime', '"yesterday"'),
    typed('Edm.DateTime', '"10000-01-01T00:00:00Z"'),
    typed('Edm.Single', '1'),
    '"a":1e999',
    '"a":{}',
    '"a":[1]',
  ];
  for (const members of wrong) await assertRefused(writes(members, '400 InvalidInput', BODY));
  const early = typed('Edm.DateTime', '"1600-12-31T23:59:59Z"');
  const sentence = "The 'a' parameter of value '12/31/1600 23:59:59' is out of range.";
  await assertRefused(writes(early, '400 OutOfRangeInput', sentence));
});

test('limits of an entity', async () => {
  const binary = (bytes: number) => typed('Edm.Binary', `"${Buffer.alloc(bytes).toString('base64')}"`);
  const many = Array.from({ length: 253 }, (_, i) => `"p${i}":1`).join(',');
  const limits: readonly (readonly [string, string, string])[] = [
    [`"a":"${'x'.repeat(32_769)}"`, 'PropertyValueTooLarge', VALUE],
    [binary(65_537), 'PropertyValueTooLarge', VALUE],
    [binary(1_048_576), 'EntityTooLarge', 'The entity is larger than the maximum allowed size (1MB).'],
    [
      many,
      'TooManyProperties',
      'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.',
    ],
    [
      `"${'n'.repeat(256)}":1`,
      'PropertyNameTooLong',
      'The property name exceeds the maximum allowed length (255).',
    ],
    ['"a-b":1', 'PropertyNameInvalid', 'The property name is invalid.'],
    ['"123":1', 'PropertyNameInvalid', 'The property name is invalid.'],
    ['"a":1,"a":2', 'DuplicatePropertiesSpecified', 'A property is specified more than one time.'],
  ];
  for (const [members, code, sentence] of limits)
    await assertRefused(writes(members, `400 ${code}`, sentence));
});

test('keys in a body: missing, of another type, with forbidden characters', async () => {
  const post = (body: string, refusal: string, sentence: string): Case => [
    'POST',
    'People',
    { body },
    refusal,
    sentence,
  ];
  await assertRefused([
    post('{}', '400 PropertiesNeedValue', NEED),
    post('{"PartitionKey":"p"}', '400 PropertiesNeedValue', NEED),
    post('{"PartitionKey":"p","RowKey":null}', '400 PropertiesNeedValue', NEED),
    post('{"PartitionKey":5,"RowKey":"r"}', '400 InvalidInput', INPUT),
    post('{"PartitionKey":"p","RowKey":true}', '400 InvalidInput', INPUT),
    post('{"PartitionKey":[],"RowKey":"r"}', '400 InvalidInput', INPUT),
    post(`{"PartitionKey":"p","RowKey":"${'k'.repeat(1025)}"}`, '400 PropertyValueTooLarge', VALUE),
  ]);
  for (const value of ['/', '\\\\', '#', '?', '\\u0000', '\\n', '\\u007f', '\\u0085', '\\ud83d']) {
    const sentence = `The 'RowKey' parameter of value 'a${value}b' is out of range.`;
    const body = `{"PartitionKey":"p","RowKey":"a${value}b"}`;
    await assertRefused([post(body, '400 OutOfRangeInput', sentence)]);
  }
});

test('where the URL names the key, those of the body may be of any type', async () => {
  const { send } = await openTable();
  const bodies = [
    '{"PartitionKey":5,"RowKey":{},"a":1}',
    '{"PartitionKey":[true],"RowKey":null,"a":1}',
    '{"PartitionKey@odata.type":"Edm.DateTime","PartitionKey":"2022-01-01T00:00:00Z","RowKey":"a/b","a":1}',
  ];
  for (const [method, body] of ['PUT', 'MERGE', 'PATCH'].flatMap(verb => bodies.map(text => [verb, text])))
    assert.equal((await send(method ?? '', ENTITY, { body: body ?? '' })).status, 204, `${method} ${body}`);
  const accept = 'application/json;odata=nometadata';
  const { PartitionKey, RowKey, a } = JSON.parse(textOf(await send('GET', ENTITY, { headers: { accept } })));
  assert.deepEqual([PartitionKey, RowKey, a], ['p', 'r', 1]);
});

test('bodies that are no JSON', async () => {
  const bodies: readonly (string | Buffer)[] = ['', '{', '[]', 'null', '{"a":}', '{"a":1}x', '<a/>'];
  const bytes = [
    Buffer.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
    Buffer.alloc(100),
    Buffer.from('{}', 'utf16le'),
  ];
  for (const body of [...bodies, ...bytes, `{"a":${'['.repeat(100_000)}`]) {
    await assertRefused([
      ['POST', 'People', { body }, '400 InvalidInput', BODY],
      ['PUT', ENTITY, { body }, '400 InvalidInput', BODY],
      ['POST', 'Tables', { body }, '400 InvalidInput', BODY],
    ]);
  }
});

test('conditions and tunnelled verbs', async () => {
  const etag = (text: string) =>
    `The etag value '${text}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.`;
  const put = (headers: Sent['headers'], refusal: string, sentence: string, method = 'PUT'): Case => [
    method,
    ENTITY,
    { body: '{}', headers: headers ?? {} },
    refusal,
    sentence,
  ];
  await assertRefused([
    put({ 'if-match': 'abc' }, '400 InvalidInput', etag('abc')),
    put({ 'if-match': '*, *' }, '400 InvalidInput', etag('*, *')),
    put(
      { 'if-none-match': '*' },
      '400 InvalidInput',
      'If-None-Match HTTP header cannot be specified for PUT requests.',
    ),
    put(
      { 'if-match': '*', 'if-none-match': '*' },
      '400 InvalidInput',
      'Both If-Match and If-None-Match cannot be specified at the same time.',
    ),
    put({}, '400 MissingRequiredHeader', 'A required HTTP header was not specified.', 'DELETE'),
    put(
      { 'x-http-method': 'PUT' },
      '400 XMethodNotUsingPost',
      'The request uses X-HTTP-Method with an HTTP verb other than POST.',
    ),
    put(
      { 'x-http-method': 'PUT, PUT' },
      '400 XMethodIncorrectCount',
      'More than one X-HTTP-Method is specified.',
      'POST',
    ),
    put(
      { 'x-http-method': 'HEAD' },
      '400 XMethodIncorrectValue',
      'The specified X-HTTP-Method is invalid.',
      'POST',
    ),
  ]);
});

test('early refusals carry no Cache-Control and apply no preference, those of the storage phase do', async () => {
  const { send } = await openTable();
  const headers = { prefer: 'return-no-content' };
  const cases: readonly (readonly [method: string, path: string, body: string, late: boolean])[] = [
    ['POST', 'People', '{', false],
    ['POST', 'People', '{"PartitionKey":"p","RowKey":"r","a-b":1}', false],
    ['POST', 'People', '{"PartitionKey":"p","RowKey":5}', false],
    ['POST', 'Missing', '{}', false],
    ['PUT', 'People/more', '{}', false],
    ['DELETE', "People/Tables('x')", '', false],
    ['POST', 'People', '{}', true],
    ['POST', 'People/more', '{}', true],
    ['GET', 'People/more', '', true],
    ['GET', 'People?$orderby=a', '', true],
  ];
  for (const [method, path, body, late] of cases) {
    const response = await send(method, path, { body, headers });
    const found = headersOf(response);
    assert.ok(response.status >= 400, path);
    assert.deepEqual(
      [found.get('cache-control'), found.get('x-content-type-options'), found.get('preference-applied')],
      [late ? 'no-cache' : undefined, 'nosniff', late && method === 'POST' ? 'return-no-content' : undefined],
      `${method} ${path} ${body}`,
    );
  }
});

test('the format of an error is the one that was asked for', async () => {
  const { send } = await openTable();
  const type = async (path: string, accept: string | undefined) =>
    new Map((await send('GET', path, { headers: { accept } })).headers).get('Content-Type');
  const json = (level: string) => `application/json;odata=${level};streaming=true;charset=utf-8`;
  assert.equal(await type(ENTITY, undefined), json('minimalmetadata'));
  assert.equal(await type(ENTITY, 'application/json;odata=nometadata'), json('nometadata'));
  const full = '?$format=application%2Fjson%3Bodata%3Dfullmetadata';
  assert.equal(await type(ENTITY + full, 'application/json;odata=nometadata'), json('fullmetadata'));
  assert.equal(await type('Missing?comp=acl', 'application/json'), 'application/xml');
  assert.equal((await send('GET', 'People?comp=acl', { headers: { accept: 'image/png' } })).status, 200);
});

test('a signature that is out of date, changed, or of another table', async () => {
  const { raw } = await openTable();
  const ask = async (signature: string, accept = 'application/json') =>
    raw('GET', `/${ACCOUNT}/People?${signature}`, { anonymous: true, headers: { accept } });
  assert.equal(refusalOf(await ask(tableSas('people', { sp: 'r' }))), '0');
  const expired = await ask(tableSas('People', { sp: 'r', se: '2020-01-01T00:00:00Z' }));
  assert.equal(refusalOf(expired), '403 AuthenticationFailed');
  assert.ok(!textOf(expired).includes('AuthenticationErrorDetail'));
  const inXml = await ask(tableSas('People', { sp: 'r', se: '2020-01-01T00:00:00Z' }), '*/*');
  assert.equal(refusalOf(inXml), '403 AuthenticationFailed');
  assert.match(textOf(inXml), /<m:AuthenticationErrorDetail>Signed expiry time \[/);
  assert.equal(
    refusalOf(await ask(tableSas('People', { sp: 'r' }).replace('sp=r', 'sp=ra'))),
    '403 AuthenticationFailed',
  );
  assert.equal(refusalOf(await ask(tableSas('Other', { sp: 'r' }))), '403 AuthorizationFailure');
  assert.equal(refusalOf(await ask(tableSas('People', { sp: 'a' }))), '403 AuthorizationPermissionMismatch');
  const elsewhere = await ask(tableSas('People', { sp: 'r', sip: '10.0.0.1' }));
  assert.equal(elsewhere.reason, sentenceOf(elsewhere));
  assert.match(sentenceOf(elsewhere), /using this source IP 127\.0\.0\.1\.$/);
});
