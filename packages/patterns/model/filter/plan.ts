// The plan of a query: the requests that it would send, and what they cost the service. Sends nothing.
import type { Point } from '../keys/key-range.js';
import { type Classification, classify, filterWarnings, type QueryClass } from './classify.js';
import { type Condition, isTrue } from './condition.js';
import { formatFilter, quoted } from './format-filter.js';
import { givenKeys } from './given-keys.js';

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
