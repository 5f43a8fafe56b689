// A sample of a table's rows, from places all over it, for tables that are too large to read whole. The places are
// found by halving the space of keys between the first row and the last: rows of each place come in the order of their
// keys, and so do places, each row once.
import { compareKeys, type Key, type Row } from '../line/row.js';
import { type KeyRange, WHOLE } from '../source/key-range.js';
import type { RowSource } from '../source/row-source.js';

/** Maximum of places to read from: each costs a request. */
const PLACES_MAX = 64;
/** Fewer rows than this at a place reveal little of its partition. */
const ROWS_AT_PLACE_LEAST = 10;
/** Requests per place found: where keys are close together most halves are empty. */
const PROBES_A_PLACE = 4;
/** A table with this many rows or fewer is read whole, if the sample allows as many. */
const SMALL_ROWS = 1000;
/** After this many empty halves the partition may be the last of its span, which is then queried. A character has seven halves. */
const EMPTY_MAX = 8;
/** Text units of keys that are halved: beyond these keys hardly differ. */
const UNITS = 32;

async function firstRow(source: RowSource, table: string, range: KeyRange): Promise<Row | undefined> {
  for await (const page of source.pages(table, range)) return page[0];
  return undefined;
}

/** A text about halfway between two, in UTF-16 order; of plain letters if there is room. */
function between(from: string, until: string | undefined): string {
  let start = '';
  for (let i = 0; i < UNITS; i++) {
    const low = i < from.length ? from.charCodeAt(i) : 0;
    const high = until !== undefined && i < until.length ? until.charCodeAt(i) : LAST_UNIT;
    if (high - low > 1) return start + String.fromCharCode(low + Math.floor((high - low) / 2));
    start += String.fromCharCode(low);
    if (high > low) until = undefined;
  }
  return start;
}

/** Beyond `~` keys are rare. */
const LAST_UNIT = 0x7f;

interface Span {
  /** A row is at this key. */
  readonly from: Key;
  readonly until: Key | undefined;
  /** How many times the half above was empty. */
  readonly empty: number;
}

/** Keys of rows, about evenly over the key space: halves it and continues in the halves that have rows. */
async function placesIn(source: RowSource, table: string, count: number): Promise<readonly Key[]> {
  const first = await firstRow(source, table, WHOLE);
  if (first === undefined) return [];
  const places: Key[] = [first];
  let probes = count * PROBES_A_PLACE;
  // The first of these is halved next, and its halves go to the end.
  const spans: Span[] = [{ from: first, until: undefined, empty: 0 }];
  for (let span = spans.shift(); span !== undefined; span = spans.shift()) {
    const middle = middleOf(span);
    if (middle === undefined) continue;
    if (places.length >= count || probes-- === 0) break;
    const { from, until, empty } = span;
    const found = await firstRow(source, table, { from: middle, until });
    if (found === undefined) {
      spans.push({ from, until: middle, empty: empty + 1 });
      continue;
    }
    places.push(found);
    spans.push({ from, until: middle, empty: 0 }, { from: found, until, empty: 0 });
  }
  return places.sort(compareKeys);
}

/** A key between two; undefined if none can be found. */
function middleOf({ from, until, empty }: Span): Key | undefined {
  if (until === undefined || until.partitionKey > from.partitionKey) {
    const nextPartition = `${from.partitionKey}\0`;
    const partitionKey =
      empty === EMPTY_MAX ? nextPartition : between(from.partitionKey, until?.partitionKey);
    if (partitionKey > from.partitionKey && (until === undefined || partitionKey < until.partitionKey))
      return { partitionKey, rowKey: '' };
  }
  const end = until?.partitionKey === from.partitionKey ? until.rowKey : undefined;
  const rowKey = between(from.rowKey, end);
  const isInside = rowKey > from.rowKey && (end === undefined || rowKey < end);
  return isInside ? { partitionKey: from.partitionKey, rowKey } : undefined;
}

/** All rows of a table that has no more than these; undefined for a larger one. */
async function allOfFew(source: RowSource, table: string, most: number): Promise<readonly Row[] | undefined> {
  const rows: Row[] = [];
  for await (const page of source.pages(table)) {
    rows.push(...page);
    if (rows.length > most) return undefined;
  }
  return rows;
}

/** At most `count` rows, from places all over the table; all rows of a small table. */
export async function* sampledRows(
  source: RowSource,
  table: string,
  count: number,
): AsyncGenerator<Row, void> {
  const few = await allOfFew(source, table, Math.min(count, SMALL_ROWS));
  if (few !== undefined) return yield* few;
  const wanted = Math.max(1, Math.floor(count / ROWS_AT_PLACE_LEAST));
  const places = await placesIn(source, table, Math.min(PLACES_MAX, wanted));
  let left = count;
  for (const [i, from] of places.entries()) {
    const due = Math.ceil(left / (places.length - i));
    const rows = firstRows(source, table, { from, until: places[i + 1] }, due);
    for await (const row of rows) {
      yield row;
      left--;
    }
  }
}

async function* firstRows(
  source: RowSource,
  table: string,
  range: KeyRange,
  count: number,
): AsyncGenerator<Row, void> {
  let left = count;
  for await (const page of source.pages(table, range))
    for (const row of page) {
      if (left-- === 0) return;
      yield row;
    }
}
