// What a scan has used of its budget, for engines that walk a page in one piece: it ends early if its visitor works long.
import type { Clock } from '#base';
import { inPlace } from './collect-rows.js';
import type { Budget, Position, Row, ScanEnd, Visit } from './store.js';

const TICKS_A_MILLISECOND = 10_000;
/** A visitor may hold the thread for this many steps of its own: about 10 ms. */
const STEPS_MAX = 500_000;

export class Spending {
  readonly #budget: Budget;
  readonly #visit: Visit;
  readonly #clock: Clock;
  readonly #start: bigint;
  readonly #stepsMax: number;
  #examined = 0;
  #counted = 0;
  #bytes = 0;

  constructor(budget: Budget, visit: Visit, clock: Clock) {
    this.#budget = budget;
    this.#visit = visit;
    this.#clock = clock;
    this.#start = clock();
    this.#stepsMax = (budget.effort?.steps ?? 0) + STEPS_MAX;
  }

  visit(row: Row): void {
    this.#examined += 1;
    if (!this.#visit(inPlace(row))) return;
    this.#counted += 1;
    this.#bytes += row.value.length;
  }

  get isSpent(): boolean {
    const { rows, bytes, examined, milliseconds, effort } = this.#budget;
    return (
      this.#counted >= rows ||
      this.#bytes >= bytes ||
      this.#examined >= examined ||
      (effort?.steps ?? 0) >= this.#stepsMax ||
      Number(this.#clock() - this.#start) >= milliseconds * TICKS_A_MILLISECOND
    );
  }

  /** `next` is the first row that was not visited. */
  endAt(next?: Position): ScanEnd {
    return { next: next && { partition: next.partition, key: next.key }, examined: this.#examined };
  }
}
