// Medians and percentiles, and their series of values, in the caller's unit.
import type { Latency } from './job.js';

/** The middle one, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return Number.NaN;
  const lower = sorted.length % 2 === 0 ? sorted[middle - 1] : upper;
  return ((lower ?? upper) + upper) / 2;
}

/** The smallest value that at least `share` of the values do not exceed (nearest rank); NaN of none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

const CAPACITY_FIRST = 4096;

/** Numbers in order of arrival, in eight bytes each. */
export class Series {
  #values = new Float64Array(CAPACITY_FIRST);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The values so far; the view may or may not show later ones. */
  get values(): Float64Array {
    return this.#values.subarray(0, this.#count);
  }

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = value;
  }
}

/** Every latency of a run, in milliseconds: without buckets, so a percentile is an observed value. */
export class Latencies extends Series {
  /** Zeros if there was none. */
  summary(): Latency {
    if (this.count === 0) return { p50: 0, p99: 0, p999: 0, max: 0 };
    const sorted = this.values.toSorted();
    return {
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      p999: percentile(sorted, 0.999),
      max: percentile(sorted, 1),
    };
  }
}
