// The spaces of tables in the store: their addresses and their metadata. Names of dropped tables are free at once, or
// reserved for a while as in Azure (protocol: tables#deleted-names).
import {
  type DeletionDelay,
  decodeIdentifiers,
  encodeIdentifiers,
  isNameReserved,
  type SignedIdentifier,
} from '#account';
import { type ScanRange, type Space, type SpaceAddress, type Store, StoreError } from '#store';
import { TableError } from './table-error.js';

/** Where the tables of an account are. */
export interface TableSpaces {
  readonly store: Store;
  readonly account: string;
}

/** The context of an operation. */
export interface TableContext extends TableSpaces {
  /** Rows that the caller may see; undefined for all. Writes outside are refused before they get here. */
  readonly within: ScanRange | undefined;
  /** Absent if a dropped table's name is free at once. */
  readonly deletion?: DeletionDelay | undefined;
}

/** Names of tables keep their case and are compared without it (protocol: tables#names). */
export function tableAddress(account: string, table: string): SpaceAddress {
  return { account, service: 'table', name: table.toLowerCase() };
}

export const openTable = ({ store, account }: TableSpaces, table: string): Promise<Space | undefined> =>
  store.getSpace(tableAddress(account, table));

export const isNameHeld = (context: TableContext, table: string): Promise<boolean> =>
  isNameReserved(context, tableAddress(context.account, table));

/** The refusal of an operation on a table that does not exist. */
export async function missingTable(context: TableContext, table: string): Promise<TableError> {
  return new TableError((await isNameHeld(context, table)) ? 'TableBeingDeleted' : 'TableNotFound');
}

interface TableMetadata {
  /** As spelled when the table was created. */
  readonly name: string;
  readonly identifiers: readonly SignedIdentifier[];
}

/** One byte of the name's length, the name in ASCII, then the access policies. */
export function encodeTableMetadata(metadata: TableMetadata): Buffer {
  const name = Buffer.from(metadata.name, 'latin1');
  return Buffer.concat([Buffer.of(name.length), name, encodeIdentifiers(metadata.identifiers)]);
}

export function decodeTableMetadata(bytes: Buffer): TableMetadata {
  const length = bytes[0];
  if (length === undefined || bytes.length <= length)
    throw new StoreError('corrupt', "A table's metadata is cut short.");
  return {
    name: bytes.toString('latin1', 1, 1 + length),
    identifiers: decodeIdentifiers(bytes.subarray(1 + length)),
  };
}
