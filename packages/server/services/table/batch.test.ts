// POST $batch: which part fails, with which code, and what it says of its place (protocol: batches); rights, refusals of the store, the log. Answers to the
// byte are those of test/scenarios/batches.test.ts.
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
