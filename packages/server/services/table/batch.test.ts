// POST $batch (protocol: batches): answers to the byte, which part fails, with which code, and what it says of its place;
// rights, refusals of the store, the log.
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

const SNIFF = 'X-Content-Type-Options: nosniff';
const CACHE = 'Cache-Control: no-cache';
const JSON_TYPE = 'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const TYPE_AND_VERSION = ['DataServiceVersion: 3.0;', JSON_TYPE];
const PART_HEAD = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary', ''];

/** Without what differs from answer to answer: ids and times. */
const masked = (text: string): string =>
  text
    .replaceAll(/(response_|RequestId:)[0-9a-f-]{36}/g, '$1ID')
    .replaceAll(/Time:[^"]*Z/g, 'Time:NOW')
    .replaceAll(/"Timestamp":"[^"]*"/g, '"Timestamp":"NOW"')
    .replaceAll(/W\/\\?"datetime'[^']*'\\?"/g, 'ETAG');

const answered = (...parts: readonly (readonly string[])[]): string =>
  [
    '--batchresponse_ID',
    'Content-Type: multipart/mixed; boundary=changesetresponse_ID',
    '',
    ...parts.flatMap(part => ['--changesetresponse_ID', ...PART_HEAD, ...part]),
    '--changesetresponse_ID--',
    '--batchresponse_ID--',
    '',
  ].join('\r\n');

const refusedWith = (code: string, text: string): string =>
  `{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":"${text}\\nRequestId:ID\\nTime:NOW"}}}`;

test('a changeset of each kind of write, to the byte', async () => {
  const service = await openTable();
  await post(service, changeset([insert('merged'), insert('deleted')]));
  const at = (rowKey: string) => `${ENDPOINT}/People(PartitionKey='p',RowKey='${rowKey}')`;
  const { headers: _, ...plain } = insert('plain');
  const response = await post(
    service,
    changeset([
      { ...insert('silent'), headers: [NONE, 'Content-ID: first one'] },
      { ...insert('echoed'), headers: ['Prefer: return-content', 'Content-ID: 2'] },
      plain,
      { line: `MERGE ${at('merged')}`, headers: ['If-Match: *', 'Content-ID: 4'], body: '{"n":1}' },
      { line: `PUT ${at('put')}`, body: '{"n":1}' },
      remove('deleted'),
    ]),
  );
  const [type = '', caching] = ['content-type', 'cache-control'].map(name => headersOf(response).get(name));
  assert.match(type, /^multipart\/mixed; boundary=batchresponse_[0-9a-f-]{36}$/);
  assert.deepEqual([response.status, caching], [202, 'no-cache']);
  const created = (rowKey: string): string =>
    `{"odata.metadata":"${ENDPOINT}/$metadata#People/@Element","odata.etag":"ETAG","PartitionKey":"p","RowKey":"${rowKey}","Timestamp":"NOW"}`;
  const [made, none, version] = [
    'HTTP/1.1 201 Created',
    'HTTP/1.1 204 No Content',
    'DataServiceVersion: 1.0;',
  ];
  const preferred = (what: string): string => `Preference-Applied: return-${what}`;
  const silent = [`Location: ${at('silent')}`, `DataServiceId: ${at('silent')}`, 'ETag: ETAG', '', ''];
  const echoed = [`Location: ${at('echoed')}`, 'ETag: ETAG', '', created('echoed')];
  assert.equal(
    masked(textOf(response)),
    answered(
      [
        none,
        'Content-ID: first one',
        SNIFF,
        CACHE,
        preferred('no-content'),
        'DataServiceVersion: 3.0;',
        ...silent,
      ],
      [made, ...TYPE_AND_VERSION, 'Content-ID: 2', SNIFF, CACHE, preferred('content'), ...echoed],
      [
        made,
        ...TYPE_AND_VERSION,
        SNIFF,
        CACHE,
        `Location: ${at('plain')}`,
        'ETag: ETAG',
        '',
        created('plain'),
      ],
      [none, 'Content-ID: 4', SNIFF, CACHE, version, 'ETag: ETAG', '', ''],
      [none, SNIFF, CACHE, version, 'ETag: ETAG', '', ''],
      [none, SNIFF, CACHE, version, '', ''],
    ),
  );
  assert.equal(masked(textOf(await post(service, changeset([])))), answered());
});

test('a changeset that fails, and a query, to the byte', async () => {
  const service = await openTable();
  await post(service, changeset([insert('there')]));
  const failed = await post(service, changeset([insert('a'), insert('b'), insert('there')]));
  const text = refusedWith('EntityAlreadyExists', '2:The specified entity already exists.');
  assert.equal(
    masked(textOf(failed)),
    answered([
      ...['HTTP/1.1 409 Conflict', SNIFF, CACHE, 'Preference-Applied: return-no-content'],
      ...[...TYPE_AND_VERSION, '', text],
    ]),
  );
  assert(textOf(failed).includes(`RequestId:${headersOf(failed).get('x-ms-request-id')}\\n`));
  // Early refusals have neither Cache-Control nor preference, and an index even alone.
  const early = await post(service, changeset([insert('a', 'p', 'missing')]));
  const missing = refusedWith('TableNotFound', '0:The table specified does not exist.');
  assert.equal(
    masked(textOf(early)),
    answered(['HTTP/1.1 404 Not Found', SNIFF, ...TYPE_AND_VERSION, '', missing]),
  );
  const query = async (rowKey: string): Promise<string> => {
    const line = `GET ${ENDPOINT}/People(PartitionKey='p',RowKey='${rowKey}')?`;
    const part = partText({ line, headers: ['Accept: application/json;odata=nometadata'] });
    return masked(textOf(await post(service, `--batch_1\r\n${part}--batch_1--\r\n`)));
  };
  assert.equal(
    await query('there'),
    [
      ...['--batchresponse_ID', ...PART_HEAD, 'HTTP/1.1 200 OK', 'DataServiceVersion: 3.0;'],
      ...['Content-Type: application/json;odata=nometadata;streaming=true;charset=utf-8', SNIFF, CACHE],
      ...['ETag: ETAG', '', '{"PartitionKey":"p","RowKey":"there","Timestamp":"NOW"}'],
      ...['--batchresponse_ID--', ''],
    ].join('\r\n'),
  );
  const gone = refusedWith('ResourceNotFound', '0:The specified resource does not exist.');
  assert((await query('missing')).includes(gone));
});

test('a query with another page has its continuation in the part', async () => {
  const service = await openTable();
  await post(service, changeset(inserts(2)));
  const query = async (more: string): Promise<string> => {
    const part = partText({ line: `GET ${ENDPOINT}/People?$top=1${more}` });
    return textOf(await post(service, `--batch_1\r\n${part}--batch_1--\r\n`));
  };
  const first = await query('');
  assert.match(
    first,
    /x-ms-continuation-NextPartitionKey: 1!4!cA--\r\nx-ms-continuation-NextRowKey: 1!4!cjE-\r\n\r\n\{/,
  );
  const last = await query('&NextPartitionKey=1!4!cA--&NextRowKey=1!4!cjE-');
  assert.ok(last.includes('"RowKey":"r1"') && !last.includes('continuation'));
});

test('a part that fails has the format that it asked for', async () => {
  const service = await openTable();
  const put = (query: string): Part => ({
    line: `PUT ${ENDPOINT}/People(PartitionKey='p',RowKey='a')?${query}`,
    headers: ['Accept: application/json;odata=fullmetadata'],
    body: '{"a":1}',
  });
  const none = '$format=application%2Fjson%3Bodata%3Dnometadata';
  for (const [query, level] of [
    ['', 'full'],
    [none, 'no'],
  ] as const) {
    const failed = await post(service, changeset([{ ...put(query), body: '{' }]));
    assert.ok(textOf(failed).includes(`Content-Type: application/json;odata=${level}metadata;`), level);
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

test('two changesets, a verb that is none, and a body that was too large are refused as a whole', async () => {
  const service = await openTable();
  const two = changeset([insert('a')]) + changeset([insert('b')]);
  assert.equal(refusalOf(await post(service, two)), '400 InvalidInput');
  assert.deepEqual(await keys(service), []);
  const body = changeset([insert('a')]);
  assert.equal(refusalOf(await service.send('GET', '$batch')), '405 MethodNotAllowed');
  const large = await service.send('POST', '$batch', { body, headers: MULTIPART, bodyTooLarge: true });
  assert.equal(refusalOf(large), '413 RequestBodyTooLarge');
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
