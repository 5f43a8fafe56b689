// One scan: which rows are visited and where it ends. Runs in slices, so that other work gets the event loop; all scans
// together get a fixed share of it.
import type { Clock } from '#base';
import { type Budget, type RowInPlace, type ScanEnd, STEPS_OF_ROW, type Visit } from '#store';

/**
 * How often to look at the clocks: after this many rows, or fewer if visitors took many bytes or did much work of their
 * own.
 */
const CHECK_STEPS = 64 * STEPS_OF_ROW;
/** V8 inlines a constant of this module into the code, and reads an imported one at each use. */
const ROW_STEPS = STEPS_OF_ROW;
/** Taking this many bytes costs as much as a row. */
const BYTES_OF_ROW = 0x4000;

const TICKS_PER_MS = 10_000;

/** Rows of a range in order. */
export interface RowSource {
  /**
   * Moves to the next row; false at the end. `isReadWhole`: the visitor is about to read all bytes of the next rows.
   */
  next(isReadWhole?: boolean): boolean;
  /** The one that `next` moved to, in place: valid until the next call of any tree. */
  readonly row: RowInPlace;
  close(): void;
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
  #stepsUntilCheck = CHECK_STEPS;
  /** The visitor's steps that were counted. */
  #effortCounted: number;

  constructor(cursor: RowSource, budget: Budget, visit: Visit, clock: Clock) {
    this.#cursor = cursor;
    this.#budget = budget;
    this.#visit = visit;
    this.#clock = clock;
    this.#start = clock();
    this.#effortCounted = budget.effort?.steps ?? 0;
  }

  /** Continues until `sliceEnd` by `performance.now`, or a little longer; returns the end if it is reached. */
  walk(sliceEnd: number): ScanEnd | undefined {
    const cursor = this.#cursor;
    const budget = this.#budget;
    const { effort, isReadWhole = false } = budget;
    // A visitor that takes one row mostly takes the next one too.
    let isTaking = false;
    while (cursor.next(isReadWhole && isTaking && !this.#isSpent)) {
      if (this.#isSpent) {
        const { partition, key } = cursor.row;
        return { next: { partition, key }, examined: this.#examined };
      }
      this.#examined += 1;
      this.#stepsUntilCheck -= ROW_STEPS;
      const { row } = cursor;
      isTaking = this.#visit(row);
      if (isTaking) this.#count(row.until - row.from);
      if (effort !== undefined) this.#countSteps(effort.steps);
      this.#isSpent =
        this.#examined >= budget.examined || this.#counted >= budget.rows || this.#bytes >= budget.bytes;
      if (this.#stepsUntilCheck <= 0 && this.#isSliceOver(sliceEnd)) return undefined;
    }
    return { next: undefined, examined: this.#examined };
  }

  #count(bytes: number): void {
    this.#counted += 1;
    this.#bytes += bytes;
    this.#stepsUntilCheck -= Math.floor(bytes / BYTES_OF_ROW) * STEPS_OF_ROW;
  }

  #countSteps(steps: number): void {
    this.#stepsUntilCheck -= steps - this.#effortCounted;
    this.#effortCounted = steps;
  }

  #isSliceOver(sliceEnd: number): boolean {
    this.#stepsUntilCheck = CHECK_STEPS;
    const elapsed = Number(this.#clock() - this.#start);
    if (elapsed >= this.#budget.milliseconds * TICKS_PER_MS) this.#isSpent = true;
    return performance.now() >= sliceEnd;
  }
}

/**
 * Divides the event loop: long works that run in slices together get a fixed share of each turn, and wait for one
 * another in the order of arrival.
 */
export class CooperativeScheduler {
  readonly #millisecondsMax: number;
  #milliseconds = 0;
  #isTurnPlanned = false;
  readonly #waiting: (() => void)[] = [];
  readonly #turn = () => {
    this.#isTurnPlanned = false;
    this.#milliseconds = 0;
    this.#release();
  };

  /** Slices together end a turn at most one slice after `millisecondsMax`. */
  constructor(millisecondsMax: number) {
    this.#millisecondsMax = millisecondsMax;
  }

  /** A promise if the caller has to wait before its slice; otherwise it has to begin before it yields the thread. */
  enter(): Promise<void> | undefined {
    if (this.#milliseconds < this.#millisecondsMax && this.#waiting.length === 0) return undefined;
    return new Promise(resolve => {
      this.#waiting.push(resolve);
    });
  }

  /** Call after each slice, with the time it took. */
  leave(milliseconds: number): void {
    this.#milliseconds += milliseconds;
    if (!this.#isTurnPlanned) {
      this.#isTurnPlanned = true;
      setImmediate(this.#turn);
    }
    if (this.#milliseconds < this.#millisecondsMax) this.#release();
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next();
  }
}
