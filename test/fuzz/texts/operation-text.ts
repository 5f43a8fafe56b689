// One request of any operation, valid or nearly so, as a client would write it before it is signed.
import type { Random } from '../../simulation/plan/random.js';
import { someEntity, somePartition, someRow } from './entity-text.js';
import { ODD_TABLE_NAMES } from './odd-texts.js';
import { someOptions } from './option-text.js';
import { percentEncode } from './percent-encode.js';
import { someIdentifiers, someServiceProperties } from './xml-text.js';

export interface PlainRequest {
  readonly method: string;
  /** Below the account, percent-encoded. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** These exist when a run begins. */
export const TABLES = ['People', 'orders', ...ODD_TABLE_NAMES] as const;
const OTHER_TABLES = [
  'missing',
  'pEOPLE',
  'Tables',
  'ab',
  'x'.repeat(63),
  'x'.repeat(64),
  '1a',
  'a_b',
  '__proto__',
  '$MetricsX',
];
const ETAGS = ['*', '*', '*', `W/"datetime'2020-01-01T00%3A00%3A00Z'"`, 'W/"x"', '"x"', '', 'W/"a", W/"b"'];
const WRITE_VERBS = ['PUT', 'PUT', 'MERGE', 'MERGE', 'PATCH', 'PATCH', 'DELETE', 'DELETE', 'POST', 'GET'];

const someTable = (random: Random): string =>
  random.happens(0.5) ? TABLES[0] : random.pick(random.happens(0.1) ? OTHER_TABLES : TABLES);

const quoted = (key: string): string => percentEncode(key.replaceAll("'", "''"));

export function entityPath(table: string, partition: string, row: string, random: Random): string {
  const first = `PartitionKey='${quoted(partition)}'`;
  const second = `RowKey='${quoted(row)}'`;
  const text = random.happens(0.95) ? `${first},${second}` : `${second},%20${first}`;
  return `${table}(${random.happens(0.9) ? text : text.replaceAll("'", '%27')})`;
}

const JSON_TYPES = [
  'application/json',
  'application/json;odata=nometadata',
  'application/json; charset=utf-8',
  'text/plain',
];
const ACCEPTS = [
  'application/json;odata=nometadata',
  'application/json;odata=minimalmetadata',
  'application/json;odata=fullmetadata',
];
const OTHER_ACCEPTS = ['*/*', 'application/atom+xml', 'text/html, application/json;q=0.9', 'x', ''];

const accept = (random: Random): string => random.pick(random.happens(0.9) ? ACCEPTS : OTHER_ACCEPTS);
const jsonType = (random: Random): string =>
  random.happens(0.9) ? 'application/json' : random.pick(JSON_TYPES);

const plain = (method: string, path: string, query: string): PlainRequest => ({
  method,
  path,
  query,
  headers: {},
  body: '',
});

export function insert(random: Random): PlainRequest {
  const headers: Record<string, string> = { accept: accept(random), 'content-type': jsonType(random) };
  if (random.happens(0.3)) headers.prefer = random.pick(['return-content', 'return-no-content', 'x']);
  return {
    ...plain('POST', someTable(random), someOptions(random, false)),
    headers,
    body: someEntity(random, true),
  };
}

export function write(random: Random): PlainRequest {
  const path = entityPath(someTable(random), somePartition(random), someRow(random), random);
  const headers: Record<string, string> = { accept: accept(random), 'content-type': jsonType(random) };
  const verb = random.pick(WRITE_VERBS);
  if (verb === 'DELETE' || random.happens(0.3)) headers['if-match'] = random.pick(ETAGS);
  if (random.happens(0.03)) headers['if-none-match'] = '*';
  const isTunnelled = verb !== 'POST' && random.happens(0.05);
  if (isTunnelled) headers['x-http-method'] = verb;
  const body = verb === 'DELETE' || verb === 'GET' ? '' : someEntity(random, random.happens(0.5));
  return { method: isTunnelled ? 'POST' : verb, path, query: someOptions(random, false), headers, body };
}

export function point(random: Random): PlainRequest {
  const path = entityPath(someTable(random), somePartition(random), someRow(random), random);
  return { ...plain('GET', path, someOptions(random, false)), headers: { accept: accept(random) } };
}

function query(random: Random): PlainRequest {
  const path = random.happens(0.8)
    ? `${someTable(random)}${random.pick(['', '()'])}`
    : random.pick(['Tables', 'Tables()']);
  return { ...plain('GET', path, someOptions(random, true)), headers: { accept: accept(random) } };
}

function tableLife(random: Random): PlainRequest {
  const name = someTable(random);
  const headers = { accept: accept(random), 'content-type': jsonType(random) };
  if (random.happens(0.5))
    return { ...plain('POST', 'Tables', ''), headers, body: JSON.stringify({ TableName: name }) };
  return { ...plain(random.pick(['GET', 'GET', 'DELETE']), `Tables('${name}')`, ''), headers };
}

function policies(random: Random): PlainRequest {
  const path = someTable(random);
  if (random.happens(0.4)) return plain(random.pick(['GET', 'HEAD']), path, 'comp=acl');
  return {
    ...plain('PUT', path, 'comp=acl'),
    headers: { 'content-type': 'application/xml' },
    body: someIdentifiers(random),
  };
}

function service(random: Random): PlainRequest {
  const kind = random.below(4);
  if (kind === 0) return plain('GET', '', 'restype=service&comp=properties');
  if (kind === 1) return plain('GET', random.pick(['', '/']), 'restype=service&comp=stats');
  const headers = { 'content-type': 'application/xml' };
  return {
    ...plain('PUT', '', 'restype=service&comp=properties'),
    headers,
    body: someServiceProperties(random),
  };
}

function preflight(random: Random): PlainRequest {
  const headers: Record<string, string> = {
    origin: random.pick(['http://a', 'http://b', 'null', '\u00e9']),
    'access-control-request-method': random.pick(['GET', 'MERGE', 'X']),
  };
  if (random.happens(0.5))
    headers['access-control-request-headers'] = random.pick(['x-ms-date', 'accept, x', ',,', '__proto__']);
  return { ...plain('OPTIONS', someTable(random), ''), headers };
}

const OPERATIONS: readonly (readonly [number, (random: Random) => PlainRequest])[] = [
  [14, insert],
  [16, write],
  [8, point],
  [20, query],
  [4, tableLife],
  [4, policies],
  [3, service],
  [2, preflight],
];

export const someOperation = (random: Random): PlainRequest => random.weighted(OPERATIONS)(random);
