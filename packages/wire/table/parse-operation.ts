// Parses a request whose kind is known into an Operation: the body, the query options and the conditions, with their limits.
// Parts of a batch are parsed by the same function.
import { parseDateTime } from '#base';
import {
  type Condition,
  checkEntity,
  checkTableName,
  type EntityKey,
  type Filter,
  type Operation,
  type OperationKind,
  PAGE_ENTITIES_MAX,
  type Property,
  TableError,
} from '#tables';
import { parseIdentifiers } from '../shared/access-policy-xml.js';
import { parseServiceProperties } from '../shared/service-properties-xml.js';
import { parseEntityToken, parseTableToken } from './continuation.js';
import { parseEntity, readObject, requireKey } from './entity/read-entity.js';
import { FILTER_LENGTH_MAX, parseFilter } from './filter/parse-filter.js';
import type { Route } from './route.js';

/** The request, or the part, without its address. */
export interface OperationRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Every operation except a batch, which is parsed part by part. */
type SingleKind = Exclude<OperationKind, 'submitTransaction'>;
export type SingleOperation = Extract<Operation, { kind: SingleKind }>;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** A body without a type is read as JSON, whatever its odata parameter is (protocol: requests#headers). */
function checkContentType({ headers }: OperationRequest): void {
  const type = headers['content-type'];
  if (type === undefined || type.trim() === '' || JSON_TYPE.test(type)) return;
  throw new TableError(/atom/i.test(type) ? 'AtomFormatNotSupported' : 'MediaTypeNotSupported');
}

/** Names in URLs are checked before the caller's rights are (protocol: requests#order-of-checks). Metrics tables are valid names; there are none. */
export function checkRoute({ resource: { table } }: Route): void {
  if (table !== undefined && !table.startsWith('$Metrics')) checkTableName(table);
}

function keyOf({ resource }: Route): EntityKey {
  if (resource.kind !== 'entity') throw new TableError('InvalidInput:QuerySyntax');
  return resource.key;
}

const ETAG = /^W\/"(.*)"$/;
const DATE_TIME_ETAG = /^datetime'(.*)'$/;

/** Of If-Match (protocol: entities#conditions). A weak etag that is not a version is well-formed and matches nothing; any other text is refused. */
export function parseCondition(text: string): Condition {
  if (text === '*') return { kind: 'any' };
  const tag = ETAG.exec(text)?.[1];
  if (tag === undefined || tag.includes('"')) throw new TableError('InvalidInput:Etag', { etag: text });
  const time = DATE_TIME_ETAG.exec(tag)?.[1];
  return {
    kind: 'version',
    version: time === undefined ? undefined : parseDateTime(time.replaceAll(/%3a/gi, ':')),
  };
}

function conditionOf({ headers }: OperationRequest): Condition {
  const text = headers['if-match'];
  if (text === undefined) throw new TableError('MissingRequiredHeader');
  return parseCondition(text.trim());
}

function refuseIfNoneMatch({ method, headers }: OperationRequest): void {
  if (headers['if-none-match'] === undefined) return;
  throw headers['if-match'] === undefined
    ? new TableError('InvalidInput:IfNoneMatch', { method })
    : new TableError('InvalidInput:TwoConditions');
}

function checkedProperties(request: OperationRequest, key: EntityKey): readonly Property[] {
  checkContentType(request);
  const { properties } = parseEntity(request.body);
  checkEntity(key, properties);
  return properties;
}

function parseInsert(request: OperationRequest, table: string): SingleOperation {
  checkContentType(request);
  const body = parseEntity(request.body);
  const key = requireKey(body);
  checkEntity(key, body.properties);
  return { kind: 'insertEntity', table, key, properties: body.properties };
}

/** The keys are those of the URL; keys in the body are optional and ignored (protocol: entities#keys-of-the-body). */
function parseWrite(
  kind: SingleKind,
  request: OperationRequest,
  route: Route,
  table: string,
): SingleOperation {
  const key = keyOf(route);
  refuseIfNoneMatch(request);
  switch (kind) {
    case 'updateEntity':
    case 'mergeEntity':
      return {
        kind,
        table,
        key,
        condition: conditionOf(request),
        properties: checkedProperties(request, key),
      };
    case 'insertOrReplaceEntity':
    case 'insertOrMergeEntity':
      return { kind, table, key, properties: checkedProperties(request, key) };
    default:
      checkEntity(key, []);
      return { kind: 'deleteEntity', table, key, condition: conditionOf(request) };
  }
}

const TOP = /^\d{1,4}$/;

function parseTop(text: string | undefined): number {
  if (text === undefined || text === '') return PAGE_ENTITIES_MAX;
  const top = TOP.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (top > PAGE_ENTITIES_MAX) throw new TableError('InvalidInput');
  return top;
}

const OPTIONS = new Set(['$filter', '$select', '$top', '$format']);
/** Options of OData that the service does not have: ignoring them would give another answer (protocol: queries#unsupported-options). */
const UNSUPPORTED = new Set([
  '$orderby',
  '$skip',
  '$skiptoken',
  '$count',
  '$inlinecount',
  '$expand',
  '$search',
  '$apply',
  '$compute',
]);

function checkOptions(query: ReadonlyMap<string, string>): void {
  for (const name of query.keys()) {
    if (!name.startsWith('$') || OPTIONS.has(name)) continue;
    throw new TableError(UNSUPPORTED.has(name) ? 'NotImplemented' : 'InvalidInput');
  }
}

function filterOf(query: ReadonlyMap<string, string>): Filter | undefined {
  const text = query.get('$filter');
  if (text === undefined) return undefined;
  return text.length <= FILTER_LENGTH_MAX && text.trim() === '' ? undefined : parseFilter(text);
}

function parseTableName(request: OperationRequest): string {
  checkContentType(request);
  const name = readObject(request.body).members.find(member => member.name.name === 'TableName');
  if (!name || name.kind === 'null' || name.text === '') throw new TableError('PropertiesNeedValue');
  if (name.kind !== 'string') throw new TableError('InvalidInput:Body');
  return name.text;
}

/** Below a table reads are refused, and so are single keys (recorded). Only an insert is accepted. */
const nestedRefusal = (kind: SingleKind, { resource, account }: Route): TableError =>
  kind === 'queryEntities'
    ? new TableError('NotImplemented')
    : new TableError('InvalidInput:KeyCount', { resource: `${account}.${resource.table}` });

/** @throws TableError for refusals before the table is read. */
export function parseOperation(kind: SingleKind, request: OperationRequest, route: Route): SingleOperation {
  const { query, resource } = route;
  // The kind is of a table where the resource has one.
  const { table = '' } = resource;
  if (resource.kind === 'nested' && kind !== 'insertEntity') throw nestedRefusal(kind, route);
  switch (kind) {
    case 'queryEntities':
      checkOptions(query);
      return {
        kind,
        table,
        filter: filterOf(query),
        top: parseTop(query.get('$top')),
        from: parseEntityToken(query),
      };
    case 'queryTables':
      checkOptions(query);
      return {
        kind,
        filter: filterOf(query),
        top: parseTop(query.get('$top')),
        from: parseTableToken(query),
      };
    case 'getEntity': {
      checkOptions(query);
      const key = keyOf(route);
      checkEntity(key, []);
      return { kind, table, key };
    }
    case 'createTable':
      return { kind, table: parseTableName(request) };
    case 'getTable':
    case 'deleteTable':
    case 'getTableAcl':
      return { kind, table };
    case 'setTableAcl':
      return { kind, table, identifiers: parseIdentifiers(request.body) };
    case 'getServiceProperties':
    case 'getServiceStats':
      return { kind };
    case 'setServiceProperties':
      return { kind, change: parseServiceProperties(request.body) };
    case 'insertEntity':
      return parseInsert(request, table);
    default:
      return parseWrite(kind, request, route, table);
  }
}
