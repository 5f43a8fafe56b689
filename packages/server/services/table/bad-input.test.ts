// Bad input through the whole service: the sentence of each refusal, what depends on the table, and the headers and the form of the phase it comes from.
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

const BODY = 'An error occurred while processing this request.';
const LENGTH = 'The specified resource name length is not within the permissible limits.';
const NEED = 'The values are not specified for all properties in the entity.';
const NONE = 'The requested operation is not implemented on the specified resource.';
const URI = 'The requested URI does not represent any resource on the server.';

const put = (headers: Sent['headers'], refusal: string, sentence: string, method = 'PUT'): Case => [
  method,
  ENTITY,
  { body: '{}', headers: headers ?? {} },
  refusal,
  sentence,
];
const post = (path: string, body: string, refusal: string, sentence: string): Case => [
  'POST',
  path,
  { body },
  refusal,
  sentence,
];
const insert = (members: string, code: string, sentence: string): Case =>
  post('People', `{"PartitionKey":"p","RowKey":"r",${members}}`, `400 ${code}`, sentence);

const many = Array.from({ length: 253 }, (_, i) => `"p${i}":1`).join(',');
const large = `"a@odata.type":"Edm.Binary","a":"${Buffer.alloc(1_048_576).toString('base64')}"`;

/** What else is refused with each code, the parsers' own tests ask. */
const SENTENCES: readonly Case[] = [
  get('%', '400 InvalidUri', URI),
  get("People('x')", '400 InvalidInput', 'Bad Request - Error in query syntax.'),
  get(
    "People(PartitionKey='%23',RowKey='')",
    '400 OutOfRangeInput',
    'One of the request inputs is out of range.',
  ),
  post('People/$batch', '', '415 MediaTypeNotSupported', 'None of the provided media types are supported'),
  [
    'PUT',
    'Tables',
    {},
    '405 MethodNotAllowed',
    'The requested method is not allowed on the specified resource.',
  ],
  get('People?$format=atom', '415 AtomFormatNotSupported', 'Atom format is not supported.'),
  get('aa', '400 OutOfRangeInput', LENGTH),
  post(
    'Tables',
    '{"TableName":"my_table"}',
    '400 InvalidResourceName',
    'The specifed resource name contains invalid characters.',
  ),
  get('tables', '400 InvalidInput', 'One of the request inputs is not valid.'),
  post('Tables', '{}', '400 PropertiesNeedValue', NEED),
  post('People', '{', '400 InvalidInput', BODY),
  get('People?$filter=aaa%20bbb%20ccc', '400 InvalidInput', "Syntax error at position 7 in 'aaa bbb ccc'."),
  get(
    'People?$filter=RowKey%20eq%205',
    '400 InvalidInput',
    "A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Int32' for operator kind 'Equal'.",
  ),
  get(`People?$filter=${'x'.repeat(32_769)}`, '414 InvalidUri', 'The request URL is too long.'),
  get('People?$orderby=a', '501 NotImplemented', NONE),
  insert(
    '"a@odata.type":"Edm.DateTime","a":"1600-12-31T23:59:59Z"',
    'OutOfRangeInput',
    "The 'a' parameter of value '12/31/1600 23:59:59' is out of range.",
  ),
  post(
    'People',
    '{"PartitionKey":"p","RowKey":"a/b"}',
    '400 OutOfRangeInput',
    "The 'RowKey' parameter of value 'a/b' is out of range.",
  ),
  insert(
    `"a":"${'x'.repeat(32_769)}"`,
    'PropertyValueTooLarge',
    'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
  ),
  insert(large, 'EntityTooLarge', 'The entity is larger than the maximum allowed size (1MB).'),
  insert(
    many,
    'TooManyProperties',
    'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.',
  ),
  insert(
    `"${'n'.repeat(256)}":1`,
    'PropertyNameTooLong',
    'The property name exceeds the maximum allowed length (255).',
  ),
  insert('"a-b":1', 'PropertyNameInvalid', 'The property name is invalid.'),
  insert('"a":1,"a":2', 'DuplicatePropertiesSpecified', 'A property is specified more than one time.'),
  put(
    { 'if-match': '*, *' },
    '400 InvalidInput',
    "The etag value '*, *' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.",
  ),
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
];

test('the sentence of each refusal', () => assertRefused(SENTENCES));

test('below a table: what each verb earns, after its name and after a table that is missing', async () => {
  const gone = 'The table specified does not exist.';
  const count = (table: string) =>
    `The number of keys specified in the URI does not match number of key properties for the resource '${ACCOUNT}.${table}'.`;
  for (const path of ['People/Tables', "People/Tables('x')", 'people/a/b']) {
    const missing = path.replace(/people/i, 'Missing');
    await assertRefused([
      ['POST', path, { body: '{}' }, '400 PropertiesNeedValue', NEED],
      ['POST', path, { body: '{' }, '400 InvalidInput', BODY],
      ['POST', missing, { body: '{}' }, '404 TableNotFound', gone],
      get(path, '501 NotImplemented', NONE),
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

test('a PUT or a POST has a length, or comes in chunks; other verbs need none (protocol: requests#bounds)', async () => {
  const { send } = await openTable();
  const withoutLength = { 'content-length': undefined };
  for (const [method, path] of [
    ['POST', 'Tables'],
    ['PUT', ENTITY],
    ['POST', '$batch'],
  ] as const) {
    const refused = await send(method, path, { headers: withoutLength, anonymous: true });
    assert.equal(refusalOf(refused), '411 MissingContentLengthHeader', path);
    assert.match(sentenceOf(refused), /Content-Length HTTP header is missing\./);
    const chunked = { ...withoutLength, 'transfer-encoding': 'chunked' };
    assert.notEqual((await send(method, path, { headers: chunked })).status, 411, path);
  }
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'MERGE', 'PATCH'])
    assert.notEqual((await send(method, ENTITY, { headers: withoutLength })).status, 411, method);
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
  const value = 'Value for one of the query parameters specified in the request URI is invalid.';
  const cases = [
    ['People', '400 InvalidUri', URI, '2019-02-02'],
    ['People/', '400 InvalidQueryParameterValue', value, undefined],
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

test('early refusals carry no Cache-Control and apply no preference, those of the storage phase do', async () => {
  const { send } = await openTable();
  const headers = { prefer: 'return-no-content' };
  const cases: readonly (readonly [method: string, path: string, body: string, late: boolean])[] = [
    ['POST', 'People', '{', false],
    ['POST', 'People', '{}', true],
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

test('the detail of a signature that does not hold stands in XML alone; an address is told in each form', async () => {
  const { raw } = await openTable();
  const ask = async (fields: Readonly<Record<string, string>>, accept = 'application/json') =>
    raw('GET', `/${ACCOUNT}/People?${tableSas('people', { sp: 'r', ...fields })}`, {
      anonymous: true,
      headers: { accept },
    });
  assert.equal(refusalOf(await ask({})), '0', 'a signature names its table in any case');
  const [inJson, inXml] = [await ask({ se: '2020-01-01' }), await ask({ se: '2020-01-01' }, '*/*')];
  assert.deepEqual([inJson, inXml].map(refusalOf), Array(2).fill('403 AuthenticationFailed'));
  assert.ok(!textOf(inJson).includes('AuthenticationErrorDetail'));
  assert.match(textOf(inXml), /<m:AuthenticationErrorDetail>Signed expiry time \[/);
  const elsewhere = await ask({ sip: '10.0.0.1' });
  assert.equal(elsewhere.reason, sentenceOf(elsewhere));
  assert.match(sentenceOf(elsewhere), /using this source IP 127\.0\.0\.1\.$/);
});

test('JSON has a first version; documents in XML do not ask for it', async () => {
  const { send: request } = await openTable();
  const old = { headers: { 'x-ms-version': '2012-02-12' } };
  const refusal = async (method: string, path: string, headers: Sent['headers']) =>
    refusalOf(await request(method, path, { headers: { ...old.headers, ...headers }, body: '' }));
  const atom = 'application/atom+xml,application/xml';
  const json = 'application/json;odata=nometadata';
  for (const [method, path, headers, code] of [
    ['GET', 'Tables', {}, 'Atom'],
    ['GET', 'Tables', { accept: '*/*' }, 'Atom'],
    ['GET', 'Tables', { accept: atom }, 'Atom'],
    ['GET', 'Tables', { accept: `${json},${atom}` }, 'Atom'],
    ['GET', 'Tables', { accept: json }, 'Json'],
    ['GET', 'Tables?$format=json', {}, 'Json'],
    ['POST', 'Tables', { 'content-type': 'application/atom+xml' }, 'Atom'],
    ['POST', 'Tables', { 'content-type': 'application/json' }, 'Json'],
    ['POST', '$batch', { 'content-type': 'multipart/mixed; boundary=b', accept: atom }, 'Atom'],
    ['POST', '$batch', { 'content-type': 'multipart/mixed; boundary=b' }, 'Atom'],
    ['POST', '$batch', { 'content-type': 'multipart/mixed; boundary=b', accept: json }, 'Json'],
  ] as const)
    assert.equal(
      await refusal(method, path, headers),
      `415 ${code}FormatNotSupported`,
      `${method} ${path} ${JSON.stringify(headers)}`,
    );
  assert.equal(
    await refusal('GET', 'Tables', { 'x-ms-version': '2013-08-14' }),
    '415 AtomFormatNotSupported',
  );
  assert.equal((await request('GET', '?restype=service&comp=properties', old)).status, 200);
  assert.equal((await request('GET', 'Tables', { headers: { 'x-ms-version': '2013-08-15' } })).status, 200);
});
