// Which requests of a load fell into times in which the machine was not all there. Pure; all times are of one clock, in milliseconds.
import type { Latency, Moments } from './job.js';
import { Latencies } from './statistics.js';

/** A stretch of time, half-open: what ends when another begins does not overlap it. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** The time in any of the spans, as spans in order that neither overlap nor touch. */
export function union(spans: readonly Span[]): readonly Span[] {
  const joined: { from: number; until: number }[] = [];
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || from > last.until) joined.push({ from, until });
    else last.until = Math.max(last.until, until);
  }
  return joined;
}

/**
 * The time in which requests are disturbed: every disturbance and, because the queue that it caused has to drain, as much time after it. Each
 * is extended for itself: of pauses one after the other on several processors, no more is left out than one processor caused.
 */
export const disturbedTime = (disturbances: readonly Span[]): readonly Span[] =>
  union(disturbances.map(({ from, until }) => ({ from, until: until + (until - from) })));

/** `spans` as `union` gives them. A moment that lies within one overlaps it. */
export function overlaps(spans: readonly Span[], from: number, until: number): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.until ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  const first = spans[low];
  return first !== undefined && first.from < until;
}

export interface Undisturbed {
  /** Of all requests. */
  readonly share: number;
  /** Undefined if there was none. */
  readonly latency: Latency | undefined;
}

/** Of the requests that nothing disturbed between the moment they were due and their answer. */
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
