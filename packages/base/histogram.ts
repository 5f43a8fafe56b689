// Counts measurements by their size, as Prometheus' histograms do, without making anything for a measurement. Engines and the
// server count with it; what is counted, and how it is written, is theirs.

/** Each count stands for its own bucket, not for the smaller ones too. */
export interface HistogramCounts {
  /** Upper bounds, rising; a measurement that equals a bound is below it. */
  readonly bounds: readonly number[];
  /** One more than bounds: the last is for what is above all. */
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

/** In seconds, from fifty microseconds to ten seconds: a point query from memory to a request that Azure would give up. */
export const SECONDS_BOUNDS: readonly number[] = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
