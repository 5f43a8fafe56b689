// Stretches of time: their union, and whether one falls into any of them. Pure; all times are of one clock, in milliseconds.

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

/** `spans` as `union` returns them. A moment within one overlaps it. */
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
