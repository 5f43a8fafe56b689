// Medians, and latencies in Node's own histogram.
import { createHistogram } from 'node:perf_hooks';
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

const NANOSECONDS = 1e6;

/** The latencies of a run, in milliseconds with three digits. */
export class Latencies {
  readonly #histogram = createHistogram();

  get count(): number {
    return this.#histogram.count;
  }

  add(milliseconds: number): void {
    this.#histogram.record(Math.max(1, Math.round(milliseconds * NANOSECONDS)));
  }

  /** Zeros if there was none. */
  summary(): Latency {
    const of = (percent: number): number =>
      this.count === 0 ? 0 : this.#histogram.percentile(percent) / NANOSECONDS;
    return { p50: of(50), p99: of(99), p999: of(99.9), max: of(100) };
  }
}
