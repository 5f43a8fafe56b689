// The plan of a query: the requests that it would send, what they cost the service, and whether the program admits that. Sends nothing.
import { PatternError } from '../../values/pattern-error.js';
import type { Point } from '../keys/compiled-key.js';
import { type Classification, classify, filterWarnings, type QueryClass } from './classify.js';
import { COMPARISONS, type Condition, isTrue, type Operand, ordered, residual } from './condition.js';
import { formatFilter, quoted } from './format-filter.js';

/** What a query would send, and what it costs the service. */
export interface Plan extends Classification {
  readonly table: string;
  /** The text of `$filter`; none if every row is asked for. */
  readonly filter: string | undefined;
  /** The names of `$select`; none if whole rows are asked for. */
  readonly select: readonly string[] | undefined;
  /** The first request, or that for each row of `points`, readable rather than escaped. */
  readonly requests: readonly string[];
}

/** A query as the service sees it. */
export interface RowQuery {
  readonly table: string;
  readonly condition: Condition;
  readonly select: readonly string[] | undefined;
  readonly classification: Classification;
  readonly filter: string | undefined;
}

export function rowQuery(
  table: string,
  condition: Condition,
  select: readonly string[] | undefined,
): RowQuery {
  const filter = isTrue(condition) ? undefined : formatFilter(condition);
  return { table, condition, select, filter, classification: classify(condition) };
}

/** The text of a key or a literal; undefined if the keys do not determine it. */
function textOf(operand: Operand, { partitionKey, rowKey }: Point): string | undefined {
  if (operand.kind === 'value')
    return operand.typed.type === 'String' ? String(operand.typed.value) : undefined;
  if (operand.name === 'PartitionKey') return partitionKey;
  return operand.name === 'RowKey' ? rowKey : undefined;
}

/** The condition without its comparisons of keys with texts, which the keys of a row decide. */
export const givenKeys = (condition: Condition, point: Point): Condition =>
  residual(condition, leaf => {
    if (leaf.kind !== 'compare') return undefined;
    const [left, right] = [textOf(leaf.left, point), textOf(leaf.right, point)];
    return left === undefined || right === undefined
      ? undefined
      : COMPARISONS[leaf.operator].holds(ordered(left, right));
  });

/** One row's part of a query: undefined if the row cannot match, `rest` if its keys alone do not say that it does. */
export interface PointQuery extends Point {
  readonly rest: Condition | undefined;
}

export function pointQuery({ condition, classification }: RowQuery, point: Point): PointQuery | undefined {
  if (!classification.isFiltered) return { ...point, rest: undefined };
  const left = givenKeys(condition, point);
  if (left.kind === 'value') return isTrue(left) ? { ...point, rest: undefined } : undefined;
  return { ...point, rest: left };
}

function queryRequest(table: string, filter: string | undefined, select: RowQuery['select']): string {
  const options = [
    ...(filter === undefined ? [] : [`$filter=${filter}`]),
    ...(select === undefined ? [] : [`$select=${select.join(',')}`]),
  ];
  return `GET ${table}()${options.length === 0 ? '' : `?${options.join('&')}`}`;
}

/** The `$filter` of one row whose other properties are compared. */
export const pointFilter = ({ partitionKey, rowKey, rest }: PointQuery): string =>
  [
    `PartitionKey eq ${quoted(partitionKey)} and RowKey eq ${quoted(rowKey)}`,
    ...(rest === undefined ? [] : [`(${formatFilter(rest)})`]),
  ].join(' and ');

function pointRequest({ table, select }: RowQuery, point: PointQuery): string {
  if (point.rest !== undefined) return queryRequest(table, pointFilter(point), select);
  const address = `PartitionKey=${quoted(point.partitionKey)},RowKey=${quoted(point.rowKey)}`;
  return `GET ${table}(${address})${select === undefined ? '' : `?$select=${select.join(',')}`}`;
}

/** Whether rows are asked for one by one. */
export const isByPoints = (queryClass: QueryClass): boolean =>
  queryClass === 'point' || queryClass === 'points';

export function planOf(query: RowQuery): Plan {
  const { table, filter, select, classification } = query;
  const requests =
    classification.class === 'none'
      ? []
      : isByPoints(classification.class)
        ? classification.points.flatMap(point => {
            const each = pointQuery(query, point);
            return each === undefined ? [] : [pointRequest(query, each)];
          })
        : [queryRequest(table, filter, select)];
  // Rows are read one by one, so the warnings about `or` and about many comparisons do not apply.
  const warnings = isByPoints(classification.class)
    ? filterWarnings(query.condition)
    : classification.warnings;
  return { ...classification, warnings, table, filter, select, requests };
}

/** Which queries a program sends: reported ones and refused ones. */
export interface Admission {
  /** Called for each query that scans a partition, a range of it or a table, before it is sent. */
  readonly warn?: ((plan: Plan, reason: string | undefined) => void) | undefined;
  /** Classes that throw ScanRefused, also where they are allowed by name. */
  readonly refuse?: readonly QueryClass[] | undefined;
}

function refuseScan({ filter = '' }: RowQuery, reason: string): never {
  throw new PatternError('ScanRefused', { filter, reason });
}

/** Throws ScanRefused. */
export function admit(query: RowQuery, { warn, refuse }: Admission, reason: string | undefined): void {
  const { class: queryClass } = query.classification;
  if (refuse?.includes(queryClass)) refuseScan(query, `queries of the class ${queryClass} are refused here`);
  if (queryClass === 'table-scan' && reason === undefined)
    refuseScan(query, 'it reads many partitions: allowScan(reason)');
  if (queryClass === 'table-scan' || queryClass === 'partition-scan') warn?.(planOf(query), reason);
}

/** The reason, if it is one. Throws ScanRefused. */
export const checkReason = (query: RowQuery, reason: string): string =>
  reason.trim() === '' ? refuseScan(query, 'the reason for it is empty') : reason;
