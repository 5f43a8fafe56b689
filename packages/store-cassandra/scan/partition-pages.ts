// The rows of a range, page after page, in the order of the partitions, with the next partitions read ahead. All
// visited rows of one partition are from one state: a page is read in one, and if the fence has moved since its first
// page the walk ends there.
import type { Position, ScanRange } from '#store';
import { after } from '../commit/dead-rows.js';
import type { Fence } from '../commit/fences.js';
import { Partition, type PartitionHost, type RangeRows } from '../commit/partition.js';
import { partitionsFrom } from './directory.js';
import type { RowsInOrder } from './scan.js';

/**
 * Partitions whose first pages are loading or wait for their turn: loaded ones wait for earlier ones, so fewer are
 * loading.
 */
const AHEAD_MAX = 128;
/** Bytes of these pages together. */
const AHEAD_BYTES = 64 * 1024 * 1024;
/** The target size of a page, and its number of rows until their size is known. */
const PAGE_BYTES = 2 * 1024 * 1024;
const FIRST_ROWS = 100;
const ROWS_MIN = 10;
/**
 * This many bytes cost a page next to nothing: a caller that wants a row or two may have to skip some, as a get skips
 * messages that others are about to take.
 */
const LEAST_BYTES = 8 * 1024;
const LEAST_ROWS = 16;
/** A page of a table's entities has 1,000 rows, and one more is looked at. */
const ROWS_MAX = 1001;
/** Growth of the request after a page with only dead rows. */
const GROWTH = 4;
/** The weight of earlier observations. */
const MEMORY = 0.75;

/** The average bytes of a space's rows and rows of its partitions, as far as this process has seen. */
export class RowSizes {
  readonly #means = new Map<bigint, number>();
  readonly #counts = new Map<bigint, number>();

  note(sid: bigint, { rows }: RangeRows): void {
    if (rows.length === 0) return;
    learn(this.#means, sid, rows.reduce((sum, { value }) => sum + value.length, 0) / rows.length);
  }

  /** For a partition that was walked from beginning to end. */
  notePartition(sid: bigint, rows: number): void {
    learn(this.#counts, sid, rows);
  }

  /** How many partitions have this many rows together; undefined where none is known. */
  partitionsOf(sid: bigint, rows: number): number | undefined {
    const mean = this.#counts.get(sid);
    return mean === undefined ? undefined : Math.ceil(rows / Math.max(1, mean));
  }

  /** How many partitions may be read ahead. */
  aheadMax(sid: bigint): number {
    const [mean, count] = [this.#means.get(sid), this.#counts.get(sid)];
    const bytes = mean === undefined || count === undefined ? PAGE_BYTES : Math.min(PAGE_BYTES, mean * count);
    return Math.min(AHEAD_MAX, Math.floor(AHEAD_BYTES / Math.max(1, bytes)));
  }

  /** `wanted` is larger where dead rows were met: those have no bytes. */
  rowsOfPage(sid: bigint, wanted: number): number {
    const mean = this.#means.get(sid);
    const fitting = mean === undefined ? FIRST_ROWS : Math.floor(PAGE_BYTES / (mean + 1));
    const least = mean === undefined ? 0 : Math.min(LEAST_ROWS, Math.floor(LEAST_BYTES / (mean + 1)));
    return Math.min(Math.max(wanted, least), ROWS_MAX, Math.max(ROWS_MIN, fitting));
  }
}

function learn(known: Map<bigint, number>, sid: bigint, seen: number): void {
  const before = known.get(sid);
  known.set(sid, before === undefined ? seen : before * MEMORY + seen * (1 - MEMORY));
}

export interface Pages {
  readonly host: PartitionHost;
  readonly sid: bigint;
  readonly range: ScanRange;
  /** Rows that the scan may need. */
  readonly wanted: number;
  readonly sizes: RowSizes;
}

interface Begun {
  readonly partition: Partition;
  readonly name: string;
  readonly from: string;
  readonly until: string | undefined;
  readonly first: Promise<RangeRows>;
}

/** The only partition in the range, if there is only one. */
function onlyPartition({ from, until }: ScanRange): string | undefined {
  if (until === undefined) return undefined;
  const isOne =
    until.partition === from.partition || (until.key === '' && until.partition === after(from.partition));
  return isOne ? from.partition : undefined;
}

async function* namesOf({ host, sid, range, wanted, sizes }: Pages): AsyncGenerator<string> {
  const only = onlyPartition(range);
  if (only !== undefined) {
    yield only;
    return;
  }
  const most = sizes.partitionsOf(sid, wanted) ?? wanted;
  for await (const name of partitionsFrom(host.session, sid, range.from.partition, most)) {
    const { until } = range;
    if (until !== undefined && (name > until.partition || (name === until.partition && until.key === '')))
      return;
    yield name;
  }
}

function begin({ host, sid, range, wanted, sizes }: Pages, name: string): Begun {
  const partition = new Partition(host, sid, name);
  const from = name === range.from.partition ? range.from.key : '';
  const until = name === range.until?.partition ? range.until.key : undefined;
  const first = partition.readRange(from, until, sizes.rowsOfPage(sid, wanted));
  // The end of the walk does not wait for it.
  first.catch(() => undefined);
  return { partition, name, from, until, first };
}

interface State {
  readonly page: RangeRows;
  /** Nothing has changed since the page was read if it has this fence. */
  readonly fence: Fence;
}

/** A page without rows has no fence: it is read again, with the fence. */
async function firstState({ partition, from, until, first }: Begun, size: number): Promise<State> {
  const page = await first;
  if (page.fence !== undefined || page.next === undefined) return { page, fence: page.fence };
  const { fence } = await partition.readKeys([]);
  const again = await partition.readRange(from, until, size);
  return { page: again, fence: again.fence ?? fence };
}

/** Where the range continues behind a partition; undefined if it ends there. */
function behind(name: string, { until }: ScanRange): Position | undefined {
  const position = { partition: after(name), key: '' };
  if (until === undefined || until.partition > position.partition) return position;
  return until.partition === position.partition && until.key !== '' ? position : undefined;
}

/** While one page is walked the next is loading, if the scan may need it. */
async function* pagesOf({ sid, range, wanted, sizes }: Pages, begun: Begun): AsyncGenerator<RowsInOrder> {
  const { partition, name, from, until } = begun;
  let seen = 0;
  let left = wanted;
  let asked = wanted;
  const state = await firstState(begun, sizes.rowsOfPage(sid, asked));
  let { page } = state;
  for (;;) {
    sizes.note(sid, page);
    const { next, rows } = page;
    left -= rows.length;
    seen += rows.length;
    if (next === undefined && from === '' && until === undefined) sizes.notePartition(sid, seen);
    // With none left, the caller did not take all rows that it saw.
    asked = rows.length === 0 ? Math.max(FIRST_ROWS, asked * GROWTH) : left > 0 ? left : wanted;
    const read = (from: string) => partition.readRange(from, until, sizes.rowsOfPage(sid, asked));
    const coming = next !== undefined && left > 0 ? read(next) : undefined;
    // The end of the walk does not wait for it.
    coming?.catch(() => undefined);
    yield { rows, reached: next === undefined ? behind(name, range) : { partition: name, key: next } };
    if (next === undefined) return;
    page = await (coming ?? read(next));
    const now = page.fence ?? (await partition.readKeys([])).fence;
    if (now === state.fence) continue;
    yield { rows: [], next: { partition: name, key: next } };
    return;
  }
}

export async function* pagesInOrder(pages: Pages): AsyncGenerator<RowsInOrder> {
  const names = namesOf(pages);
  const { sid, wanted, sizes } = pages;
  const ahead: Begun[] = [];
  let isOver = false;
  let left = wanted;
  for (let window = 1; ; window *= 2) {
    // As many as have the rows that may still be needed; where that is unknown, few at first. With none left, the
    // caller did not take all rows that it saw.
    const most = sizes.aheadMax(sid);
    const enough = left > 0 ? Math.max(1, sizes.partitionsOf(sid, left) ?? window) : most;
    while (!isOver && ahead.length < Math.min(most, enough)) {
      const name = await names.next();
      if (name.done) isOver = true;
      else ahead.push(begin(pages, name.value));
    }
    const next = ahead.shift();
    if (next === undefined) return;
    for await (const page of pagesOf(pages, next)) {
      left -= page.rows.length;
      yield page;
    }
  }
}
