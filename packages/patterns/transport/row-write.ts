// A write of one row as a value: shared by single requests and parts of a batch.
import type { RowAddress } from '../values/pattern-error.js';
import { type WireRow, wireText } from '../values/wire-property.js';

/** `create`: there is no such row. `replace` and `merge`: the row is there. `upsert` and `upsertMerge`: whether or not. */
export type RowWrite =
  | { readonly kind: 'create'; readonly table: string; readonly row: WireRow }
  | { readonly kind: 'upsert' | 'upsertMerge'; readonly table: string; readonly row: WireRow }
  | {
      readonly kind: 'replace' | 'merge';
      readonly table: string;
      readonly row: WireRow;
      /** Of the row that is replaced or changed; `*` for whatever is there. */
      readonly etag: string;
    }
  | ({ readonly kind: 'delete'; readonly etag: string } & RowAddress);

export interface RowRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export const addressOf = (write: RowWrite): RowAddress =>
  write.kind === 'delete'
    ? { table: write.table, partitionKey: write.partitionKey, rowKey: write.rowKey }
    : { table: write.table, partitionKey: write.row.partitionKey, rowKey: write.row.rowKey };

/** What the write compares; undefined if it compares nothing. */
export const etagOf = (write: RowWrite): string | undefined => ('etag' in write ? write.etag : undefined);

const keyText = (key: string): string => encodeURIComponent(key.replaceAll("'", "''"));

export const rowPath = ({ table, partitionKey, rowKey }: RowAddress): string =>
  `${table}(PartitionKey='${keyText(partitionKey)}',RowKey='${keyText(rowKey)}')`;

const ACCEPT = { Accept: 'application/json;odata=minimalmetadata' } as const;
const JSON_BODY = { ...ACCEPT, 'Content-Type': 'application/json' } as const;

const METHODS = { upsert: 'PUT', upsertMerge: 'PATCH', replace: 'PUT', merge: 'PATCH' } as const;

export function rowRequest(write: RowWrite): RowRequest {
  const path = rowPath(addressOf(write));
  if (write.kind === 'delete')
    return { method: 'DELETE', path, headers: { ...ACCEPT, 'If-Match': write.etag }, body: undefined };
  const body = wireText(write.row);
  if (write.kind === 'create')
    return {
      method: 'POST',
      path: write.table,
      headers: { ...JSON_BODY, Prefer: 'return-no-content' },
      body,
    };
  const condition = 'etag' in write ? { 'If-Match': write.etag } : {};
  return { method: METHODS[write.kind], path, headers: { ...JSON_BODY, ...condition }, body };
}
