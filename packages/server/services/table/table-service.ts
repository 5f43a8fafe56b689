// The Table service as a value: what the request frame has to know of it, and the way of an operation from the known caller to its answer.
// The order of the steps is the order in which Azure reports what is wrong (protocol: requests#order-of-checks).

import type { WireRequest } from '#base';
import {
  execute,
  type OperationKind,
  type QueryEntities,
  queryEntities,
  readIdentifiers,
  type TableContext,
  TableError,
  type TableErrorCode,
} from '#tables';
import { parseTableSas, tableStringsToSign } from '#wire';
import {
  type Answer,
  EntityList,
  type ErrorContext,
  formatEntities,
  formatError,
  formatOutcome,
  formatResponse,
  isXmlRoute,
  lenientFormat,
  operationKind,
  type ResponseFormat,
  type Route,
  TABLE_GRAMMAR,
  type TableResource,
} from '#wire/table';
import { challenged } from '../../auth/authenticate.js';
import type { Grant } from '../../auth/grant.js';
import type { RequestContext, ServiceProtocol } from '../../frame/service-protocol.js';
import { admit, TABLE_AUTHORIZATION } from './admit.js';
import { submitBatch } from './batch.js';
import { isWrite, leaveWrite } from './leave-write.js';

type TableRequest = RequestContext<TableResource, OperationKind>;

/** JSON is served since this version of the service. */
const JSON_SINCE = '2013-08-15';

/** Made only where something is refused, and for batches. */
function errorContextOf({ request, route, requestId, now }: TableRequest): ErrorContext {
  const { method, headers, target } = request;
  return {
    requestId,
    now,
    format: lenientFormat(request, target),
    xml: method === 'OPTIONS' || (route !== undefined && isXmlRoute(route)),
    accept: headers.accept,
    nameInBody: route?.resource.kind === 'tables',
  };
}

/** Entities are written where the store has them: a page has many, and a copy of each costs as much as to write it. */
async function answerQuery(
  operation: QueryEntities,
  format: ResponseFormat,
  route: Route,
  tables: TableContext,
): Promise<Answer> {
  const list = new EntityList(route, format);
  const isWhole = format.select === undefined;
  const { next } = await queryEntities(tables, operation, row => list.add(row), isWhole);
  return formatEntities(list, next, format);
}

async function run(kind: OperationKind, route: Route, grant: Grant, context: TableRequest): Promise<Answer> {
  const { request, server } = context;
  const { store, deletion } = server;
  const within = grant.kind === 'serviceSas' ? grant.range : undefined;
  const tables: TableContext = { store, account: route.account, within, deletion };
  if (kind === 'submitTransaction')
    return submitBatch({ context, route, grant, tables, errorContext: errorContextOf(context) });
  const admitted = admit({ kind, request, route, grant, tables });
  const { operation, format } = admitted instanceof Promise ? await admitted : admitted;
  if (server.forwarding !== undefined && isWrite(operation))
    await leaveWrite(context, { account: route.account, grant, write: operation });
  if (operation.kind === 'queryEntities') return answerQuery(operation, format, route, tables);
  return formatOutcome(await execute(operation, tables, server.clock), route, format);
}

/** Before JSON, Atom was the default format (protocol: json#choosing-the-format). */
function refusalOfOld({ headers }: WireRequest, { query }: Route): TableError {
  const named = [query.get('$format'), headers.accept, headers['content-type']].join();
  const isJson = /json/i.test(named) && !/atom|xml/i.test(named);
  return new TableError(isJson ? 'JsonFormatNotSupported' : 'AtomFormatNotSupported');
}

export const TABLE_SERVICE: ServiceProtocol<TableResource, OperationKind, TableErrorCode, Answer> = {
  ...TABLE_AUTHORIZATION,
  name: 'table',
  letter: 't',
  refusesBodyFirst: true,
  grammar: TABLE_GRAMMAR,
  since: JSON_SINCE,
  checkEarlier: (route, request) => {
    if (!isXmlRoute(route)) throw refusalOfOld(request, route);
  },
  kindOf: operationKind,
  kindOfRefused: (request, route) => {
    try {
      return operationKind(request, route);
    } catch {
      return undefined;
    }
  },

  stringsToSign: tableStringsToSign,
  signedResource: ({ account }) => account,
  parseSas: (query, { account }) => parseTableSas(query, account),
  readPolicies: (store, account, table) => readIdentifiers({ store, account }, table),
  refuseAnonymous: (request, challenge) => challenged(challenge, request, 'There are no credentials.'),

  run,
  formatPreflight: more => ({ status: 200, cacheControl: false, noSniff: false, more }),
  formatError: (error, context) => formatError(error, errorContextOf(context)),
  formatResponse,
};
