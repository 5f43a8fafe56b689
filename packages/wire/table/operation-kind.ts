// The kind of operation, from method, resource and headers alone: known before the body is read,
// so that the caller's rights are checked before the body (protocol: tables#paths, entities#conditions, requests#order-of-checks).
import { type OperationKind, TableError } from '#tables';
import type { Route } from './route.js';

type Headers = Readonly<Record<string, string | undefined>>;

const TUNNELLED = new Set(['GET', 'PUT', 'DELETE', 'MERGE', 'PATCH', 'POST']);

/** The verb that the request stands for: X-HTTP-Method may replace POST (protocol: requests#tunnelled-verbs). */
export function effectiveMethod(method: string, headers: Headers): string {
  const tunnelled = headers['x-http-method'];
  if (tunnelled === undefined) return method;
  if (method !== 'POST') throw new TableError('XMethodNotUsingPost');
  if (tunnelled.includes(',')) throw new TableError('XMethodIncorrectCount');
  const verb = tunnelled.trim().toUpperCase();
  if (!TUNNELLED.has(verb)) throw new TableError('XMethodIncorrectValue');
  return verb;
}

type Verbs = Readonly<Partial<Record<string, OperationKind>>>;

function byVerb(verbs: Verbs, method: string): OperationKind {
  const kind = Object.hasOwn(verbs, method) ? verbs[method] : undefined;
  if (!kind) throw new TableError('MethodNotAllowed');
  return kind;
}

const TABLES: Verbs = { GET: 'queryTables', POST: 'createTable' };
const TABLE: Verbs = { GET: 'getTable', DELETE: 'deleteTable' };
const ENTITIES: Verbs = { GET: 'queryEntities', POST: 'insertEntity' };
const ACL: Verbs = { GET: 'getTableAcl', HEAD: 'getTableAcl', PUT: 'setTableAcl' };
/** The operations of the verbs on the table itself; parse-operation.ts refuses all but an insert. */
const NESTED: Verbs = {
  GET: 'queryEntities',
  POST: 'insertEntity',
  PUT: 'insertOrReplaceEntity',
  MERGE: 'insertOrMergeEntity',
  PATCH: 'insertOrMergeEntity',
  DELETE: 'deleteEntity',
};
const PROPERTIES: Verbs = { GET: 'getServiceProperties', PUT: 'setServiceProperties' };
const STATS: Verbs = { GET: 'getServiceStats' };
const BATCH: Verbs = { POST: 'submitTransaction' };
const CONDITIONAL: Verbs = {
  GET: 'getEntity',
  PUT: 'updateEntity',
  MERGE: 'mergeEntity',
  PATCH: 'mergeEntity',
  DELETE: 'deleteEntity',
};
/** Without If-Match an update is an upsert. A delete requires it. */
const UNCONDITIONAL: Verbs = {
  GET: 'getEntity',
  PUT: 'insertOrReplaceEntity',
  MERGE: 'insertOrMergeEntity',
  PATCH: 'insertOrMergeEntity',
  DELETE: 'deleteEntity',
};

function serviceKind(route: Route, method: string): OperationKind {
  const comp = route.query.get('restype') === 'service' ? route.query.get('comp') : undefined;
  if (comp === 'properties') return byVerb(PROPERTIES, method);
  if (comp !== 'stats') throw new TableError('InvalidUri');
  const kind = byVerb(STATS, method);
  if (!route.secondary) throw new TableError('InvalidQueryParameterValue');
  return kind;
}

function entitiesKind(route: Route, method: string): OperationKind {
  if (route.query.get('comp') === 'acl') return byVerb(ACL, method);
  if (route.query.has('restype')) {
    // Recorded with a slash behind the table; without one clients saw the other code (protocol: errors#codes-of-tables).
    throw new TableError(route.path.endsWith('/') ? 'InvalidQueryParameterValue' : 'InvalidUri');
  }
  return byVerb(route.resource.kind === 'nested' ? NESTED : ENTITIES, method);
}

/** @throws TableError where the resource does not exist or has no such verb. */
export function operationKind(method: string, headers: Headers, route: Route): OperationKind {
  const verb = effectiveMethod(method, headers);
  switch (route.resource.kind) {
    case 'invalid':
      throw new TableError(route.resource.code);
    case 'service':
      return serviceKind(route, verb);
    case 'batch':
      return byVerb(BATCH, verb);
    case 'tables':
      return byVerb(TABLES, verb);
    case 'table':
      return byVerb(TABLE, verb);
    case 'entities':
    case 'nested':
      return entitiesKind(route, verb);
    case 'entity':
      return byVerb(headers['if-match'] === undefined ? UNCONDITIONAL : CONDITIONAL, verb);
  }
}

/** Documents and errors of these are XML (protocol: errors#forms). */
export const isXmlRoute = (route: Route): boolean =>
  route.query.get('comp') === 'acl' || route.query.get('restype') === 'service';

const READS: ReadonlySet<OperationKind> = new Set([
  'queryTables',
  'getTable',
  'queryEntities',
  'getEntity',
  'getTableAcl',
  'getServiceProperties',
  'getServiceStats',
]);

export const isRead = (kind: OperationKind): boolean => READS.has(kind);
