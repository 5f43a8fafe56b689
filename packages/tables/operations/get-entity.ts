// Query Entities by key: a point query. A missing table and a missing entity look the same (protocol: entities#get).
import type { GetEntity } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { TableError } from '../table-error.js';
import { openTable, type TableContext } from '../table-space.js';

export async function getEntity(context: TableContext, { table, key }: GetEntity): Promise<Outcome> {
  const space = await openTable(context, table);
  const row = space && (await context.store.read(space, key.partitionKey, [key.rowKey]))[0];
  if (!row) throw new TableError('ResourceNotFound');
  return { kind: 'entity', row };
}
