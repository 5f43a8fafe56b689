// The targets of the Table service as values, the grammar of requests' and of parts' of a batch (protocol: requests#addresses, tables#paths),
// and which operation one is: from method, resource and headers alone, so that the caller's rights are checked before the body
// (protocol: entities#conditions, requests#order-of-checks). The limits of names are checked later, after authentication.
import { type EntityKey, type OperationKind, TableError, type TableErrorCode } from '#tables';
import {
  decode,
  NO_PARAMETERS,
  parseQuery,
  SECONDARY,
  type ServiceRoute,
  type TargetGrammar,
  targetOfPart,
} from '../shared/target.js';

export type TableResource =
  /** A path without a resource; it is refused with this code after authentication. */
  | { readonly kind: 'invalid'; readonly code: TableErrorCode; readonly table?: undefined }
  | { readonly kind: 'service' | 'batch' | 'tables'; readonly table?: undefined }
  /** `/Tables('T')`: the table as an entry of the list. */
  | { readonly kind: 'table'; readonly table: string }
  /** `/T` or `/T()`: the entities of the table. */
  | { readonly kind: 'entities'; readonly table: string }
  /** `/T/more`: not a resource; its refusal depends on the verb and on whether the table exists. */
  | { readonly kind: 'nested'; readonly table: string }
  | { readonly kind: 'entity'; readonly table: string; readonly key: EntityKey };

export type Route = ServiceRoute<TableResource>;

const KEY = /\s*(PartitionKey|RowKey)\s*=\s*'((?:[^']|'')*)'\s*/y;

const PARTITION_FIRST = "PartitionKey='";
const ROW_SECOND = "',RowKey='";

/** The usual form of clients: both keys in this order, without spaces and without quotes inside. */
function parsePlainKeys(predicate: string): EntityKey | undefined {
  const last = predicate.length - 1;
  const middle = predicate.indexOf("'", PARTITION_FIRST.length);
  const rowAt = middle + ROW_SECOND.length;
  const isPlain =
    predicate.startsWith(PARTITION_FIRST) &&
    predicate.startsWith(ROW_SECOND, middle) &&
    predicate.indexOf("'", rowAt) === last;
  if (!isPlain) return undefined;
  return {
    partitionKey: predicate.slice(PARTITION_FIRST.length, middle),
    rowKey: predicate.slice(rowAt, last),
  };
}

/** `PartitionKey='a',RowKey='b'` in either order; a quote inside is doubled. Undefined for anything else. */
function parseKeys(predicate: string): EntityKey | undefined {
  const keys = new Map<string, string>();
  let at = 0;
  while (keys.size < 2) {
    KEY.lastIndex = at;
    const [found, name, value] = KEY.exec(predicate) ?? [];
    if (found === undefined || name === undefined || value === undefined || keys.has(name)) return undefined;
    keys.set(name, value.replaceAll("''", "'"));
    at += found.length;
    if (keys.size === 1 && predicate[at++] !== ',') return undefined;
  }
  const [partitionKey, rowKey] = [keys.get('PartitionKey'), keys.get('RowKey')];
  if (at !== predicate.length || partitionKey === undefined || rowKey === undefined) return undefined;
  return { partitionKey, rowKey };
}

const invalid = (
  code: 'InvalidInput:QuerySyntax' | 'InvalidUri' | 'MediaTypeNotSupported' | 'OutOfRangeInput',
): TableResource => ({ kind: 'invalid', code });

const TABLE_PREDICATE = /^\s*(?:TableName\s*=\s*)?'((?:[^']|'')*)'\s*$/;
const FORBIDDEN = /[/\\#?\u0000-\u001f\u007f-\u009f]/;
const OUT_OF_RANGE = /^[^/\\\u0000-\u001f\u007f]*$/;

/** The refusal of a key in a URL depends on the character (protocol: data-model#keys). */
function entityResource(table: string, predicate: string): TableResource {
  const key = parsePlainKeys(predicate) ?? parseKeys(predicate);
  if (!key) return invalid('InvalidInput:QuerySyntax');
  if (!FORBIDDEN.test(key.partitionKey) && !FORBIDDEN.test(key.rowKey)) return { kind: 'entity', table, key };
  const isOutOfRange = OUT_OF_RANGE.test(key.partitionKey) && OUT_OF_RANGE.test(key.rowKey);
  return invalid(isOutOfRange ? 'OutOfRangeInput' : 'InvalidInput:QuerySyntax');
}

/** The first segment is the table; a batch below it is always refused (protocol: errors#codes-of-tables). */
function nestedResource(path: string): TableResource {
  if (path.endsWith('/$batch')) return invalid('MediaTypeNotSupported');
  return { kind: 'nested', table: path.slice(0, path.indexOf('/')) };
}

/** The resource that a path below the account names, which begins without a slash. A slash at the end of a set's name is ignored. */
function parseResource(encoded: string): TableResource {
  const decoded = encoded.includes('%') ? decode(encoded) : encoded;
  const path = decoded.endsWith('/') ? decoded.slice(0, -1) : decoded;
  if (path === '') return { kind: 'service' };
  if (path === '$batch') return { kind: 'batch' };
  const open = path.indexOf('(');
  const predicate = open >= 0 && path.endsWith(')') ? path.slice(open + 1, -1) : undefined;
  const name = predicate === undefined ? path : path.slice(0, open);
  if (name.includes('/')) return nestedResource(path);
  if (predicate === undefined && open >= 0) return invalid('InvalidInput:QuerySyntax');
  if (name === 'Tables') {
    if (predicate === undefined || predicate.trim() === '') return { kind: 'tables' };
    const table = TABLE_PREDICATE.exec(predicate)?.[1];
    return table === undefined
      ? invalid('InvalidInput:QuerySyntax')
      : { kind: 'table', table: table.replaceAll("''", "'") };
  }
  if (predicate === undefined || predicate.trim() === '') return { kind: 'entities', table: name };
  return entityResource(name, predicate);
}

export const TABLE_GRAMMAR: TargetGrammar<TableResource> = { parseQuery, parseResource };

/**
 * Of a part's target, in characters as they are sent: the size of a request's head. So a part holds no filter that a URL does not, and what
 * is longer takes no time to decode (protocol: requests#bounds).
 */
const PART_TARGET_LENGTH_MAX = 65_536;

/** The target of a part: its scheme and host are ignored, and the path may omit the account (protocol: batches#requests). */
export function parsePartTarget(target: string, batch: Route): Route {
  if (target.length > PART_TARGET_LENGTH_MAX) throw new TableError('InvalidUri:TooLong');
  const relative = targetOfPart(target);
  const question = relative.indexOf('?');
  const path = question < 0 ? relative : relative.slice(0, question);
  const query = question < 0 ? NO_PARAMETERS : parseQuery(relative.slice(question + 1));
  const prefix = `/${batch.account}${batch.secondary ? SECONDARY : ''}/`;
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : path.slice(1);
  return { ...batch, path, resource: parseResource(rest), query };
}

/** The parts of a request, or of an operation in a batch, that decide its verb. */
interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const TUNNELLED = new Set(['GET', 'PUT', 'DELETE', 'MERGE', 'PATCH', 'POST']);

/** The verb that the request stands for: X-HTTP-Method may replace POST (protocol: requests#tunnelled-verbs). */
function tunnelledVerb(method: string, tunnelled: string): string {
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
  const tunnelled = asked.headers['x-http-method'];
  const verb = tunnelled === undefined ? asked.method : tunnelledVerb(asked.method, tunnelled);
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
