// The operations on tables themselves: Create, Get and Delete Table, Get and Set Table ACL (protocol: tables,
// access-policies#document). A dropped table's name is free at once, unless names are reserved.
import { reserveName, type SignedIdentifier } from '#account';
import { checkTableName } from '../limits.js';
import type { Outcome } from '../outcome.js';
import { TableError } from '../table-error.js';
import {
  decodeTableMetadata,
  encodeTableMetadata,
  isNameHeld,
  missingTable,
  openTable,
  type TableContext,
  type TableSpaces,
  tableAddress,
} from '../table-space.js';

export async function createTable(context: TableContext, name: string): Promise<Outcome> {
  checkTableName(name);
  if (await isNameHeld(context, name)) throw new TableError('TableBeingDeleted');
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
  await reserveName(context, tableAddress(context.account, name));
  return { kind: 'tableDeleted' };
}

/** The policies of a table; undefined if there is no such table. */
export async function readIdentifiers(
  context: TableSpaces,
  table: string,
): Promise<readonly SignedIdentifier[] | undefined> {
  const space = await openTable(context, table);
  return space && decodeTableMetadata(space.metadata).identifiers;
}

export async function getTableAcl(context: TableContext, table: string): Promise<Outcome> {
  const identifiers = await readIdentifiers(context, table);
  if (!identifiers) throw await missingTable(context, table);
  return { kind: 'acl', identifiers };
}

export async function setTableAcl(
  context: TableContext,
  table: string,
  identifiers: readonly SignedIdentifier[],
): Promise<Outcome> {
  const space = await openTable(context, table);
  const changed =
    space &&
    (await context.store.updateSpace(space, bytes =>
      encodeTableMetadata({ ...decodeTableMetadata(bytes), identifiers }),
    ));
  if (!changed) throw await missingTable(context, table);
  return { kind: 'aclSet' };
}
