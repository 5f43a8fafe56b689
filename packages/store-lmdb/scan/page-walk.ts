// One page of a scan: which rows are examined, which are shown or kept, where it ends. In slices, so that others get the event loop.
import type { Clock } from '#base';
import type { Accept, Budget, Page, Row, ScanRange, Show } from '#store';
import { encodePayload } from '../layout/row-key.js';
import type { PayloadRange } from './row-cursor.js';

/** How often to look at the clocks: after so many rows, or fewer if many bytes were copied. */
const CHECK_ROWS = 64;
const CHECK_BYTES = 0x4000;

const TICKS_PER_MS = 10_000;

/** Rows of a range in order. As a row it is the current one in place: valid until the next call of any tree. */
export interface RowSource extends Row {
  /** Moves to the next row; false at the end. */
  next(): boolean;
  /** The current row as a copy, which is the caller's to keep. */
  copy(): Row;
  close(): void;
}

export function payloadRange({ from, until }: ScanRange): PayloadRange {
  return {
    from: encodePayload(from.partition, from.key),
    until: until && encodePayload(until.partition, until.key),
  };
}

export class PageWalk {
  readonly #cursor: RowSource;
  readonly #budget: Budget;
  readonly #accept: Accept;
  readonly #show: Show | undefined;
  readonly #clock: Clock;
  readonly #start: bigint;
  readonly #rows: Row[] = [];
  #taken = 0;
  #bytes = 0;
  #examined = 0;
  #isSpent = false;
  #costUntilCheck = CHECK_ROWS;

  constructor(cursor: RowSource, budget: Budget, accept: Accept, show: Show | undefined, clock: Clock) {
    this.#cursor = cursor;
    this.#budget = budget;
    this.#accept = accept;
    this.#show = show;
    this.#clock = clock;
    this.#start = clock();
  }

  /** Goes on until `sliceEnd` by `performance.now`, or a little longer; gives the page if that ends it. */
  walk(sliceEnd: number): Page | undefined {
    const cursor = this.#cursor;
    const budget = this.#budget;
    while (cursor.next()) {
      if (this.#isSpent) {
        const next = { partition: cursor.partition, key: cursor.key };
        return { rows: this.#rows, next, examined: this.#examined };
      }
      this.#examined += 1;
      this.#costUntilCheck -= 1;
      if (this.#accept(cursor)) this.#take(cursor);
      this.#isSpent =
        this.#examined >= budget.examined || this.#taken >= budget.rows || this.#bytes >= budget.bytes;
      if (this.#costUntilCheck <= 0 && this.#isSliceOver(sliceEnd)) return undefined;
    }
    return { rows: this.#rows, examined: this.#examined };
  }

  #take(cursor: RowSource): void {
    const row = this.#show === undefined ? cursor.copy() : cursor;
    if (this.#show === undefined) this.#rows.push(row);
    else this.#show(row);
    const { length } = row.value;
    this.#taken += 1;
    this.#bytes += length;
    this.#costUntilCheck -= Math.floor(length / CHECK_BYTES);
  }

  #isSliceOver(sliceEnd: number): boolean {
    this.#costUntilCheck = CHECK_ROWS;
    const elapsed = Number(this.#clock() - this.#start);
    if (elapsed >= this.#budget.milliseconds * TICKS_PER_MS) this.#isSpent = true;
    return performance.now() >= sliceEnd;
  }
}
