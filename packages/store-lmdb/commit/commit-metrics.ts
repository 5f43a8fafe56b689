// Counts what the commit queue does: how many groups, how large, and how long they take. Nothing is made for a commit but
// the counts; asking for them is the store's matter.
import { Histogram, type HistogramCounts, SECONDS_BOUNDS } from '#base';

/** A group holds up to a thousand works (grouped-transactions.ts). */
const WRITES_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export interface CommitCounts {
  /** Groups that failed; their works were told or tried again. */
  readonly failures: number;
  /** Writes of each group that is durable. */
  readonly writes: HistogramCounts;
  /** Seconds from a group's beginning, when it asks for the right to write, until it is durable and can be seen. */
  readonly times: HistogramCounts;
}

export class CommitMetrics {
  #failures = 0;
  readonly #writes = new Histogram(WRITES_BOUNDS);
  readonly #times = new Histogram(SECONDS_BOUNDS);

  /** A group is durable that began at that time of `performance.now()`. */
  commit(writes: number, began: number): void {
    this.#writes.add(writes);
    this.#times.add((performance.now() - began) / 1000);
  }

  fail(): void {
    this.#failures += 1;
  }

  counts(): CommitCounts {
    return { failures: this.#failures, writes: this.#writes.counts(), times: this.#times.counts() };
  }
}
