// The entry point of the Table service's domain: runs an operation on a store. Changesets and tools use it too, and queries
// that need copies of rows; `queryEntities` visits the rows in place.
import { executeSettings } from '#account';
import type { Clock } from '#base';
import { copyRow, type Row } from '#store';
import type { Operation, QueryEntities } from './operation.js';
import { getEntity, queryEntities } from './operations/query-entities.js';
import { queryTables } from './operations/query-tables.js';
import { submitTransaction } from './operations/submit-transaction.js';
import { createTable, deleteTable, getTable, getTableAcl, setTableAcl } from './operations/tables.js';
import { writeEntity } from './operations/write-entities.js';
import type { Outcome } from './outcome.js';
import type { TableContext } from './table-space.js';

async function collectEntities(context: TableContext, operation: QueryEntities): Promise<Outcome> {
  const rows: Row[] = [];
  const { next, examined } = await queryEntities(context, operation, row => rows.push(copyRow(row)), true);
  return { kind: 'entities', rows, next, examined };
}

/** Fails with TableError or ChangesetFailure where Azure refuses, with StoreError where the engine fails. */
export function execute(operation: Operation, context: TableContext, clock: Clock): Promise<Outcome> {
  switch (operation.kind) {
    case 'getEntity':
      return getEntity(context, operation);
    case 'queryEntities':
      return collectEntities(context, operation);
    case 'submitTransaction':
      return submitTransaction(context, operation);
    case 'queryTables':
      return queryTables(context, operation);
    case 'createTable':
      return createTable(context, operation.table);
    case 'getTable':
      return getTable(context, operation.table);
    case 'deleteTable':
      return deleteTable(context, operation.table);
    case 'getTableAcl':
      return getTableAcl(context, operation.table);
    case 'setTableAcl':
      return setTableAcl(context, operation.table, operation.identifiers);
    case 'getServiceProperties':
    case 'setServiceProperties':
    case 'getServiceStats':
      return executeSettings(operation, context, 'table', clock);
    default:
      return writeEntity(context, operation);
  }
}
