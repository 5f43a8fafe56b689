// The writers' requests, with the paths and values that the judges compare.
import { changeset } from '../../support/raw-batch.js';
import type { RawRequest } from '../../support/raw-client.js';

const ACCOUNT = '/devstoreaccount1';
const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json;odata=nometadata' };

/** Custom properties. */
export type Properties = Readonly<Record<string, string | number>>;

export interface RowName {
  readonly table: string;
  readonly partition: string;
  readonly row: string;
}

export type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A write of one entity. POST inserts; without `ifMatch` PUT and PATCH insert too. */
export interface Change {
  readonly method: Method;
  readonly name: RowName;
  readonly ifMatch: string | undefined;
  readonly properties: Properties;
  /** The row after the change. */
  readonly after: Properties | undefined;
}

export const pathOf = ({ table, partition, row }: RowName): string => `${table}/${partition}/${row}`;

/** Equal for equal properties. */
export const textOf = (properties: Properties): string =>
  JSON.stringify(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));

const propertiesIn = (text: string): Properties => Object.fromEntries(JSON.parse(text));
export const propertiesOf = (image: { readonly text: string } | undefined): Properties | undefined =>
  image && propertiesIn(image.text);

function targetOf({ method, name: { table, partition, row } }: Change): string {
  return method === 'POST'
    ? `${ACCOUNT}/${table}`
    : `${ACCOUNT}/${table}(PartitionKey='${partition}',RowKey='${row}')`;
}

function bodyOf({ method, name, properties }: Change): string | undefined {
  if (method === 'DELETE') return undefined;
  return JSON.stringify({ PartitionKey: name.partition, RowKey: name.row, ...properties });
}

/** One change as a request of its own, several as an entity group transaction. */
export function writeRequest(changes: readonly Change[]): RawRequest {
  const [only] = changes;
  if (only === undefined || changes.length > 1) return transactionRequest(changes);
  const body = bodyOf(only);
  return {
    method: only.method,
    target: targetOf(only),
    headers: {
      ...JSON_HEADERS,
      Prefer: 'return-no-content',
      ...(only.ifMatch === undefined ? {} : { 'If-Match': only.ifMatch }),
    },
    ...(body === undefined ? {} : { body }),
  };
}

function transactionRequest(changes: readonly Change[]): RawRequest {
  const parts = changes.map(change => {
    const body = bodyOf(change);
    return {
      method: change.method,
      target: `http://h${targetOf(change)}`,
      headers: [
        'Accept: application/json;odata=nometadata',
        ...(change.method === 'POST' ? ['Prefer: return-no-content'] : []),
        ...(change.ifMatch === undefined ? [] : [`If-Match: ${change.ifMatch}`]),
      ],
      ...(body === undefined ? {} : { body }),
    };
  });
  return {
    method: 'POST',
    target: `${ACCOUNT}/$batch`,
    headers: { 'Content-Type': 'multipart/mixed; boundary=batch_1' },
    body: changeset(parts),
  };
}

export const createTableRequest = (table: string): RawRequest => ({
  method: 'POST',
  target: `${ACCOUNT}/Tables`,
  headers: { ...JSON_HEADERS, Prefer: 'return-no-content' },
  body: JSON.stringify({ TableName: table }),
});

export const dropTableRequest = (table: string): RawRequest => ({
  method: 'DELETE',
  target: `${ACCOUNT}/Tables('${table}')`,
  headers: JSON_HEADERS,
});

export const tablesRequest = (): RawRequest => ({
  method: 'GET',
  target: `${ACCOUNT}/Tables`,
  headers: JSON_HEADERS,
});

/** One page; `next` are the two keys at which it begins. */
export const pageRequest = (
  table: string,
  next: readonly [partition: string, row: string] | undefined,
): RawRequest => ({
  method: 'GET',
  target: `${ACCOUNT}/${table}()${next ? `?NextPartitionKey=${next[0]}&NextRowKey=${next[1]}` : ''}`,
  headers: { ...JSON_HEADERS, Accept: 'application/json;odata=fullmetadata' },
});
