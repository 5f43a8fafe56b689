// Get and Set Table ACL: the stored access policies of a table (protocol: access-policies#document).
import type { SignedIdentifier } from '#account';
import { missingTable } from '../missing-table.js';
import type { Outcome } from '../outcome.js';
import {
  decodeTableMetadata,
  encodeTableMetadata,
  openTable,
  type TableContext,
  type TableSpaces,
} from '../table-space.js';

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
