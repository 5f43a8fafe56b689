// One request of any operation on tables, valid or nearly so, as a client would write it before it is signed.
import fc from 'fast-check';
import { chance, from, maybe, oneOf, seldom, text } from '../../random/arbitrary.js';
import { entity, keyedEntity, partition, row } from './entity-text.js';
import { ODD_TABLE_NAMES } from './odd-texts.js';
import { otherOptions, queryOptions } from './option-text.js';
import { percentEncode } from './percent-encode.js';
import { identifiers, serviceProperties } from './xml-text.js';

export interface PlainRequest {
  readonly method: string;
  /** Below the account, percent-encoded. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Part<T = string> = T | fc.Arbitrary<T>;

interface Parts {
  readonly method: Part;
  readonly path?: Part;
  readonly query?: Part;
  /** Those that are undefined are not sent. */
  readonly headers?: Readonly<Record<string, Part<string | undefined>>>;
  /** They replace the others. */
  readonly more?: fc.Arbitrary<PlainRequest['headers']>;
  readonly body?: Part;
}

const drawn = <T>(part: Part<T>): fc.Arbitrary<T> =>
  part instanceof fc.Arbitrary ? part : fc.constant(part);
const NONE = fc.constant<PlainRequest['headers']>({});

/** A request; each part is a constant or drawn. */
export function request(parts: Parts): fc.Arbitrary<PlainRequest> {
  const { method, path = '', query = '', headers = {}, more = NONE, body = '' } = parts;
  const names = Object.keys(headers);
  const values = fc.tuple(...Object.values(headers).map(drawn<string | undefined>));
  return fc
    .tuple(drawn(method), drawn(path), drawn(query), values, more, drawn(body))
    .map(([method, path, query, values, others, body]) => {
      const headers: Record<string, string> = {};
      for (const [at, value] of values.entries()) if (value !== undefined) headers[names[at] ?? ''] = value;
      return { method, path, query, headers: Object.assign(headers, others), body };
    });
}

/** These exist when a run begins. */
export const TABLES = ['People', 'orders', ...ODD_TABLE_NAMES];
const OTHER_TABLES = [
  ...['missing', 'pEOPLE', 'Tables', 'ab', '1a', 'a_b', '__proto__', '$MetricsX'],
  ...['x'.repeat(63), 'x'.repeat(64)],
];
const ETAG = from([
  ...['*', '*', '*', `W/"datetime'2020-01-01T00%3A00%3A00Z'"`, 'W/"x"', '"x"', '', 'W/"a", W/"b"'],
]);

const table = oneOf<string>([50, fc.constant('People')], [45, from(TABLES)], [5, from(OTHER_TABLES)]);

const quoted = (key: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  key.map(each => percentEncode(each.replaceAll("'", "''")));
const keys = seldom(
  5,
  text`RowKey='${quoted(row)}',%20PartitionKey='${quoted(partition)}'`,
  text`PartitionKey='${quoted(partition)}',RowKey='${quoted(row)}'`,
);
const entityPath = text`${table}(${seldom(
  10,
  keys.map(each => each.replaceAll("'", '%27')),
  keys,
)})`;

const TYPE = 'application/json;odata=';
const accept = seldom(
  10,
  from(['*/*', 'application/atom+xml', 'text/html, application/json;q=0.9', 'x', '']),
  from([`${TYPE}nometadata`, `${TYPE}minimalmetadata`, `${TYPE}fullmetadata`]),
);
const contentType = seldom(
  10,
  from([`${TYPE}nometadata`, 'application/json; charset=utf-8', 'text/plain']),
  fc.constant('application/json'),
);
const JSON_HEADERS = { accept, 'content-type': contentType };
const XML_HEADERS = { 'content-type': 'application/xml' };

export const insert = request({
  method: 'POST',
  path: table,
  query: otherOptions,
  headers: { ...JSON_HEADERS, prefer: maybe(30, from(['return-content', 'return-no-content', 'x'])) },
  body: keyedEntity,
});

const ON_ENTITY = { path: entityPath, query: otherOptions };
const ifNoneMatch = maybe(3, fc.constant('*'));
const changing = request({
  method: from(['PUT', 'PUT', 'MERGE', 'MERGE', 'PATCH', 'PATCH', 'POST']),
  ...ON_ENTITY,
  headers: { ...JSON_HEADERS, 'if-match': maybe(30, ETAG), 'if-none-match': ifNoneMatch },
  body: entity,
});
const bodiless = request({
  method: from(['DELETE', 'DELETE', 'GET']),
  ...ON_ENTITY,
  headers: { ...JSON_HEADERS, 'if-match': maybe(75, ETAG), 'if-none-match': ifNoneMatch },
});
export const write = fc
  .tuple(oneOf([7, changing], [3, bodiless]), chance(5))
  .map(([sent, isTunnelled]) =>
    isTunnelled
      ? { ...sent, method: 'POST', headers: { ...sent.headers, 'x-http-method': sent.method } }
      : sent,
  );

export const point = request({ method: 'GET', ...ON_ENTITY, headers: { accept } });

const query = request({
  method: 'GET',
  path: seldom(20, from(['Tables', 'Tables()']), text`${table}${from(['', '()'])}`),
  query: queryOptions,
  headers: { accept },
});

const createTable = request({
  method: 'POST',
  path: 'Tables',
  headers: JSON_HEADERS,
  body: table.map(TableName => JSON.stringify({ TableName })),
});
const oldTable = request({
  method: from(['GET', 'GET', 'DELETE']),
  path: text`Tables('${table}')`,
  headers: JSON_HEADERS,
});

const ACL = { path: table, query: 'comp=acl' };
const readPolicies = request({ method: from(['GET', 'HEAD']), ...ACL });
const writePolicies = request({ method: 'PUT', ...ACL, headers: XML_HEADERS, body: identifiers });

const SERVICE = { query: 'restype=service&comp=properties' };
const service = oneOf(
  [1, request({ method: 'GET', ...SERVICE })],
  [1, request({ method: 'GET', path: from(['', '/']), query: 'restype=service&comp=stats' })],
  [2, request({ method: 'PUT', ...SERVICE, headers: XML_HEADERS, body: serviceProperties })],
);

const preflight = request({
  method: 'OPTIONS',
  path: table,
  headers: {
    origin: from(['http://a', 'http://b', 'null', '\u00e9']),
    'access-control-request-method': from(['GET', 'MERGE', 'X']),
    'access-control-request-headers': maybe(50, from(['x-ms-date', 'accept, x', ',,', '__proto__'])),
  },
});

export const operation = oneOf(
  [14, insert],
  [16, write],
  [8, point],
  [20, query],
  [2, createTable],
  [2, oldTable],
  [2, readPolicies],
  [2, writePolicies],
  [3, service],
  [2, preflight],
);
