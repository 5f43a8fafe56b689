// Which requests of a load fell into times in which the machine was disturbed. Pure; all times are of one clock, in milliseconds.
import type { Latency, Moments } from '../load/job.js';
import { Latencies } from '../load/statistics.js';
import { overlaps, type Span, union } from '../machine/span.js';

/**
 * The time in which requests are disturbed: every disturbance and, because the queue that it caused has to drain, as
 * much time after it. Each is extended separately: for successive pauses on several processors, no more is left out
 * than one processor caused.
 */
export const disturbedTime = (disturbances: readonly Span[]): readonly Span[] =>
  union(disturbances.map(({ from, until }) => ({ from, until: until + (until - from) })));

export interface Undisturbed {
  /** Share of all requests. */
  readonly share: number;
  /** Undefined if there was none. */
  readonly latency: Latency | undefined;
}

/** The requests that nothing disturbed between the moment they were due and their answer. */
export function undisturbedOf(all: readonly Moments[], disturbances: readonly Span[]): Undisturbed {
  const disturbed = disturbedTime(disturbances);
  const kept = new Latencies();
  let count = 0;
  for (const { due, latency } of all) {
    count += due.length;
    for (const [index, since] of due.entries()) {
      const took = latency[index] ?? 0;
      if (!overlaps(disturbed, since, since + took)) kept.add(took);
    }
  }
  if (kept.count === 0) return { share: 0, latency: undefined };
  return { share: kept.count / count, latency: kept.summary() };
}
