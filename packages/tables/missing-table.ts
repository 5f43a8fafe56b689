// Names of dropped tables: free at once, or reserved for a while as in Azure (protocol: tables#deleted-names).
import { isNameReserved, reserveName } from '#account';
import { TableError } from './table-error.js';
import { type TableContext, tableAddress } from './table-space.js';

/** Called once the table is gone. */
export const reserveTableName = (context: TableContext, table: string): Promise<void> =>
  reserveName(context, tableAddress(context.account, table));

const isTableHeld = (context: TableContext, table: string): Promise<boolean> =>
  isNameReserved(context, tableAddress(context.account, table));

/** @throws TableError TableBeingDeleted. */
export async function checkName(context: TableContext, table: string): Promise<void> {
  if (await isTableHeld(context, table)) throw new TableError('TableBeingDeleted');
}

/** The refusal of an operation on a table that does not exist. */
export async function missingTable(context: TableContext, table: string): Promise<TableError> {
  return new TableError((await isTableHeld(context, table)) ? 'TableBeingDeleted' : 'TableNotFound');
}
