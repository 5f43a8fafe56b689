// Scans of a space: walks its partitions' pages within a budget. partition-pages.ts provides the pages.
import type { Clock } from '#base';
import { type Budget, inPlace, type Position, type Row, type ScanEnd, type Visit } from '#store';

const TICKS_A_MILLISECOND = 10_000;
/** A visitor may hold the thread for this many steps of its own: about 10 ms. */
const STEPS_MAX = 500_000;

/** Rows of one partition in one state, in order; `next` ends the walk early. */
export interface RowsInOrder {
  readonly rows: readonly Row[];
  /** Where the walk continues behind them. */
  readonly reached?: Position | undefined;
  readonly next?: Position | undefined;
}

class Spending {
  readonly #budget: Budget;
  readonly #clock: Clock;
  readonly #start: bigint;
  readonly #stepsMax: number;
  examined = 0;
  #counted = 0;
  #bytes = 0;

  constructor(budget: Budget, clock: Clock) {
    this.#budget = budget;
    this.#clock = clock;
    this.#start = clock();
    this.#stepsMax = (budget.effort?.steps ?? 0) + STEPS_MAX;
  }

  count(row: Row, isTaken: boolean): void {
    this.examined += 1;
    if (!isTaken) return;
    this.#counted += 1;
    this.#bytes += row.value.length;
  }

  get isSpent(): boolean {
    const { rows, bytes, examined, milliseconds, effort } = this.#budget;
    return (
      this.#counted >= rows ||
      this.#bytes >= bytes ||
      this.examined >= examined ||
      (effort?.steps ?? 0) >= this.#stepsMax ||
      Number(this.#clock() - this.#start) >= milliseconds * TICKS_A_MILLISECOND
    );
  }
}

export async function walk(
  pages: AsyncIterable<RowsInOrder>,
  budget: Budget,
  visit: Visit,
  clock: Clock,
): Promise<ScanEnd> {
  const spending = new Spending(budget, clock);
  let isSpent = false;
  for await (const { rows, reached, next } of pages) {
    for (const row of rows) {
      if (isSpent) return { next: { partition: row.partition, key: row.key }, examined: spending.examined };
      spending.count(row, visit(inPlace(row)));
      isSpent = spending.isSpent;
    }
    if (next !== undefined) return { next, examined: spending.examined };
    // Many pages may be without rows.
    if (rows.length === 0 && reached !== undefined && spending.isSpent)
      return { next: reached, examined: spending.examined };
  }
  return { next: undefined, examined: spending.examined };
}
