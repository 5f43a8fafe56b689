// Rows as no entity writes them, put into a table by the requests of the library.
import { encodeBag, Sender, TableRequests, type TypedValue } from '#patterns/internals';
import type { Peer } from './peers.js';

export type Properties = Readonly<Record<string, TypedValue>>;

export const text = (value: string): TypedValue => ({ type: 'String', value });

export async function putRows(
  peer: Peer,
  table: string,
  rows: readonly (readonly [partitionKey: string, rowKey: string, properties: Properties])[],
): Promise<void> {
  const requests = new TableRequests(new Sender(peer.client()));
  for (const [partitionKey, rowKey, properties] of rows) {
    const row = encodeBag({ table, partitionKey, rowKey, properties: new Map(Object.entries(properties)) });
    await requests.write({ kind: 'create', table, row });
  }
}
