// The distribution of sizes: their count, sum, maximum, and quantiles that are at most 1/16 too large.

/** Steps between a power of two and the next. */
const STEPS = 16;

export class SizeSpread {
  readonly #counts = new Map<number, number>();
  count = 0;
  total = 0;
  max = 0;

  add(size: number): void {
    this.count++;
    this.total += size;
    if (size > this.max) this.max = size;
    const step = this.#stepOf(size);
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + 1);
  }

  #stepOf(size: number): number {
    return Math.ceil(Math.log2(Math.max(1, size)) * STEPS);
  }

  /** The smallest size that this share of all does not exceed, rounded up; 0 if there are none. */
  quantile(share: number): number {
    let left = Math.ceil(this.count * share);
    for (const [step, count] of [...this.#counts].sort((a, b) => a[0] - b[0])) {
      left -= count;
      if (left <= 0) return Math.min(this.max, Math.floor(2 ** (step / STEPS)));
    }
    return this.max;
  }
}
