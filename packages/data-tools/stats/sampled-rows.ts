// A sample of a table's rows, from places all over it, for tables that are too large to read whole. The places are
// found by cutting ranges of keys in two: rows of each place come in the order of their keys, and so do places, each
// row once.
import { compareKeys, type Key, type Row } from '../line/row.js';
import { type KeyRange, WHOLE } from '../source/key-range.js';
import type { RowSource } from '../source/row-source.js';

/** Maximum of places to read from: each costs a request. */
const PLACES_MAX = 64;
/** Fewer rows than this at a place reveal little of its partition. */
const ROWS_AT_PLACE_LEAST = 10;
/** A table with this many rows or fewer is read whole, if the sample allows as many. */
const SMALL_ROWS = 1000;

async function firstRow(source: RowSource, table: string, range: KeyRange): Promise<Row | undefined> {
  for await (const page of source.pages(table, range)) return page[0];
  return undefined;
}

/** Keys of rows, about evenly over the table: cuts the ranges between them in two, the first of those left next. */
async function placesIn(source: CutSource, table: string, count: number): Promise<readonly Key[]> {
  const first = await firstRow(source, table, WHOLE);
  if (first === undefined) return [];
  const places: Key[] = [first];
  const ranges: KeyRange[] = [{ from: first, until: undefined }];
  for (let range = ranges.shift(); range !== undefined && places.length < count; range = ranges.shift()) {
    const key = await source.split(table, range);
    if (key === undefined) continue;
    places.push(key);
    ranges.push({ from: range.from, until: key }, { from: key, until: range.until });
  }
  return places.sort(compareKeys);
}

/** Of a source that is read from its start only, such as a dump: one row in so many. */
async function thinnedRows(source: RowSource, table: string, count: number): Promise<readonly Row[]> {
  let kept: Row[] = [];
  let [seen, step] = [0, 1];
  for await (const page of source.pages(table))
    for (const row of page) {
      if (seen++ % step > 0) continue;
      kept.push(row);
      if (kept.length <= count) continue;
      kept = kept.filter((_, i) => i % 2 === 0);
      step *= 2;
    }
  return kept;
}

type CutSource = RowSource & Required<Pick<RowSource, 'split'>>;
const isCut = (source: RowSource): source is CutSource => source.split !== undefined;

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
  if (!isCut(source)) return yield* await thinnedRows(source, table, count);
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
