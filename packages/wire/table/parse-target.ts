// The grammar of the Table service's targets, of requests and of parts of a batch (protocol: requests#addresses, tables#paths).
// Rights and the limits of names are checked later, after authentication.
import { type EntityKey, TableError } from '#tables';
import { decode, parseQuery } from '../shared/parse-query.js';
import { NO_PARAMETERS, SECONDARY, type TargetGrammar, targetOfPart } from '../shared/target.js';
import type { Route, TableResource } from './route.js';

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
