// The requests of the workloads, as texts with gaps. All of them use an account SAS.
import { insertedEntity, loadedEntity, memberEntity, RANK_SOUGHT } from './dataset.js';
import type { RequestKind } from './job.js';
import { joinParts, MEMBERS, type Part, partBytes, slot } from './template.js';

export interface Endpoint {
  readonly port: number;
  readonly account: string;
  /** The query of the signature, without a question mark. */
  readonly signature: string;
}

const VERSION = 'x-ms-version: 2019-02-02';
const NO_METADATA = 'Accept: application/json;odata=nometadata';
/** For clients that write and do not ask for the entity in the answer. */
const NO_CONTENT = 'Prefer: return-no-content';
const ANY_ETAG = 'If-Match: *';
const JSON_BODY = 'Content-Type: application/json';

function request(
  endpoint: Endpoint,
  method: string,
  resource: readonly Part[],
  query: readonly Part[],
  headers: readonly string[],
  body?: readonly Part[],
): readonly Part[] {
  const length = body === undefined ? [] : [`Content-Length: ${partBytes(body)}`];
  const lines = [`Host: 127.0.0.1:${endpoint.port}`, VERSION, ...headers, ...length];
  return joinParts([
    `${method} /${endpoint.account}/`,
    ...resource,
    '?',
    ...query,
    `${endpoint.signature} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`,
    ...(body ?? []),
  ]);
}

const entityOf = (table: string, partition: Part, key: readonly Part[]): Part[] => [
  `${table}(PartitionKey='p`,
  partition,
  "',RowKey='",
  ...key,
  "')",
];

export const createTable = (endpoint: Endpoint, table: string): RequestKind => ({
  parts: request(
    endpoint,
    'POST',
    ['Tables'],
    [],
    [NO_METADATA, NO_CONTENT, JSON_BODY],
    [`{"TableName":"${table}"}`],
  ),
  check: { kind: 'empty', status: 204 },
});

export const pointGet = (endpoint: Endpoint, table: string): RequestKind => ({
  parts: request(endpoint, 'GET', entityOf(table, slot('partition'), [slot('row')]), [], [NO_METADATA]),
  check: { kind: 'entity' },
});

export const insert = (endpoint: Endpoint, table: string): RequestKind => ({
  parts: request(endpoint, 'POST', [table], [], [NO_METADATA, NO_CONTENT, JSON_BODY], insertedEntity()),
  check: { kind: 'empty', status: 204 },
});

/** `stock` has six digits. */
export const merge = (endpoint: Endpoint, table: string, stock: number): RequestKind => ({
  parts: request(
    endpoint,
    'PATCH',
    entityOf(table, slot('partition'), [slot('row')]),
    [],
    [NO_METADATA, ANY_ETAG, JSON_BODY],
    [`{"Stock":${stock}}`],
  ),
  check: { kind: 'empty', status: 204 },
});

export const range = (endpoint: Endpoint, table: string): RequestKind => ({
  parts: request(
    endpoint,
    'GET',
    [`${table}()`],
    [
      "$filter=PartitionKey%20eq%20'p",
      slot('partition'),
      "'%20and%20RowKey%20ge%20'",
      slot('group'),
      "'%20and%20RowKey%20lt%20'",
      slot('groupEnd'),
      "'&",
    ],
    [NO_METADATA],
  ),
  check: { kind: 'range' },
});

export const filter = (endpoint: Endpoint, table: string): RequestKind => ({
  parts: request(
    endpoint,
    'GET',
    [`${table}()`],
    ["$filter=PartitionKey%20eq%20'p", slot('anyPartition'), `'%20and%20Rank%20eq%20${RANK_SOUGHT}&`],
    [NO_METADATA],
  ),
  check: { kind: 'filter' },
});

const BATCH = 'batch_a1e76150-14e0-4b0e-b0e3-0d6a5ed8a3d9';
const CHANGESET = 'changeset_8a3d14e0-4b0e-b0e3-a1e7-0d6a5ed8a3d9';

const memberLines = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

function batch(endpoint: Endpoint, members: (offset: number) => readonly Part[]): readonly Part[] {
  const parts: Part[] = [`--${BATCH}\r\nContent-Type: multipart/mixed; boundary=${CHANGESET}\r\n\r\n`];
  for (let offset = 0; offset < MEMBERS; offset++) {
    parts.push(
      `--${CHANGESET}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n`,
      ...members(offset),
      '\r\n',
    );
  }
  parts.push(`--${CHANGESET}--\r\n--${BATCH}--\r\n`);
  const type = `Content-Type: multipart/mixed; boundary=${BATCH}`;
  return request(endpoint, 'POST', ['$batch'], [], [NO_METADATA, type], parts);
}

const urlOf = ({ port, account }: Endpoint): string => `http://127.0.0.1:${port}/${account}`;

function insertBatch(
  endpoint: Endpoint,
  table: string,
  entity: (offset: number) => readonly Part[],
): RequestKind {
  const lines = memberLines([
    `POST ${urlOf(endpoint)}/${table} HTTP/1.1`,
    NO_METADATA,
    NO_CONTENT,
    'DataServiceVersion: 3.0;',
    JSON_BODY,
  ]);
  return {
    parts: batch(endpoint, offset => [lines, ...entity(offset)]),
    check: { kind: 'batch' },
  };
}

/** Rows in order, `MEMBERS` of them by sequence number. */
export const load = (endpoint: Endpoint, table: string, entity = loadedEntity): RequestKind =>
  insertBatch(endpoint, table, entity);

export const transaction = (endpoint: Endpoint, table: string): RequestKind =>
  insertBatch(endpoint, table, memberEntity);
