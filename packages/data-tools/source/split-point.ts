// Where a key range can be cut in two, found by probing with `$top=1`: keys have no statistics, but a server answers at
// once which row is the first at or above any text. First the probes find the first character in which the remaining
// keys differ from the one reached, then, by halving from above, a value of that character with rows after it: some
// five to seven probes. One large partition is cut by RowKey in the same way.
import { compareText, type Key, type Row } from '../line/row.js';
import { filtersOf, type KeyRange } from './key-range.js';
import type { TableRows } from './table-rows.js';

const FIRST_PRINTABLE = 0x20;
const LAST_ASCII = 0x7f;
const SURROGATES = 0xd800;
const UNIT_MAX = 0xffff;

/** The first row at or above a text. */
type Probe = (from: string) => Promise<Row | undefined>;

/** The least text above all with this prefix; undefined if a URL can express none. */
function above(start: string): string | undefined {
  const unit = start.charCodeAt(start.length - 1) + 1;
  return unit > UNIT_MAX || unit === SURROGATES ? undefined : start.slice(0, -1) + String.fromCharCode(unit);
}

/** The length of the prefix of the text above which there are rows: its last character is the first in which keys above differ. */
async function firstDifference(low: string, probe: Probe): Promise<number> {
  let [none, some] = [0, low.length + 1];
  while (some - none > 1) {
    const length = Math.floor((none + some) / 2);
    const from = above(low.slice(0, length));
    if (from !== undefined && (await probe(from)) !== undefined) some = length;
    else none = length;
  }
  return some;
}

/** A row above the text with about half of the rows above it after itself; undefined if there is none. */
async function rowInMiddle(low: string, probe: Probe): Promise<Row | undefined> {
  const length = await firstDifference(low, probe);
  const start = low.slice(0, length - 1);
  const from = length > low.length ? FIRST_PRINTABLE : low.charCodeAt(length - 1) + 1;
  const top = from < LAST_ASCII ? await probe(start + String.fromCharCode(LAST_ASCII)) : undefined;
  const first = top === undefined ? from : LAST_ASCII;
  let until = top === undefined && from < LAST_ASCII ? LAST_ASCII : SURROGATES;
  while (until - first > 1) {
    const middle = Math.floor((first + until) / 2);
    const row = await probe(start + String.fromCharCode(middle));
    if (row !== undefined) return row;
    until = middle;
  }
  return top ?? probe(start + String.fromCharCode(first));
}

/** A key of a row after `from` at which the range can be cut; undefined if none is found. */
export async function splitPoint(
  rows: TableRows,
  table: string,
  { from, until }: KeyRange,
): Promise<Key | undefined> {
  const { partitionKey: low, rowKey: lowRow } = from ?? { partitionKey: '', rowKey: '' };
  const first = (range: KeyRange): Promise<Row | undefined> => firstRow(rows, table, range);
  if (until?.partitionKey !== low) {
    const next = await first({ from: { partitionKey: `${low}\0`, rowKey: '' }, until });
    const probe: Probe = partitionKey => first({ from: { partitionKey, rowKey: '' }, until });
    const row = next && ((await rowInMiddle(low, probe)) ?? next);
    if (row !== undefined && compareText(row.partitionKey, low) > 0)
      return { partitionKey: row.partitionKey, rowKey: '' };
  }
  const end = until?.partitionKey === low ? until : { partitionKey: `${low}\0`, rowKey: '' };
  const row = await rowInMiddle(lowRow, rowKey => first({ from: { partitionKey: low, rowKey }, until: end }));
  return row !== undefined && row.partitionKey === low && compareText(row.rowKey, lowRow) > 0
    ? { partitionKey: low, rowKey: row.rowKey }
    : undefined;
}

async function firstRow(rows: TableRows, table: string, range: KeyRange): Promise<Row | undefined> {
  for (const filter of filtersOf(range)) {
    let next: Readonly<Record<string, string>> | undefined;
    do {
      // Its keys: a row may have 1 MiB.
      const page = await rows.page({ table, range: filter, select: [], top: 1, next });
      const [row] = page.rows;
      if (row !== undefined) return row;
      next = page.next;
    } while (next !== undefined);
  }
  return undefined;
}
