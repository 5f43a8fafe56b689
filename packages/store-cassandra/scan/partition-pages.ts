// The rows of a range, page after page, in the order of the partitions; those of the partitions that come next are asked for ahead. What is shown of one partition is
// one state of it: a page is read in one, and if the fence has moved since its first page the walk ends there.
import type { ScanRange } from '#store';
import { Partition, type RangeRows } from '../commit/partition.js';
import type { Session } from '../session/session.js';
import { partitionsFrom } from './directory.js';
import type { RowsInOrder } from './scan.js';

const AHEAD_MAX = 64;
/** A page is meant to have so many bytes, and so many rows until it is known how large they are. */
const PAGE_BYTES = 2 * 1024 * 1024;
const FIRST_ROWS = 100;
const ROWS_MIN = 10;
const ROWS_MAX = 1000;
/** The weight of what was known. */
const MEMORY = 0.75;

/** What the rows of a space have in bytes, as far as this process has seen. */
export class RowSizes {
  readonly #means = new Map<bigint, number>();

  note(sid: bigint, { rows }: RangeRows): void {
    if (rows.length === 0) return;
    const mean = rows.reduce((sum, { value }) => sum + value.length, 0) / rows.length;
    const known = this.#means.get(sid);
    this.#means.set(sid, known === undefined ? mean : known * MEMORY + mean * (1 - MEMORY));
  }

  rowsOfPage(sid: bigint, wanted: number): number {
    const mean = this.#means.get(sid);
    const fitting = mean === undefined ? FIRST_ROWS : Math.floor(PAGE_BYTES / (mean + 1));
    return Math.min(wanted, ROWS_MAX, Math.max(ROWS_MIN, fitting));
  }
}

export interface Pages {
  readonly session: Session;
  readonly sid: bigint;
  readonly range: ScanRange;
  /** Rows that the scan may need. */
  readonly wanted: number;
  readonly sizes: RowSizes;
}

interface Begun {
  readonly partition: Partition;
  readonly name: string;
  readonly until: string | undefined;
  readonly first: Promise<RangeRows>;
}

/** The first key after a key. */
const after = (key: string): string => `${key}\u0000`;

/** The only partition that the range has rows of, if there is only one. */
function onlyPartition({ from, until }: ScanRange): string | undefined {
  if (until === undefined) return undefined;
  const isOne =
    until.partition === from.partition || (until.key === '' && until.partition === after(from.partition));
  return isOne ? from.partition : undefined;
}

async function* namesOf({ session, sid, range }: Pages): AsyncGenerator<string> {
  const only = onlyPartition(range);
  if (only !== undefined) {
    yield only;
    return;
  }
  for await (const name of partitionsFrom(session, sid, range.from.partition)) {
    const { until } = range;
    if (until !== undefined && (name > until.partition || (name === until.partition && until.key === '')))
      return;
    yield name;
  }
}

function begin({ session, sid, range, wanted, sizes }: Pages, name: string): Begun {
  const partition = new Partition(session, sid, name);
  const from = name === range.from.partition ? range.from.key : '';
  const until = name === range.until?.partition ? range.until.key : undefined;
  const first = partition.readRange(from, until, sizes.rowsOfPage(sid, wanted));
  // Whoever ends the walk does not wait for it.
  first.catch(() => undefined);
  return { partition, name, until, first };
}

async function* pagesOf(
  { sid, wanted, sizes }: Pages,
  { partition, name, until, first }: Begun,
): AsyncGenerator<RowsInOrder> {
  let page = await first;
  const { fence } = page;
  let last = '';
  for (;;) {
    sizes.note(sid, page);
    yield { rows: page.rows };
    if (page.state === undefined) return;
    last = page.rows.at(-1)?.key ?? last;
    page = await partition.readRange(after(last), until, sizes.rowsOfPage(sid, wanted));
    const now = page.rows.length > 0 ? page.fence : (await partition.readKeys([])).fence;
    if (now === fence) continue;
    yield { rows: [], next: { partition: name, key: after(last) } };
    return;
  }
}

export async function* pagesInOrder(pages: Pages): AsyncGenerator<RowsInOrder> {
  const names = namesOf(pages);
  const ahead: Begun[] = [];
  let isOver = false;
  for (let window = 1; ; window = Math.min(AHEAD_MAX, 2 * window)) {
    while (!isOver && ahead.length < window) {
      const name = await names.next();
      if (name.done) isOver = true;
      else ahead.push(begin(pages, name.value));
    }
    const next = ahead.shift();
    if (next === undefined) return;
    yield* pagesOf(pages, next);
  }
}
