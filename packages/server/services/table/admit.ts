// From a request, or a part of a batch, to an operation that its caller may carry out. The order of the steps is the
// order in which Azure reports what is wrong (protocol: requests#order-of-checks).
import { ServiceError } from '#account';
import { missingTable, openTable, type TableContext, TableError, type TableErrorCode } from '#tables';
import {
  checkRoute,
  isRead,
  isXmlRoute,
  lenientFormat,
  type OperationRequest,
  operationKind,
  parseOperation,
  parseResponseFormat,
  type ResponseFormat,
  type Route,
  type SingleOperation,
  tableOf,
} from '#wire';
import type { Grant } from '../../auth/grant.js';
import { authorize, authorizeKey } from './authorize.js';

export interface Admitted {
  readonly operation: SingleOperation;
  readonly format: ResponseFormat;
}

/** The format of an answer; XML operations have one form only, whatever the caller accepts. */
const formatOf = ({ method, headers }: OperationRequest, route: Route): ResponseFormat =>
  isXmlRoute(route) ? lenientFormat(method, headers, '') : parseResponseFormat(method, headers, route.query);

/** Faults of the storage phase: that the table is not there is found before them (recorded; protocol: requests#order-of-checks). */
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

/** The table is looked up only where something else is wrong already: a sound operation finds out by itself. */
async function weightier(fault: unknown, route: Route, context: TableContext): Promise<unknown> {
  const table = route.resource.kind === 'table' ? undefined : tableOf(route);
  const isOutweighed =
    fault instanceof ServiceError && (AFTER_TABLE.has(fault.code) || route.resource.kind === 'nested');
  if (table === undefined || !isOutweighed) return fault;
  return (await openTable(context, table)) ? fault : missingTable(context, table);
}

/** The operation at once; only what is refused may have to wait for a look at the table. */
function parseSound(
  kind: SingleOperation['kind'],
  request: OperationRequest,
  route: Route,
  context: TableContext,
): SingleOperation | Promise<never> {
  try {
    return parseOperation(kind, request, route);
  } catch (fault) {
    if (isRead(kind) && route.resource.kind !== 'nested') throw fault;
    return weightier(fault, route, context).then(weighed => Promise.reject(weighed));
  }
}

/**
 * A value where nothing has to be waited for: what is sound costs no turn of the queue of promises.
 *
 * @throws TableError for what is refused before the entity is looked at.
 */
export function admit(
  request: OperationRequest,
  route: Route,
  grant: Grant,
  context: TableContext,
): Admitted | Promise<never> {
  const kind = operationKind(request.method, request.headers, route);
  if (kind === 'submitTransaction') throw new TableError('InvalidInput');
  const format = formatOf(request, route);
  checkRoute(route);
  if (route.secondary && !isRead(kind)) throw new TableError('InsufficientAccountPermissions');
  authorize(grant, kind, tableOf(route));
  const operation = parseSound(kind, request, route, context);
  if (operation instanceof Promise) return operation;
  if ('key' in operation) authorizeKey(grant, kind, operation.key);
  return { operation, format };
}
