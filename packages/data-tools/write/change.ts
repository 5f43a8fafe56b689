// One write of a row, alone or as a part of a transaction.
import { formatContent } from '../line/line.js';
import type { Key, Row } from '../line/row.js';
import { isEncodable } from '../source/key-range.js';

/** `insert` fails if the row exists; the others are AzCopy's InsertOrReplace and InsertOrMerge, and an unconditional delete. */
export type ChangeKind = 'insert' | 'replace' | 'merge' | 'delete';

export interface Change {
  readonly kind: ChangeKind;
  readonly row: Row;
  /** Its place in the run, from 0: everything before it being done is a run's progress. */
  readonly place: number;
}

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

export function requestOf(table: string, { kind, row }: Pick<Change, 'kind' | 'row'>): ChangeRequest {
  const body = kind === 'delete' ? '' : formatContent(row);
  if (kind === 'insert') return { method: 'POST', path: `/${table}`, headers: INSERT_HEADERS, body };
  const headers = kind === 'delete' ? DELETE_HEADERS : JSON_HEADERS;
  return { method: METHODS[kind], path: entityPath(table, row), headers, body };
}
