// One write of a row, alone or as a part of a transaction, and the multipart text of $batch with its limits
// (docs/protocol/batches.md), without anything of Node.
import { formatContent } from '../line/line.js';
import type { Key, Row } from '../line/row.js';
import { isEncodable } from '../source/key-range.js';

/** `insert` fails if the row exists; the others are AzCopy's InsertOrReplace and InsertOrMerge, and an unconditional delete. */
export type ChangeKind = 'insert' | 'replace' | 'merge' | 'delete';

export interface Change {
  readonly kind: ChangeKind;
  readonly row: Row;
  /** Of its request. */
  readonly body: string;
}

export const changeOf = (kind: ChangeKind, row: Row): Change => ({
  kind,
  row,
  body: kind === 'delete' ? '' : formatContent(row),
});

export interface ChangeRequest {
  readonly method: string;
  /** Below the endpoint. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const METHODS: Readonly<Record<ChangeKind, string>> = {
  insert: 'POST',
  replace: 'PUT',
  merge: 'PATCH',
  delete: 'DELETE',
};
const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json;odata=minimalmetadata',
  dataserviceversion: '3.0',
};
/** Without it an answer has the whole entity again. */
const INSERT_HEADERS = { ...JSON_HEADERS, prefer: 'return-no-content' };
const DELETE_HEADERS = { ...JSON_HEADERS, 'if-match': '*' };

const encoded = (key: string): string => encodeURIComponent(key.replaceAll("'", "''"));

/** Below the endpoint. */
const entityPath = (table: string, { partitionKey, rowKey }: Key): string =>
  `/${table}(PartitionKey='${encoded(partitionKey)}',RowKey='${encoded(rowKey)}')`;

/** Why a row that is not addressable is refused. */
export const UNADDRESSABLE =
  'half a surrogate pair in a key can be inserted, and in no other way be named in a request';

/** A key with half a surrogate pair can be in a body, but not in a URL. */
export const isAddressable = ({ kind, row }: Pick<Change, 'kind' | 'row'>): boolean =>
  kind === 'insert' || (isEncodable(row.partitionKey) && isEncodable(row.rowKey));

export function requestOf(table: string, { kind, row, body }: Change): ChangeRequest {
  if (kind === 'insert') return { method: 'POST', path: `/${table}`, headers: INSERT_HEADERS, body };
  const headers = kind === 'delete' ? DELETE_HEADERS : JSON_HEADERS;
  return { method: METHODS[kind], path: entityPath(table, row), headers, body };
}

/** Changes of one partition in one request, and bytes of it (docs/protocol/batches.md#rules). */
export const CHANGES_MAX = 100;
export const BODY_BYTES_MAX = 4 * 1_048_576;
/** Upper bound for the text around a change's body in the request, without its URL. */
export const PART_OVERHEAD_BYTES = 400;

// No line of JSON begins with a boundary: its strings have no line feeds.
const BATCH = 'batch_shelfmark';
const CHANGES = 'changeset_shelfmark';
export const BATCH_TYPE = `multipart/mixed; boundary=${BATCH}`;

const OPENING = `--${BATCH}\r\nContent-Type: multipart/mixed; boundary=${CHANGES}\r\n\r\n`;
const PART = `--${CHANGES}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
const CLOSING = `--${CHANGES}--\r\n--${BATCH}--\r\n`;

const headersText = (headers: Readonly<Record<string, string>>): string => {
  let text = '';
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return text;
};

export function formatTransaction(endpoint: string, requests: readonly ChangeRequest[]): string {
  let text = OPENING;
  for (const { method, path, headers, body } of requests)
    text += `${PART}${method} ${endpoint}${path} HTTP/1.1\r\n${headersText(headers)}\r\n${body}\r\n`;
  return text + CLOSING;
}

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/gm;

/** The statuses of the parts of an answer. */
export const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(STATUS_LINE)].map(([, status]) => Number(status));
