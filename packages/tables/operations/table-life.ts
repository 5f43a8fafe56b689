// Create, Get and Delete Table (protocol: tables). A dropped table's name is free at once, unless names are reserved.

import { checkTableName } from '../limits.js';
import { checkName, reserveTableName } from '../missing-table.js';
import type { Outcome } from '../outcome.js';
import { TableError } from '../table-error.js';
import {
  decodeTableMetadata,
  encodeTableMetadata,
  openTable,
  type TableContext,
  tableAddress,
} from '../table-space.js';

export async function createTable(context: TableContext, name: string): Promise<Outcome> {
  checkTableName(name);
  await checkName(context, name);
  const metadata = encodeTableMetadata({ name, identifiers: [] });
  const space = await context.store.createSpace(tableAddress(context.account, name), metadata);
  if (!space) throw new TableError('TableAlreadyExists');
  return { kind: 'tableCreated', name };
}

export async function getTable(context: TableContext, name: string): Promise<Outcome> {
  const space = await openTable(context, name);
  if (!space) throw new TableError('ResourceNotFound');
  return { kind: 'table', name: decodeTableMetadata(space.metadata).name };
}

export async function deleteTable(context: TableContext, name: string): Promise<Outcome> {
  const space = await openTable(context, name);
  if (!space || !(await context.store.dropSpace(space))) throw new TableError('ResourceNotFound');
  await reserveTableName(context, name);
  return { kind: 'tableDeleted' };
}
