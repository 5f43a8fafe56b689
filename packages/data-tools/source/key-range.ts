// Ranges of keys, half-open: from a key up to but not including another. Sub-queries express a range in filters that a
// server answers by key and not by a scan: within one partition by RowKey, across partitions only by PartitionKey.
// Bounds of a filter may be lower than the range if a URL cannot contain a key; the reader skips the rows before it.
import { compareKeys, type Key } from '../line/row.js';

/** Both may be absent: then the range has no end on that side. */
export interface KeyRange {
  readonly from?: Key | undefined;
  readonly until?: Key | undefined;
}

export const WHOLE: KeyRange = {};

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A URL is UTF-8, which has no half surrogate pairs. */
export const isEncodable = (text: string): boolean => !LONE_SURROGATE.test(text);

/** The longest prefix that a URL can contain: not above the text. */
function encodableStart(text: string): string {
  const at = text.search(LONE_SURROGATE);
  return at === -1 ? text : text.slice(0, at);
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** `\0` after a key means what is above it (`after`): some servers refuse that character. */
const rowsFrom = (rowKey: string): string =>
  rowKey.endsWith('\0') && isEncodable(rowKey)
    ? `RowKey gt ${quoted(rowKey.slice(0, -1))}`
    : `RowKey ge ${quoted(encodableStart(rowKey))}`;

const within = (partition: string, row: readonly string[]): string =>
  [`PartitionKey eq ${quoted(partition)}`, ...row].join(' and ');

/** Filters whose rows, one filter after the other, are those of the range in order, plus rows before it; an empty one is all. */
export function filtersOf({ from, until }: KeyRange): readonly string[] {
  const filters: string[] = [];
  const isFromExact = from !== undefined && isEncodable(from.partitionKey);
  const isUntilExact = until !== undefined && isEncodable(until.partitionKey);
  const rowFrom = from && from.rowKey !== '' ? [rowsFrom(from.rowKey)] : [];
  const rowUntil =
    until && isEncodable(until.rowKey) && until.rowKey !== '' ? [`RowKey lt ${quoted(until.rowKey)}`] : [];
  if (from && until && isFromExact && from.partitionKey === until.partitionKey)
    return [within(from.partitionKey, [...rowFrom, ...rowUntil])];
  // The range ends with the partition in which it begins.
  if (from && until && isFromExact && until.partitionKey === `${from.partitionKey}\0` && until.rowKey === '')
    return [within(from.partitionKey, rowFrom)];
  const middle: string[] = [];
  if (from) {
    if (isFromExact && from.rowKey === '' && from.partitionKey.endsWith('\0'))
      middle.push(`PartitionKey gt ${quoted(from.partitionKey.slice(0, -1))}`);
    else if (!isFromExact) middle.push(`PartitionKey ge ${quoted(encodableStart(from.partitionKey))}`);
    else if (rowFrom.length === 0) middle.push(`PartitionKey ge ${quoted(from.partitionKey)}`);
    else {
      filters.push(within(from.partitionKey, rowFrom));
      middle.push(`PartitionKey gt ${quoted(from.partitionKey)}`);
    }
  }
  if (until && isUntilExact) middle.push(`PartitionKey lt ${quoted(until.partitionKey)}`);
  filters.push(middle.join(' and '));
  if (until && isUntilExact && until.rowKey !== '') filters.push(within(until.partitionKey, rowUntil));
  return filters;
}

export const isBefore = (key: Key, { from }: KeyRange): boolean =>
  from !== undefined && compareKeys(key, from) < 0;

export const isAfter = (key: Key, { until }: KeyRange): boolean =>
  until !== undefined && compareKeys(key, until) >= 0;

/** The least key after this one: a range that begins there continues after it. */
export const after = ({ partitionKey, rowKey }: Key): Key => ({ partitionKey, rowKey: `${rowKey}\0` });
