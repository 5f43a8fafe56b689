// From a request, or a part of a batch, to an operation that its caller may carry out. The order of the steps is the
// order in which Azure reports what is wrong (protocol: requests#order-of-checks).
import { ServiceError } from '#account';
import {
  type EntityKey,
  missingTable,
  type OperationKind,
  openTable,
  type TableContext,
  TableError,
  type TableErrorCode,
} from '#tables';
import { isInKeyRange, type KeyRange } from '#wire';
import {
  checkRoute,
  isRead,
  isXmlRoute,
  lenientFormat,
  type OperationRequest,
  parseOperation,
  parseResponseFormat,
  type ResponseFormat,
  type Route,
  type SingleOperation,
} from '#wire/table';
import type { AuthorizationProtocol } from '../../auth/auth-protocol.js';
import { authorize } from '../../auth/authorize.js';
import type { Grant } from '../../auth/grant.js';
import { TABLE_RIGHTS, TABLE_ROLES } from './rights.js';

export const TABLE_AUTHORIZATION: AuthorizationProtocol<OperationKind> = {
  rights: TABLE_RIGHTS,
  roles: TABLE_ROLES,
  sasScope: table => `The signature is for the entities of ${table}.`,
};

/** The entities that a grant is limited to: a query sees these and no others. Undefined for all. */
export const keyRangeOf = (grant: Grant): KeyRange | undefined =>
  grant.kind === 'serviceSas' ? grant.range : undefined;

/**
 * For an operation on one entity. A read outside the range finds nothing, a write is refused (protocol: sas#key-ranges).
 *
 * @throws TableError ResourceNotFound, AuthorizationFailure.
 */
export function authorizeKey(grant: Grant, kind: OperationKind, key: EntityKey): void {
  const range = keyRangeOf(grant);
  if (!range || isInKeyRange(range, key)) return;
  const code = kind === 'getEntity' ? 'ResourceNotFound' : 'AuthorizationFailure';
  throw new TableError(code, { reason: "The key is outside the signature's range." });
}

/** A request, or a part of a batch, whose caller is known. */
export interface Asked {
  readonly kind: OperationKind;
  readonly request: OperationRequest;
  readonly route: Route;
  readonly grant: Grant;
  readonly tables: TableContext;
}

interface Admitted {
  readonly operation: SingleOperation;
  readonly format: ResponseFormat;
}

/** Errors of the storage phase: a missing table takes precedence over them (recorded; protocol: requests#order-of-checks). */
const AFTER_TABLE: ReadonlySet<TableErrorCode> = new Set([
  'DuplicatePropertiesSpecified',
  'EntityTooLarge',
  'InvalidInput:KeyCount',
  'OutOfRangeInput:Parameter',
  'PropertiesNeedValue',
  'PropertyNameTooLong',
  'PropertyValueTooLarge',
  'TooManyProperties',
]);

/** Looks the table up only if there is another error already: a valid operation detects a missing table on its own. */
async function tableMissingWins(fault: unknown, route: Route, context: TableContext): Promise<unknown> {
  const table = route.resource.kind === 'table' ? undefined : route.resource.table;
  const isAfterTable =
    fault instanceof ServiceError && (AFTER_TABLE.has(fault.code) || route.resource.kind === 'nested');
  if (table === undefined || !isAfterTable) return fault;
  return (await openTable(context, table)) ? fault : missingTable(context, table);
}

/**
 * Returns a promise only where it has to wait: a valid request costs no microtask turn.
 *
 * @throws TableError for requests that are refused before the entity is read.
 */
export function admit({ kind, request, route, grant, tables }: Asked): Admitted | Promise<never> {
  if (kind === 'submitTransaction') throw new TableError('InvalidInput');
  // XML operations have one form only, whatever the caller accepts.
  const format = isXmlRoute(route) ? lenientFormat(request, '') : parseResponseFormat(request, route.query);
  checkRoute(route);
  if (route.secondary && !isRead(kind)) throw new TableError('InsufficientAccountPermissions');
  if (grant.kind !== 'owner') authorize(TABLE_AUTHORIZATION, grant, kind, route.resource.table);
  let operation: SingleOperation;
  try {
    operation = parseOperation(kind, request, route);
  } catch (fault) {
    if (isRead(kind) && route.resource.kind !== 'nested') throw fault;
    // Only what is refused may have to wait for a look at the table.
    return tableMissingWins(fault, route, tables).then(first => Promise.reject(first));
  }
  if (grant.kind === 'serviceSas' && 'key' in operation) authorizeKey(grant, kind, operation.key);
  return { operation, format };
}
