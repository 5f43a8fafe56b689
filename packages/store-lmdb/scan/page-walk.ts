// One scan: which rows are visited and where it ends. In slices, so that others get the event loop.
import type { Clock } from '#base';
import type { Budget, Row, ScanEnd, ScanRange, Visit } from '#store';
import { encodePayload } from '../layout/row-key.js';
import type { PayloadRange } from './row-cursor.js';

/** How often to look at the clocks: after so many rows, or fewer if visitors took many bytes. */
const CHECK_ROWS = 64;
const CHECK_BYTES = 0x4000;

const TICKS_PER_MS = 10_000;

/** Rows of a range in order. As a row it is the current one in place: valid until the next call of any tree. */
export interface RowSource extends Row {
  /** Moves to the next row; false at the end. */
  next(): boolean;
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
  readonly #visit: Visit;
  readonly #clock: Clock;
  readonly #start: bigint;
  #counted = 0;
  #bytes = 0;
  #examined = 0;
  #isSpent = false;
  #costUntilCheck = CHECK_ROWS;

  constructor(cursor: RowSource, budget: Budget, visit: Visit, clock: Clock) {
    this.#cursor = cursor;
    this.#budget = budget;
    this.#visit = visit;
    this.#clock = clock;
    this.#start = clock();
  }

  /** Goes on until `sliceEnd` by `performance.now`, or a little longer; gives the end if that reaches it. */
  walk(sliceEnd: number): ScanEnd | undefined {
    const cursor = this.#cursor;
    const budget = this.#budget;
    while (cursor.next()) {
      if (this.#isSpent) {
        return { next: { partition: cursor.partition, key: cursor.key }, examined: this.#examined };
      }
      this.#examined += 1;
      this.#costUntilCheck -= 1;
      if (this.#visit(cursor)) this.#count(cursor.value.length);
      this.#isSpent =
        this.#examined >= budget.examined || this.#counted >= budget.rows || this.#bytes >= budget.bytes;
      if (this.#costUntilCheck <= 0 && this.#isSliceOver(sliceEnd)) return undefined;
    }
    return { next: undefined, examined: this.#examined };
  }

  #count(bytes: number): void {
    this.#counted += 1;
    this.#bytes += bytes;
    this.#costUntilCheck -= Math.floor(bytes / CHECK_BYTES);
  }

  #isSliceOver(sliceEnd: number): boolean {
    this.#costUntilCheck = CHECK_ROWS;
    const elapsed = Number(this.#clock() - this.#start);
    if (elapsed >= this.#budget.milliseconds * TICKS_PER_MS) this.#isSpent = true;
    return performance.now() >= sliceEnd;
  }
}
