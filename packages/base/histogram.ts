// Histograms as Prometheus has them, without an allocation for a measurement. Engines and the
// server choose what to measure and how to format it.

/** The count of each bucket alone, not cumulative. */
export interface HistogramCounts {
  /** Upper bounds, rising; a measurement equal to a bound belongs to its bucket. */
  readonly bounds: readonly number[];
  /** One more than the bounds: the last bucket has no upper bound. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export class Histogram {
  readonly #bounds: Float64Array;
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  counts(): HistogramCounts {
    return { bounds: [...this.#bounds], counts: [...this.#counts], sum: this.#sum };
  }
}

/** In seconds, from fifty microseconds to ten seconds: a point query from memory to a request beyond Azure's time limits. */
export const SECONDS_BOUNDS: readonly number[] = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Writes that share a commit: up to a thousand. */
const WRITES_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** What an engine counts about its commits. */
export class CommitCounts {
  readonly writes = new Histogram(WRITES_BOUNDS);
  readonly seconds = new Histogram(SECONDS_BOUNDS);
  failures = 0;

  /** @param began is when the commit began, of `performance.now()`. */
  done(writes: number, began: number): void {
    this.writes.add(writes);
    this.seconds.add((performance.now() - began) / 1000);
  }
}
