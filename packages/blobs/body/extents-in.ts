// Finds the extents of an append or a page blob in a range of its bytes: those of the upper layers hide those of the lower ones.
import { copyRow, type Row, type Space, type Store } from '#store';
import {
  cleared,
  decodeExtent,
  EXTENT_BYTES_MAX,
  type Extent,
  isClear,
  PAGE_EXTENT_BYTES_MAX,
  partOf,
} from '../rows/extent.js';
import type { Layer } from '../rows/head.js';
import { extentKey, startOfKey } from '../rows/keys.js';

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** How far to the left of a range to look for the extent that reaches into it, step by step. */
const LOOK_BACK: readonly number[] = [65_536, PAGE_EXTENT_BYTES_MAX, EXTENT_BYTES_MAX];

/** An extent where it is in the blob. */
export interface Placed {
  readonly start: number;
  readonly extent: Extent;
}

export const endOf = ({ start, extent }: Placed): number => start + extent.length;

export const placedOf = (row: Row): Placed => ({
  start: startOfKey(row.key),
  extent: decodeExtent(row.value),
});

/** The part of an extent inside the range; undefined where there is none. */
export function clip(placed: Placed, from: number, until: number): Placed | undefined {
  const first = Math.max(from, placed.start);
  const last = Math.min(until, endOf(placed));
  if (first >= last) return undefined;
  if (first === placed.start && last === endOf(placed)) return placed;
  return { start: first, extent: partOf(placed.extent, first - placed.start, last - placed.start) };
}

async function scanLayer(
  store: Store,
  space: Space,
  blob: string,
  layer: string,
  from: number,
  until: number,
): Promise<Placed[]> {
  const found: Placed[] = [];
  const budget = { rows: UNBOUNDED, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
  const range = {
    from: { partition: blob, key: extentKey(layer, from) },
    until: { partition: blob, key: extentKey(layer, until) },
  };
  let next: typeof range.from | undefined = range.from;
  while (next !== undefined) {
    const end = await store.scan(space, { from: next, until: range.until }, budget, row => {
      found.push(placedOf(copyRow(row)));
      return true;
    });
    next = end.next;
  }
  return found;
}

/** Those of one layer that overlap the range, clipped, in order. */
export async function extentsOfLayer(
  store: Store,
  space: Space,
  blob: string,
  layer: string,
  from: number,
  until: number,
): Promise<readonly Placed[]> {
  const inside = await scanLayer(store, space, blob, layer, from, until);
  const isCovered = inside[0]?.start === from;
  let before: Placed[] = [];
  let right = from;
  for (const step of LOOK_BACK) {
    if (isCovered || before.length > 0 || right === 0) break;
    const left = Math.max(0, from - step);
    before = await scanLayer(store, space, blob, layer, left, right);
    right = left;
  }
  const last = before.at(-1);
  const all = last === undefined ? inside : [last, ...inside];
  return all.flatMap(placed => clip(placed, from, until) ?? []);
}

/** What of `lower` shows where `upper` has nothing. Both in order, without overlaps. */
export function overlay(upper: readonly Placed[], lower: readonly Placed[]): readonly Placed[] {
  if (upper.length === 0) return lower;
  const shown: Placed[] = [...upper];
  let at = 0;
  for (const placed of lower) {
    let from = placed.start;
    while (at < upper.length && endOf(upper[at] as Placed) <= from) at += 1;
    for (let each = at; from < endOf(placed); each++) {
      const over = upper[each];
      const until = Math.min(over?.start ?? UNBOUNDED, endOf(placed));
      const part = clip(placed, from, until);
      if (part !== undefined) shown.push(part);
      if (over === undefined) break;
      from = Math.max(from, endOf(over));
    }
  }
  return shown.sort((a, b) => a.start - b.start);
}

/** Whether two extents, at the same place, are of one write. */
function isSame(some: Extent, other: Extent): boolean {
  if (some.content !== undefined) return some.content === other.content && some.from === other.from;
  if (some.inline === undefined) return isClear(other);
  return other.inline?.equals(some.inline) ?? false;
}

/** The parts of `now` that `before` has too. */
function unchangedIn(before: readonly Placed[], now: readonly Placed[]): readonly Placed[] {
  const unchanged: Placed[] = [];
  let at = 0;
  for (const placed of now) {
    while (at < before.length && endOf(before[at] as Placed) <= placed.start) at += 1;
    for (let each = at; each < before.length; each += 1) {
      const old = before[each] as Placed;
      if (old.start >= endOf(placed)) break;
      const [own, other] = [clip(placed, old.start, endOf(old)), clip(old, placed.start, endOf(placed))];
      if (own && other && isSame(own.extent, other.extent)) unchanged.push(own);
    }
  }
  return unchanged;
}

function without(all: readonly Placed[], some: readonly Placed[]): readonly Placed[] {
  const excluded = new Set(some);
  return all.filter(placed => !excluded.has(placed));
}

/**
 * What was written or cleared between two looks. Both in order, without overlaps; what is clear is among them. A small write of the bytes that
 * were there is none.
 */
export function changesBetween(before: readonly Placed[], now: readonly Placed[]): readonly Placed[] {
  const unchanged = unchangedIn(before, now);
  const written = without(overlay(unchanged, now), unchanged);
  const gone = without(overlay(now, before), now).filter(({ extent }) => !isClear(extent));
  const hidden = gone.map(({ start, extent }) => ({ start, extent: cleared(extent.length) }));
  return [...written, ...hidden].sort((a, b) => a.start - b.start);
}

/** Of all layers, the upper ones first. Extents that clear are among them only if `withClear`. */
export async function extentsIn(
  store: Store,
  space: Space,
  blob: string,
  layers: readonly Layer[],
  from: number,
  until: number,
  withClear = false,
): Promise<readonly Placed[]> {
  let shown: readonly Placed[] = [];
  for (const { name, limit } of layers) {
    const end = Math.min(until, limit);
    if (from < end) shown = overlay(shown, await extentsOfLayer(store, space, blob, name, from, end));
  }
  return withClear ? shown : shown.filter(({ extent }) => !isClear(extent));
}
