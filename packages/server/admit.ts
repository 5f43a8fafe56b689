// From a request, or a part of a batch, to an operation that its caller may carry out. The order of the steps is the
// order in which Azure reports what is wrong (table-rest.md 11.3, steps 5 to 8).
import { TableError } from '#tables';
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
import { authorize, authorizeKey } from './authorize.js';
import type { Grant } from './grant.js';

export interface Admitted {
  readonly operation: SingleOperation;
  readonly format: ResponseFormat;
}

/** The format of an answer; XML operations have one form only, whatever the caller accepts. */
const formatOf = ({ method, headers }: OperationRequest, route: Route): ResponseFormat =>
  isXmlRoute(route) ? lenientFormat(method, headers, '') : parseResponseFormat(method, headers, route.query);

/** @throws TableError for what is refused before the table is looked at. */
export function admit(request: OperationRequest, route: Route, grant: Grant): Admitted {
  const kind = operationKind(request.method, request.headers, route);
  if (kind === 'submitTransaction') throw new TableError('InvalidInput');
  const format = formatOf(request, route);
  checkRoute(route);
  if (route.secondary && !isRead(kind)) throw new TableError('InsufficientAccountPermissions');
  authorize(grant, kind, tableOf(route));
  const operation = parseOperation(kind, request, route);
  if ('key' in operation) authorizeKey(grant, kind, operation.key);
  return { operation, format };
}
