// Counts what the commit queue does: how many groups, how large, and where their time goes. Nothing is made for a commit but
// the counts; asking for them is the store's matter.
import { Histogram, type HistogramCounts, SECONDS_BOUNDS } from '#store';

/** A group holds up to a thousand works (commit-queue.ts). */
const WRITES_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export interface CommitCounts {
  /** Groups that failed; their works were told or tried again. */
  readonly failures: number;
  /** Writes of each group that is durable. */
  readonly writes: HistogramCounts;
  /** Seconds until a group had the right to write. */
  readonly waiting: HistogramCounts;
  /** Seconds in which its works were run. */
  readonly applying: HistogramCounts;
  /** Seconds from then until all was durable and could be seen. */
  readonly syncing: HistogramCounts;
}

export class CommitFigures {
  #failures = 0;
  readonly #writes = new Histogram(WRITES_BOUNDS);
  readonly #waiting = new Histogram(SECONDS_BOUNDS);
  readonly #applying = new Histogram(SECONDS_BOUNDS);
  readonly #syncing = new Histogram(SECONDS_BOUNDS);
  #asked = 0;
  #entered = 0;
  #applied = 0;

  /** A group asks for the right to write. */
  ask(): void {
    this.#asked = performance.now();
  }

  /** It has it; if it has to ask again, the last time counts. */
  enter(): void {
    this.#entered = performance.now();
  }

  /** Its works are done. */
  apply(): void {
    this.#applied = performance.now();
  }

  /** It is durable. */
  commit(writes: number): void {
    this.#writes.add(writes);
    this.#waiting.add((this.#entered - this.#asked) / 1000);
    this.#applying.add((this.#applied - this.#entered) / 1000);
    this.#syncing.add((performance.now() - this.#applied) / 1000);
  }

  fail(): void {
    this.#failures += 1;
  }

  counts(): CommitCounts {
    return {
      failures: this.#failures,
      writes: this.#writes.counts(),
      waiting: this.#waiting.counts(),
      applying: this.#applying.counts(),
      syncing: this.#syncing.counts(),
    };
  }
}
