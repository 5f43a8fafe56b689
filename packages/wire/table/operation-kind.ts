// The kind of operation, from method, resource and headers alone: known before the body is read,
// so that the caller's rights are checked before the body (protocol: tables#paths, entities#conditions, requests#order-of-checks).
import { type OperationKind, TableError } from '#tables';
import type { Route } from './route.js';

/** The parts of a request, or of an operation in a batch, that decide its verb. */
interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const TUNNELLED = new Set(['GET', 'PUT', 'DELETE', 'MERGE', 'PATCH', 'POST']);

/** The verb that the request stands for: X-HTTP-Method may replace POST (protocol: requests#tunnelled-verbs). */
export function effectiveMethod({ method, headers }: Asked): string {
  const tunnelled = headers['x-http-method'];
  if (tunnelled === undefined) return method;
  if (method !== 'POST') throw new TableError('XMethodNotUsingPost');
  if (tunnelled.includes(',')) throw new TableError('XMethodIncorrectCount');
  const verb = tunnelled.trim().toUpperCase();
  if (!TUNNELLED.has(verb)) throw new TableError('XMethodIncorrectValue');
  return verb;
}

type Verbs = ReadonlyMap<string, OperationKind>;

const verbs = (kinds: Readonly<Record<string, OperationKind>>): Verbs => new Map(Object.entries(kinds));

const TABLES = verbs({ GET: 'queryTables', POST: 'createTable' });
const TABLE = verbs({ GET: 'getTable', DELETE: 'deleteTable' });
const ENTITIES = verbs({ GET: 'queryEntities', POST: 'insertEntity' });
const ACL = verbs({ GET: 'getTableAcl', HEAD: 'getTableAcl', PUT: 'setTableAcl' });
/** The operations of the verbs on the table itself; parse-operation.ts rejects everything except an insert. */
const NESTED = verbs({
  GET: 'queryEntities',
  POST: 'insertEntity',
  PUT: 'insertOrReplaceEntity',
  MERGE: 'insertOrMergeEntity',
  PATCH: 'insertOrMergeEntity',
  DELETE: 'deleteEntity',
});
const PROPERTIES = verbs({ GET: 'getServiceProperties', PUT: 'setServiceProperties' });
const STATS = verbs({ GET: 'getServiceStats' });
const BATCH = verbs({ POST: 'submitTransaction' });
const CONDITIONAL = verbs({
  GET: 'getEntity',
  PUT: 'updateEntity',
  MERGE: 'mergeEntity',
  PATCH: 'mergeEntity',
  DELETE: 'deleteEntity',
});
/** Without If-Match an update is an upsert. A delete requires it. */
const UNCONDITIONAL = verbs({
  GET: 'getEntity',
  PUT: 'insertOrReplaceEntity',
  MERGE: 'insertOrMergeEntity',
  PATCH: 'insertOrMergeEntity',
  DELETE: 'deleteEntity',
});

function serviceVerbs({ query }: Route): Verbs {
  const comp = query.get('restype') === 'service' ? query.get('comp') : undefined;
  if (comp === 'properties') return PROPERTIES;
  if (comp === 'stats') return STATS;
  throw new TableError('InvalidUri');
}

function verbsOf({ headers }: Asked, route: Route): Verbs {
  const { resource, query, path } = route;
  switch (resource.kind) {
    case 'invalid':
      throw new TableError(resource.code);
    case 'service':
      return serviceVerbs(route);
    case 'batch':
      return BATCH;
    case 'tables':
      return TABLES;
    case 'table':
      return TABLE;
    case 'entities':
    case 'nested':
      if (query.get('comp') === 'acl') return ACL;
      if (!query.has('restype')) return resource.kind === 'nested' ? NESTED : ENTITIES;
      // Recorded with a slash behind the table; without one clients saw the other code (protocol: errors#codes-of-tables).
      throw new TableError(path.endsWith('/') ? 'InvalidQueryParameterValue' : 'InvalidUri');
    case 'entity':
      return headers['if-match'] === undefined ? UNCONDITIONAL : CONDITIONAL;
  }
}

/** @throws TableError where the resource does not exist or has no such verb. */
export function operationKind(asked: Asked, route: Route): OperationKind {
  const verb = effectiveMethod(asked);
  const kind = verbsOf(asked, route).get(verb);
  if (kind === undefined) throw new TableError('MethodNotAllowed');
  // The secondary alone has them.
  if (kind === 'getServiceStats' && !route.secondary) throw new TableError('InvalidQueryParameterValue');
  return kind;
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
