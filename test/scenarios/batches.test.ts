// $batch to the byte, in the forms that only old and foreign clients send (protocol: batches, json#reading).
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { changeset, PART_HEAD, type Part, request } from '../support/raw-batch.js';
import { inAccount, type RawResponse, rawRequest } from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

const CRLF = '\r\n';

/** Replaces what differs from answer to answer; ids of boundaries, of the request, and times. */
const masked = (body: string): string =>
  body
    .replaceAll(/(batchresponse_|changesetresponse_)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '$1ID')
    .replaceAll(/RequestId:[0-9a-f-]{36}/g, 'RequestId:ID')
    .replaceAll(/Time:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z/g, 'Time:NOW')
    .replaceAll(/W\/"datetime'[^']*'"/g, 'ETAG');

const envelope = (parts: readonly string[]): string =>
  [
    '--batchresponse_ID',
    'Content-Type: multipart/mixed; boundary=changesetresponse_ID',
    '',
    ...parts.flatMap(part => ['--changesetresponse_ID', ...PART_HEAD, '', part]),
    '--changesetresponse_ID--',
    '--batchresponse_ID--',
    '',
  ].join(CRLF);

const part = (...lines: readonly string[]): string => lines.join(CRLF);
const SNIFF = 'X-Content-Type-Options: nosniff';
const CACHE = 'Cache-Control: no-cache';
const JSON_TYPE = 'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const errorBody = (code: string, text: string): string =>
  `{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":"${text}\\nRequestId:ID\\nTime:NOW"}}}`;

describeTargets('batches', subject => {
  let table = '';
  const at = (rowKey: string, partitionKey = 'p'): string =>
    `/${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
  const submit = (body: string, contentType = 'multipart/mixed; boundary=batch_1'): Promise<RawResponse> =>
    rawRequest(subject.server, {
      method: 'POST',
      target: inAccount(subject.server, '/$batch'),
      sign: 'SharedKey',
      headers: { 'Content-Type': contentType, Accept: 'application/json' },
      body,
    });
  const exists = async (rowKey: string): Promise<boolean> => {
    const target = inAccount(subject.server, at(rowKey));
    return (await rawRequest(subject.server, { method: 'GET', target })).status === 200;
  };
  const insertion = (rowKey: string, headers: readonly string[] = [], partitionKey = 'p'): Part => ({
    method: 'POST',
    target: `/${table}`,
    headers,
    body: `{"PartitionKey":"${partitionKey}","RowKey":"${rowKey}"}`,
  });

  beforeEach(async () => {
    table = subject.newTableName();
    const body = JSON.stringify({ TableName: table });
    const target = inAccount(subject.server, '/Tables');
    await rawRequest(subject.server, { method: 'POST', target, body });
  });

  /** The answer to a changeset with one of each kind, part by part. */
  const successes = (endpoint: string, created: (rowKey: string) => string): readonly string[] => [
    part(
      'HTTP/1.1 204 No Content',
      'Content-ID: first one',
      SNIFF,
      CACHE,
      'Preference-Applied: return-no-content',
      'DataServiceVersion: 3.0;',
      `Location: ${endpoint}${at('silent')}`,
      `DataServiceId: ${endpoint}${at('silent')}`,
      'ETag: ETAG',
      '',
      '',
    ),
    part(
      'HTTP/1.1 201 Created',
      'DataServiceVersion: 3.0;',
      JSON_TYPE,
      'Content-ID: 2',
      SNIFF,
      CACHE,
      'Preference-Applied: return-content',
      `Location: ${endpoint}${at('echoed')}`,
      'ETag: ETAG',
      '',
      created('echoed'),
    ),
    part(
      'HTTP/1.1 201 Created',
      'DataServiceVersion: 3.0;',
      JSON_TYPE,
      SNIFF,
      CACHE,
      `Location: ${endpoint}${at('plain')}`,
      'ETag: ETAG',
      '',
      created('plain'),
    ),
    part(
      'HTTP/1.1 204 No Content',
      'Content-ID: 4',
      SNIFF,
      CACHE,
      'DataServiceVersion: 1.0;',
      'ETag: ETAG',
      '',
      '',
    ),
    part('HTTP/1.1 204 No Content', SNIFF, CACHE, 'DataServiceVersion: 1.0;', 'ETag: ETAG', '', ''),
    part('HTTP/1.1 204 No Content', SNIFF, CACHE, 'DataServiceVersion: 1.0;', '', ''),
  ];

  test('a changeset that succeeds, to the byte', async () => {
    const { server } = subject;
    const endpoint = server.tableEndpoint;
    await submit(changeset([insertion('merged'), insertion('deleted')]));
    const answer = await submit(
      changeset([
        insertion('silent', ['Prefer: return-no-content', 'Content-ID: first one']),
        insertion('echoed', ['Prefer: return-content', 'Content-ID: 2']),
        insertion('plain'),
        { method: 'MERGE', target: at('merged'), headers: ['If-Match: *', 'Content-ID: 4'], body: '{"n":1}' },
        { method: 'PUT', target: at('put'), body: '{"n":1}' },
        { method: 'DELETE', target: at('deleted'), headers: ['If-Match: *'] },
      ]),
    );
    assert.equal(answer.status, 202);
    const { headers } = answer;
    assert.match(headers['content-type'] ?? '', /^multipart\/mixed; boundary=batchresponse_[0-9a-f-]{36}$/);
    assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-cache', 'nosniff']);
    const created = (rowKey: string): string =>
      `{"odata.metadata":"${endpoint}/$metadata#${table}/@Element","odata.etag":"W/\\"datetime'NOW'\\"","PartitionKey":"p","RowKey":"${rowKey}","Timestamp":"NOW"}`;
    const timeless = masked(answer.body)
      .replaceAll(/W\/\\"datetime'[^']*'\\"/g, `W/\\"datetime'NOW'\\"`)
      .replaceAll(/"Timestamp":"[^"]*"/g, '"Timestamp":"NOW"');
    assert.equal(timeless, envelope(successes(endpoint, created)));
  });

  test('a changeset that fails answers the part that failed, to the byte', async () => {
    await submit(changeset([insertion('there')]));
    const prefer = ['Prefer: return-no-content'];
    const answer = await submit(
      changeset([insertion('a', prefer), insertion('b', prefer), insertion('there', prefer)]),
    );
    assert.equal(answer.status, 202);
    assert.equal(
      masked(answer.body),
      envelope([
        part(
          'HTTP/1.1 409 Conflict',
          SNIFF,
          CACHE,
          'Preference-Applied: return-no-content',
          'DataServiceVersion: 3.0;',
          JSON_TYPE,
          '',
          errorBody('EntityAlreadyExists', '2:The specified entity already exists.'),
        ),
      ]),
    );
    assert(answer.body.includes(`RequestId:${answer.headers['x-ms-request-id']}\\n`));
    assert.equal(await exists('a'), false);
  });

  test('early refusals have neither Cache-Control nor preference, and an index even alone', async () => {
    const missing = await submit(
      changeset([{ ...insertion('a', ['Prefer: return-no-content']), target: '/missing' }]),
    );
    assert.equal(
      masked(missing.body),
      envelope([
        part(
          'HTTP/1.1 404 Not Found',
          SNIFF,
          'DataServiceVersion: 3.0;',
          JSON_TYPE,
          '',
          errorBody('TableNotFound', '0:The table specified does not exist.'),
        ),
      ]),
    );
  });

  test('a query stands without a changeset, to the byte', async () => {
    await submit(changeset([insertion('there')]));
    const query = (rowKey: string): string =>
      [
        '--batch_1',
        ...PART_HEAD,
        '',
        ...request({
          method: 'GET',
          target: `${at(rowKey)}?`,
          headers: ['Accept: application/json;odata=nometadata'],
        }),
        '--batch_1--',
        '',
      ].join(CRLF);
    const found = await submit(query('there'));
    assert.equal(found.status, 202);
    assert.equal(
      masked(found.body).replace(/"Timestamp":"[^"]*"/, '"Timestamp":"NOW"'),
      [
        '--batchresponse_ID',
        ...PART_HEAD,
        '',
        'HTTP/1.1 200 OK',
        'DataServiceVersion: 3.0;',
        'Content-Type: application/json;odata=nometadata;streaming=true;charset=utf-8',
        SNIFF,
        CACHE,
        'ETag: ETAG',
        '',
        '{"PartitionKey":"p","RowKey":"there","Timestamp":"NOW"}',
        '--batchresponse_ID--',
        '',
      ].join(CRLF),
    );
    const missing = await submit(query('missing'));
    assert.equal(missing.status, 202);
    assert(
      masked(missing.body).includes(
        errorBody('ResourceNotFound', '0:The specified resource does not exist.'),
      ),
    );
  });

  test('an empty changeset is answered by an empty one', async () => {
    const { status, body } = await submit(changeset([]));
    assert.deepEqual([status, masked(body)], [202, envelope([])]);
  });
});
