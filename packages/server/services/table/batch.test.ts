// POST $batch end to end: envelopes to the byte, which part fails and what it says of its place (protocol: batches),
// and that a changeset is carried out whole or not at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireResponse } from '#base';
import { StoreError } from '#store';
import {
  ACCOUNT,
  ENDPOINT,
  headersOf,
  openTable,
  refusalOf,
  type Sent,
  sentenceOf,
  type TestService,
  tableSas,
  textOf,
} from '../../testing/service.js';

interface Part {
  readonly line: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

const partText = ({ line, headers = [], body = '' }: Part): string =>
  [
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    '',
    `${line} HTTP/1.1`,
    ...headers,
    '',
    body,
    '',
  ].join('\r\n');

const changeset = (parts: readonly Part[]): string =>
  [
    '--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n',
    ...parts.map(part => `--changeset_1\r\n${partText(part)}`),
    '--changeset_1--\r\n--batch_1--\r\n',
  ].join('');
const single = (part: Part): string => `--batch_1\r\n${partText(part)}--batch_1--\r\n`;

const MULTIPART = { 'content-type': 'multipart/mixed; boundary=batch_1' };
const post = ({ send }: TestService, body: string, headers: Sent['headers'] = {}) =>
  send('POST', '$batch', { body, headers: { ...MULTIPART, ...headers } });

const NONE = 'Prefer: return-no-content';
const insert = (rowKey: string, partitionKey = 'p', table = 'People'): Part => ({
  line: `POST ${ENDPOINT}/${table}`,
  headers: [NONE],
  body: JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey }),
});
const remove = (rowKey: string): Part => ({
  line: `DELETE /${ACCOUNT}/People(PartitionKey='p',RowKey='${rowKey}')`,
  headers: ['If-Match: *'],
});
const inserts = (count: number) => Array.from({ length: count }, (_, i) => insert(`r${i}`));
const keys = async ({ send }: TestService): Promise<string[]> => {
  const text = textOf(
    await send('GET', 'People?$select=RowKey', { headers: { accept: 'application/json;odata=nometadata' } }),
  );
  return [...text.matchAll(/"RowKey":"([^"]*)"/g)].map(([, key = '']) => key);
};

/** The statuses of the parts, in their order. */
const statuses = (response: WireResponse): readonly string[] =>
  [...textOf(response).matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status = '']) => status);

const envelope = (parts: string): string =>
  `--batchresponse_B\r\nContent-Type: multipart/mixed; boundary=changesetresponse_C\r\n\r\n${parts}--changesetresponse_C--\r\n--batchresponse_B--\r\n`;
const HTTP = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
const answered = (...parts: string[]): string =>
  envelope(parts.map(part => `--changesetresponse_C\r\n${HTTP}${part}\r\n`).join(''));
/** With short names for the GUIDs, which are new each time. */
function normal(response: WireResponse): string {
  const text = textOf(response);
  const [, batch = ''] = /^--batchresponse_([0-9a-f-]{36})\r\n/.exec(text) ?? assert.fail(text);
  const [, inner = 'none'] = /boundary=changesetresponse_([0-9a-f-]{36})\r\n/.exec(text) ?? [];
  assert.equal(headersOf(response).get('content-type'), `multipart/mixed; boundary=batchresponse_${batch}`);
  return text.replaceAll(batch, 'B').replaceAll(inner, 'C');
}

const TYPE = 'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const ETAG = `W/"datetime'2020-01-01T01%3A02%3A00.0000003Z'"`;
const COMMON = 'X-Content-Type-Options: nosniff\r\nCache-Control: no-cache';
const failure = (status: string, code: string, message: string, headers = COMMON): string =>
  `HTTP/1.1 ${status}\r\n${headers}\r\nDataServiceVersion: 3.0;\r\n${TYPE}\r\n\r\n{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":"${message}\\nRequestId:00000000-0000-0000-0000-000000000002\\nTime:2020-01-01T01:02:00.0000000Z"}}}`;

test('a changeset that is done, to the byte', async () => {
  const service = await openTable();
  await service.send('POST', 'People', { body: '{"PartitionKey":"p","RowKey":"old"}' });
  const body = changeset([
    { ...insert('new'), headers: [NONE, 'Content-ID: 1'] },
    { line: `MERGE /People(PartitionKey='p',RowKey='old')`, headers: ['If-Match: *'], body: '{"a":1}' },
    { line: `DELETE /People(PartitionKey='p',RowKey='gone')`, headers: ['If-Match: *'] },
  ]);
  const refused = await post(service, body);
  assert.deepEqual(statuses(refused), ['404']);
  assert.deepEqual(await keys(service), ['old']);
  await service.send('POST', 'People', { body: '{"PartitionKey":"p","RowKey":"gone"}' });
  const response = await post(service, body);
  const etag = /ETag: (.*)\r\n/.exec(textOf(response))?.[1];
  const location = `${ENDPOINT}/People(PartitionKey='p',RowKey='new')`;
  assert.equal(
    normal(response),
    answered(
      `HTTP/1.1 204 No Content\r\nContent-ID: 1\r\n${COMMON}\r\nPreference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nLocation: ${location}\r\nDataServiceId: ${location}\r\nETag: ${etag}\r\n\r\n`,
      `HTTP/1.1 204 No Content\r\n${COMMON}\r\nDataServiceVersion: 1.0;\r\nETag: ${etag}\r\n\r\n`,
      `HTTP/1.1 204 No Content\r\n${COMMON}\r\nDataServiceVersion: 1.0;\r\n\r\n`,
    ),
  );
  assert.equal(response.status, 202);
  assert.deepEqual(await keys(service), ['new', 'old']);
});

test('an empty changeset, to the byte', async () => {
  assert.equal(normal(await post(await openTable(), changeset([]))), envelope(''));
});

test('the worked failure of three inserts, to the byte', async () => {
  const service = await openTable();
  await service.send('POST', 'People', { body: '{"PartitionKey":"p","RowKey":"c"}' });
  const response = await post(service, changeset([insert('a'), insert('b'), insert('c')]));
  const sentence = '2:The specified entity already exists.';
  const expected = failure(
    '409 Conflict',
    'EntityAlreadyExists',
    sentence,
    `${COMMON}\r\nPreference-Applied: return-no-content`,
  ).replace('000000000002', '000000000003');
  assert.equal(response.status, 202);
  assert.equal(normal(response), answered(expected));
  assert.deepEqual(await keys(service), ['c']);
});

test('a failure that is found early, to the byte: no Cache-Control, no preference', async () => {
  const service = await openTable();
  const early = 'X-Content-Type-Options: nosniff';
  const [body, name] = ['An error occurred while processing this request.', 'The property name is invalid.'];
  const invalid = '{"PartitionKey":"p","RowKey":"a","a-b":1}';
  for (const [text, code, sentence, id] of [
    ['{', 'InvalidInput', `0:${body}`, '000000000002'],
    [invalid, 'PropertyNameInvalid', `0:${name}`, '000000000005'],
  ] as const) {
    const response = await post(service, changeset([{ ...insert('a'), body: text }]));
    const expected = failure('400 Bad Request', code, sentence, early).replace('000000000002', id);
    assert.equal(normal(response), answered(expected));
  }
});

test('a single GET, found and missing, to the byte', async () => {
  const service = await openTable();
  const get: Part = { line: `GET ${ENDPOINT}/People(PartitionKey='p',RowKey='a')?$select=RowKey` };
  const answer = (content: string) => `--batchresponse_B\r\n${HTTP}${content}\r\n--batchresponse_B--\r\n`;
  const missing = failure('404 Not Found', 'ResourceNotFound', '0:The specified resource does not exist.');
  assert.equal(normal(await post(service, single(get))), answer(missing));
  await service.send('POST', 'People', { body: '{"PartitionKey":"p","RowKey":"a"}' });
  const found = await post(service, single(get));
  const [, etag = ''] = /ETag: (.*)\r\n/.exec(textOf(found)) ?? [];
  const json = `{"odata.metadata":"${ENDPOINT}/$metadata#People/@Element&$select=RowKey","odata.etag":${JSON.stringify(etag)},"RowKey":"a"}`;
  assert.equal(
    normal(found),
    answer(
      `HTTP/1.1 200 OK\r\nDataServiceVersion: 3.0;\r\n${TYPE}\r\n${COMMON}\r\nETag: ${etag}\r\n\r\n${json}`,
    ),
  );
  const list = await post(service, single({ line: `GET ${ENDPOINT}/People()?$filter=RowKey%20eq%20'a'` }));
  assert.match(
    textOf(list),
    /^HTTP\/1\.1 200 OK[\s\S]*"value":\[\{.*"RowKey":"a".*\}\]\}\r\n--batchresponse/m,
  );
});

test('an insert without preference answers its content in the part', async () => {
  const { line, body = '' } = insert('a');
  const response = await post(
    await openTable(),
    changeset([{ line: `${line}?$format=application%2Fjson%3Bodata%3Dnometadata`, body }]),
  );
  const location = `${ENDPOINT}/People(PartitionKey='p',RowKey='a')`;
  const json = '{"PartitionKey":"p","RowKey":"a","Timestamp":"2020-01-01T01:02:00.0000001Z"}';
  const etag = ETAG.replace('03Z', '01Z');
  assert.equal(
    normal(response),
    answered(
      `HTTP/1.1 201 Created\r\nDataServiceVersion: 3.0;\r\n${TYPE.replace('minimal', 'no')}\r\n${COMMON}\r\nLocation: ${location}\r\nETag: ${etag}\r\n\r\n${json}`,
    ),
  );
});

test('an upsert is a part like others, and a part that fails has the format that it asked for', async () => {
  const service = await openTable();
  const put = (query: string): Part => ({
    line: `PUT ${ENDPOINT}/People(PartitionKey='p',RowKey='a')?${query}`,
    headers: ['Accept: application/json;odata=fullmetadata'],
    body: '{"a":1}',
  });
  assert.deepEqual(statuses(await post(service, changeset([put('')]))), ['204']);
  assert.deepEqual(await keys(service), ['a']);
  const none = '$format=application%2Fjson%3Bodata%3Dnometadata';
  for (const [query, level] of [
    ['', 'full'],
    [none, 'no'],
  ] as const) {
    const failed = await post(service, changeset([{ ...put(query), body: '{' }]));
    assert.ok(textOf(failed).includes(TYPE.replace('minimal', level)), level);
  }
});

const withBody = (rowKey: string, body: string): Part => ({ ...insert(rowKey), body });
const LONG = withBody('a', `{"PartitionKey":"p","RowKey":"a","x":"${'x'.repeat(32_769)}"}`);
const SLASH: Part = { line: "PUT /People(PartitionKey='p',RowKey='a/b')", body: '{}' };

/** `sentence` where no request of its own is refused with it (bad-input.test.ts). */
type Case = readonly [parts: readonly Part[], refusal: string, place: string, sentence?: string];

/** Which part of a changeset fails, with which code, and what it says of its place. */
const FAILURES: readonly Case[] = [
  [[insert('there')], '409 EntityAlreadyExists', '', 'The specified entity already exists.'],
  [[remove('missing')], '404 ResourceNotFound', '', 'The specified resource does not exist.'],
  [[insert('there'), insert('a')], '409 EntityAlreadyExists', '0:'],
  [[insert('a'), remove('missing')], '404 ResourceNotFound', '1:'],
  [[insert('a', 'p', 'Missing')], '404 TableNotFound', '0:'],
  [[insert('a', 'p', 'my_table')], '400 InvalidResourceName', '0:'],
  [[insert('a'), insert('b', 'p', 'aa')], '400 OutOfRangeInput', '1:'],
  [[SLASH], '400 InvalidInput', '0:'],
  [[insert('b'), SLASH], '400 InvalidInput', '1:'],
  [[LONG], '400 PropertyValueTooLarge', ''],
  [[withBody('a', '{"PartitionKey":"p"}')], '400 PropertiesNeedValue', ''],
  [[withBody('a', '{')], '400 InvalidInput', '0:'],
  [[withBody('a', '{"PartitionKey":"p","RowKey":"a","a-b":1}')], '400 PropertyNameInvalid', '0:'],
  [[withBody('a', '{"PartitionKey":"p","RowKey":5}')], '400 InvalidInput', '0:'],
  [[{ line: "DELETE /People/Tables('x')" }], '400 InvalidInput', '0:'],
  [[insert('b'), withBody('a', '{')], '400 InvalidInput', '1:'],
  [
    [insert('a'), insert('a')],
    '400 InvalidDuplicateRow',
    '1:',
    'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
  ],
  [
    [insert('a'), insert('b', 'q')],
    '400 CommandsInBatchActOnDifferentPartitions',
    '1:',
    'All commands in a batch must operate on same entity group.',
  ],
  [
    inserts(101),
    '400 InvalidInput',
    '99:',
    'The batch request operation exceeds the maximum 100 changes per change set.',
  ],
  [[insert('a'), { line: 'POST /Tables', body: '{"TableName":"abc"}' }], '400 InvalidInput', '1:'],
  [[{ line: 'PUT /People?comp=acl' }], '400 InvalidInput', ''],
  [[{ line: 'POST /$batch' }], '400 InvalidInput', ''],
];

test('which part fails, with which code, and what it says of its place', async () => {
  const service = await openTable();
  await service.send('POST', 'People', { body: '{"PartitionKey":"p","RowKey":"there"}' });
  for (const [parts, refusal, place, sentence] of FAILURES) {
    const response = await post(service, changeset(parts));
    const name = `${refusal} ${parts[0]?.line} ${parts[0]?.body}`;
    assert.equal(response.status, 202, name);
    const [status = '', code = ''] = refusal.split(' ');
    assert.deepEqual(statuses(response), [status], name);
    assert.ok(textOf(response).includes(`{"odata.error":{"code":"${code}",`), name);
    const [found, foundPlace = '', foundSentence] = /^(\d+:)?(.*)$/.exec(sentenceOf(response)) ?? [];
    assert.equal(foundPlace, place, found);
    if (sentence !== undefined) assert.equal(foundSentence, sentence);
    assert.deepEqual(await keys(service), ['there'], name);
  }
  assert.equal(statuses(await post(service, changeset(inserts(100)))).length, 100);
  assert.equal((await keys(service)).length, 101);
});

test('envelopes that are none are refused as a whole', async () => {
  const service = await openTable();
  const get: Part = { line: 'GET /People' };
  const cases: readonly (readonly [string, Sent['headers'], string])[] = [
    ['x', {}, '400 InvalidInput'],
    [changeset([insert('a')]) + changeset([insert('b')]), {}, '400 InvalidInput'],
    [changeset([insert('a'), get]), {}, '400 InvalidInput'],
    [changeset([]), { 'content-type': 'application/json' }, '415 MediaTypeNotSupported'],
  ];
  for (const [body, headers, refusal] of cases) {
    const response = await post(service, body, headers);
    assert.equal(refusalOf(response), refusal, body);
    assert.deepEqual(await keys(service), []);
  }
  const body = changeset([insert('a')]);
  assert.equal(refusalOf(await service.send('GET', '$batch')), '405 MethodNotAllowed');
  const large = await service.send('POST', '$batch', { body, headers: MULTIPART, bodyTooLarge: true });
  assert.equal(refusalOf(large), '413 RequestBodyTooLarge');
});

test('bodies as clients write them: line feeds only, blank lines, no account in the path', async () => {
  const service = await openTable();
  const withoutSlash = { ...remove('c'), line: remove('c').line.replace('/', '') };
  await service.send('POST', 'People', { body: '{"PartitionKey":"p","RowKey":"c"}' });
  assert.deepEqual(statuses(await post(service, changeset([withoutSlash]))), ['204']);
  const text = changeset([insert('a'), remove('b')]).replaceAll(`/${ACCOUNT}/`, '/');
  await service.send('POST', 'People', { body: '{"PartitionKey":"p","RowKey":"b"}' });
  const spaced = text.replaceAll('\r\n', '\n').replaceAll('\n{', '\n\n{').replaceAll('\n--', '\n\n--');
  assert.deepEqual(statuses(await post(service, spaced)), ['204', '204']);
  assert.deepEqual(await keys(service), ['a']);
});

test('a part is asked for its own rights, and a signature of the table is good for the batch', async () => {
  const service = await openTable();
  const ask = (sas: Readonly<Record<string, string>>, ...parts: Part[]) =>
    service.raw('POST', `/${ACCOUNT}/$batch?${tableSas('People', sas)}`, {
      body: changeset(parts),
      headers: MULTIPART,
      anonymous: true,
    });
  assert.deepEqual(statuses(await ask({ sp: 'a' }, insert('a'), insert('b'))), ['204', '204']);
  const permission = await ask({ sp: 'a' }, insert('c'), remove('a'));
  assert.deepEqual(statuses(permission), ['403']);
  assert.match(sentenceOf(permission), /^1:This request is not authorized .* using this permission\.$/);
  const range = { sp: 'ad', spk: 'p', srk: 'a', epk: 'p', erk: 'b' };
  const outside = await ask(range, remove('a'), insert('c'));
  assert.equal(sentenceOf(outside), '1:This request is not authorized to perform this operation.');
  const elsewhere = await ask({ sp: 'a' }, insert('c', 'p', 'Other'));
  assert.deepEqual(statuses(elsewhere), ['403']);
  assert.deepEqual(await keys(service), ['a', 'b']);
  assert.deepEqual(statuses(await ask(range, remove('a'))), ['204']);
  assert.deepEqual(await keys(service), ['b']);
});

test('a changeset cannot write to the secondary', async () => {
  const service = await openTable();
  const response = await service.raw('POST', `/${ACCOUNT}-secondary/$batch`, {
    body: changeset([insert('a')]).replaceAll(`/${ACCOUNT}/`, `/${ACCOUNT}-secondary/`),
    headers: MULTIPART,
  });
  assert.match(textOf(response), /"code":"InsufficientAccountPermissions"/);
});

test('a changeset that the store cannot do now is refused as a whole, with the time to come again', async () => {
  const service = await openTable();
  service.service.store.commit = () => Promise.reject(new StoreError('busy', 'Too many wait.'));
  const response = await post(service, changeset([insert('a')]));
  assert.equal(refusalOf(response), '503 ServerBusy');
  assert.equal(headersOf(response).get('retry-after'), '1');
});

test('the log names what a part was refused for', async () => {
  const service = await openTable();
  service.logged.length = 0;
  await post(service, changeset([remove('missing')]));
  await post(service, changeset([insert('a')]));
  assert.deepEqual(
    service.logged.map(({ status, code }) => [status, code]),
    [
      [202, 'ResourceNotFound'],
      [202, undefined],
    ],
  );
});
