// Headers of responses, in Azure's order (protocol: responses#order-of-headers, responses#headers-by-answer).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '#store';
import { encodeEntity, type Outcome, TableError, type TableErrorCode } from '#tables';
import type { Exchange } from '../shared/answer.js';
import { type Answer, formatResponse, type ResponseFormat } from './answer.js';
import { type ErrorContext, formatError } from './format-error.js';
import { formatOutcome } from './format-outcome.js';

const BASE = { endpoint: 'http://h/account1', account: 'account1', resource: { table: 'T' } };
const LOCATION = "http://h/account1/T(PartitionKey='p',RowKey='r')";
const row: Row = { partition: 'p', key: 'r', version: 15_778_405_200_000_000n, value: encodeEntity([]) };
const ETAG = `W/"datetime'2020-01-01T01%3A02%3A00Z'"`;

const asked = (prefer?: ResponseFormat['prefer'], select?: string): ResponseFormat => ({
  level: 'minimalmetadata',
  select: select?.split(','),
  selectSuffix: select === undefined ? '' : `&$select=${select}`,
  prefer,
});
const errorContext = (more: Partial<ErrorContext> = {}): ErrorContext => ({
  ...{ requestId: 'id', now: row.version, format: asked(), xml: false, accept: undefined },
  ...more,
});
const refused = (code: TableErrorCode, more?: Partial<ErrorContext>): Answer =>
  formatError(new TableError(code), errorContext(more));

const EXCHANGE: Exchange = { requestId: 'id', version: '2019-02-02', clientRequestId: undefined };

const headersOf = (answer: Answer, exchange = EXCHANGE) => formatResponse(answer, exchange).headers;
const namesOf = (answer: Answer, exchange = EXCHANGE): string =>
  headersOf(answer, exchange)
    .map(([name]) => name)
    .join(' ');

const ALWAYS = 'Server x-ms-request-id';
const END = 'x-ms-version X-Content-Type-Options';
const LENGTH = 'Cache-Control Content-Length';

test('which headers an outcome has, in which order', () => {
  const inserted: Outcome = { kind: 'inserted', row };
  const tables: Outcome = { kind: 'tables', names: [], next: 'abc' };
  const entities: Outcome = {
    kind: 'entities',
    rows: [],
    next: { partitionKey: 'p', rowKey: 'r' },
    examined: 0,
  };
  const continued = 'x-ms-continuation-NextPartitionKey x-ms-continuation-NextRowKey';
  const cases: readonly (readonly [Outcome, ResponseFormat['prefer'], string])[] = [
    [{ kind: 'tableCreated', name: 'abc' }, undefined, `${LENGTH} Content-Type Location ${ALWAYS} ${END}`],
    [
      { kind: 'tableCreated', name: 'abc' },
      'return-no-content',
      `${LENGTH} Location ${ALWAYS} ${END} Preference-Applied DataServiceId`,
    ],
    [{ kind: 'table', name: 'abc' }, undefined, `${LENGTH} Content-Type ${ALWAYS} ${END}`],
    [tables, undefined, `${LENGTH} Content-Type ${ALWAYS} x-ms-continuation-NextTableName ${END}`],
    [{ kind: 'tableDeleted' }, undefined, `${LENGTH} ${ALWAYS} ${END}`],
    [inserted, undefined, `${LENGTH} Content-Type ETag Location ${ALWAYS} ${END}`],
    [inserted, 'return-content', `${LENGTH} Content-Type ETag Location ${ALWAYS} ${END} Preference-Applied`],
    [
      inserted,
      'return-no-content',
      `${LENGTH} ETag Location ${ALWAYS} ${END} Preference-Applied DataServiceId`,
    ],
    [{ kind: 'entity', row }, undefined, `${LENGTH} Content-Type ETag ${ALWAYS} ${END}`],
    [entities, undefined, `${LENGTH} Content-Type ${ALWAYS} ${continued} ${END}`],
    [{ kind: 'updated', version: 0n }, 'return-no-content', `${LENGTH} ETag ${ALWAYS} ${END}`],
    [{ kind: 'deleted' }, undefined, `${LENGTH} ${ALWAYS} ${END}`],
    [{ kind: 'acl', identifiers: [] }, undefined, `Content-Length Content-Type ${ALWAYS} x-ms-version`],
    [{ kind: 'aclSet' }, undefined, `Content-Length ${ALWAYS} x-ms-version`],
    [{ kind: 'servicePropertiesSet' }, undefined, `Content-Length ${ALWAYS} x-ms-version`],
    [{ kind: 'serviceStats', lastSync: 0n }, undefined, `Content-Length Content-Type ${ALWAYS} x-ms-version`],
  ];
  for (const [outcome, prefer, names] of cases)
    assert.equal(namesOf(formatOutcome(outcome, BASE, asked(prefer))), names, outcome.kind);
});

test('which headers a refusal has', () => {
  const context = { format: asked('return-no-content') };
  const cases: readonly (readonly [Answer, string])[] = [
    [refused('EntityAlreadyExists', context), `${LENGTH} Content-Type ${ALWAYS} ${END} Preference-Applied`],
    [refused('TableNotFound', context), `Content-Length Content-Type ${ALWAYS} ${END}`],
    [
      refused('InvalidResourceName', { ...context, nameInBody: true }),
      `${LENGTH} Content-Type ${ALWAYS} ${END} Preference-Applied`,
    ],
    [refused('AuthorizationFailure'), `${LENGTH} Content-Type ${ALWAYS} ${END}`],
    [
      refused('InvalidXmlDocument', { xml: true }),
      `Content-Length Content-Type ${ALWAYS} x-ms-version x-ms-error-code`,
    ],
    [refused('AuthenticationFailed'), `Content-Length Content-Type ${ALWAYS} x-ms-error-code`],
    [refused('AtomFormatNotSupported'), `Content-Length Content-Type ${ALWAYS} ${END}`],
  ];
  for (const [answer, names] of cases) assert.equal(namesOf(answer), names);
  const challenge = new TableError('InvalidAuthenticationInfo:Challenge', { challenge: 'Bearer x' });
  const challenged = formatError(challenge, errorContext());
  assert.equal(namesOf(challenged), `Content-Length Content-Type ${ALWAYS} x-ms-error-code WWW-Authenticate`);
});

test('what the headers say', () => {
  const answer = formatOutcome({ kind: 'inserted', row }, BASE, asked('return-no-content'));
  assert.deepEqual(formatResponse(answer, EXCHANGE), {
    status: 204,
    reason: undefined,
    headers: [
      ['Cache-Control', 'no-cache'],
      ['Content-Length', '0'],
      ['ETag', ETAG],
      ['Location', LOCATION],
      ['Server', 'Shelfmark-Table/1.0'],
      ['x-ms-request-id', 'id'],
      ['x-ms-version', '2019-02-02'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Preference-Applied', 'return-no-content'],
      ['DataServiceId', LOCATION],
    ],
    body: undefined,
  });
});

test('an insert returns the whole entity, with any $select', () => {
  const { body } = formatOutcome({ kind: 'inserted', row }, BASE, asked(undefined, 'x'));
  assert.match(
    String(body),
    /#T\/@Element","odata.etag":.*"PartitionKey":"p".*"Timestamp":"2020-01-01T01:02:00Z"\}$/,
  );
});

test('Content-Length counts bytes', () => {
  const lengthOf = (body: Buffer | string | undefined) => {
    const headers = new Map(headersOf({ status: 200, body, cacheControl: false, noSniff: false }));
    return headers.get('Content-Length');
  };
  assert.equal(lengthOf(undefined), '0');
  assert.equal(lengthOf('\ufeffé'), '5');
  assert.equal(lengthOf(Buffer.alloc(7)), '7');
});

test("the client's request id is returned since 2019-02-02, but not where authentication failed", () => {
  const deleted = formatOutcome({ kind: 'deleted' }, BASE, asked());
  const echo = (answer: Answer, version: string) =>
    new Map(headersOf(answer, { ...EXCHANGE, version, clientRequestId: 'mine' })).get(
      'x-ms-client-request-id',
    );
  assert.equal(echo(deleted, '2019-02-02'), 'mine');
  assert.equal(echo(deleted, '2026-10-06'), 'mine');
  assert.equal(echo(deleted, '2018-03-28'), undefined);
  assert.equal(echo(refused('TableNotFound'), '2020-12-06'), 'mine');
  assert.equal(echo(refused('InvalidXmlDocument', { xml: true }), '2020-12-06'), 'mine');
  assert.equal(echo(refused('AuthenticationFailed'), '2020-12-06'), undefined);
});
