// Merges layers of page blobs, as plan-layers.ts decides, in the background: what every reader sees stays the same at every moment.
//
// The rows of the upper layer move to the lower one a few at a time, where the upper one hides what they replace; then one commit removes the upper
// layer out of all heads, and its rows are dead. A kill in between leaves two layers with the same data. A reader of a deleted snapshot would see the
// lower layer without the upper one, so each step waits for all readers that are active when it begins.
import { copyRow, type Position, type ReadRows, type Reads, type Space } from '#store';
import { commitRows, rowsName } from '../contests.js';
import { encodeExtent, isClear, PAGE_EXTENT_BYTES_MAX } from '../rows/extent.js';
import { areSameLayers, decodeHead, encodeHead, type Head, type Layer, unlimited } from '../rows/head.js';
import {
  allSnapshots,
  BLOB_KEY,
  extentKey,
  LAYER_END,
  newMergedLayer,
  newWrittenLayer,
} from '../rows/keys.js';
import { clip, endOf, overlay, type Placed, placedOf } from './extents-in.js';
import {
  type FirstChange,
  type Layered,
  type LayerInsertion,
  type LayerMerge,
  type LayerStep,
  nextLayerStep,
} from './plan-layers.js';
import { type Reclaiming, reclaim } from './reclaim.js';

const UNBOUNDED = Number.POSITIVE_INFINITY;
const ALL = { rows: UNBOUNDED, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
/** The most that one commit moves to another layer. */
const SOME = { rows: 256, bytes: 1024 * 1024, examined: UNBOUNDED, milliseconds: UNBOUNDED };
/** How far apart the extents of one commit may be: it reads the lower layer between them. */
const NEAR_BYTES = 4 * 1024 * 1024;
const TRIMMED_A_COMMIT = 500;
/** More than any blob needs, unless other writers change its layers all the time. */
const STEPS_MAX = 1000;

interface Merging {
  readonly context: Reclaiming;
  readonly space: Space;
  readonly blob: string;
  /** Contents that a row does not name any more. */
  readonly givenUp: Set<string>;
}

interface Heads {
  readonly base: Layered | undefined;
  /** The newest first. */
  readonly snapshots: readonly Layered[];
}

/** Runs after a snapshot was taken or deleted, or the blob made shorter, and then removes what is no longer needed. */
export function mergeLayersLater(context: Reclaiming, space: Space, blob: string): void {
  context.background.laterOnce(rowsName(space, blob), async () => {
    const { givenUp } = await mergeLayers(context, space, blob);
    await reclaim(context, space, blob, givenUp);
  });
}

export interface MergedLayers {
  readonly steps: number;
  /** Contents that rows no longer name: candidates for reclaim. */
  readonly givenUp: readonly string[];
}

export async function mergeLayers(context: Reclaiming, space: Space, blob: string): Promise<MergedLayers> {
  const merging: Merging = { context, space, blob, givenUp: new Set() };
  let mayFreeze = true;
  let steps = 0;
  for (; steps < STEPS_MAX; steps += 1) {
    const heads = await headsOf(merging);
    const step = nextLayerStep(heads.base, heads.snapshots, await isFirstEmpty(merging, heads), mayFreeze);
    if (step === undefined || !(await take(merging, heads, step))) break;
    if (step.kind === 'freeze') mayFreeze = false;
  }
  return { steps, givenUp: [...merging.givenUp] };
}

async function headsOf({ context, space, blob }: Merging): Promise<Heads> {
  const found: Layered[] = [];
  let from: Position | undefined = { partition: blob, key: allSnapshots.from };
  while (from !== undefined) {
    const until: Position = { partition: blob, key: `${BLOB_KEY}\0` };
    const end = await context.store.scan(space, { from, until }, ALL, ({ key, value }) => {
      found.push({ key, layers: decodeHead(value).layers });
      return true;
    });
    from = end.next;
  }
  const base = found.at(-1)?.key === BLOB_KEY ? found.pop() : undefined;
  return { base, snapshots: found.reverse() };
}

async function isFirstEmpty({ context, space, blob }: Merging, { base }: Heads): Promise<boolean> {
  const first = base?.layers[0]?.name;
  if (first === undefined) return true;
  const range = {
    from: { partition: blob, key: extentKey(first, 0) },
    until: { partition: blob, key: extentKey(first, LAYER_END) },
  };
  const { examined } = await context.store.scan(space, range, { ...ALL, rows: 1 }, () => true);
  return examined === 0;
}

/** False where continuing now is useless. */
async function take(merging: Merging, heads: Heads, step: LayerStep): Promise<boolean> {
  const { background, content } = merging.context;
  if (step.kind === 'merge' || step.kind === 'thaw') {
    await background.readersOf(rowsName(merging.space, merging.blob));
    if (!(await content.unpinnedElsewhere())) return false;
  }
  if (step.kind === 'merge') return mergeInto(merging, heads, step);
  if (step.kind === 'insert') await insert(merging, heads, step);
  else await changeFirst(merging, heads, step);
  return true;
}

/** Changes the layers of heads in one commit, if these still have the layers that were read and the range has no row. */
async function changeHeads(
  { context, space, blob }: Merging,
  seen: readonly Layered[],
  range: Reads['range'],
  change: (layers: readonly Layer[]) => readonly Layer[],
): Promise<void> {
  const keys = seen.map(({ key }) => key);
  await commitRows(context, space, blob, { keys, range }, rows => {
    const heads = rows.keys.map(row => row && decodeHead(row.value));
    const isAsSeen = heads.every((head, at) => head && areSameLayers(head.layers, seen[at]?.layers ?? []));
    if (!isAsSeen || rows.range.length > 0) return { result: true };
    const puts = heads.flatMap((head, at) => {
      const key = keys[at];
      if (head === undefined || key === undefined) return [];
      return [{ key, value: encodeHead({ ...head, layers: change(head.layers) }) }];
    });
    return { result: true, puts };
  });
}

/** The blob is among the heads that must be unchanged: then there is no new snapshot. */
async function insert(merging: Merging, { base, snapshots }: Heads, step: LayerInsertion): Promise<void> {
  const name = newMergedLayer(merging.context.ids(), step.size);
  const others = step.isEverywhere ? snapshots.filter(({ layers }) => has(layers, step.under)) : [];
  await changeHeads(merging, base === undefined ? others : [base, ...others], undefined, layers =>
    layers.flatMap(layer => (layer.name === step.under ? [layer, unlimited(name)] : [layer])),
  );
}

const has = (layers: readonly Layer[], wanted: string): boolean => layers.some(({ name }) => name === wanted);

async function changeFirst(merging: Merging, { base }: Heads, { kind }: FirstChange): Promise<void> {
  if (base === undefined) return;
  if (kind === 'freeze') {
    const first = unlimited(newWrittenLayer(merging.context.ids()));
    return changeHeads(merging, [base], undefined, layers => [first, ...layers]);
  }
  const name = base.layers[0]?.name ?? '';
  const written = { from: extentKey(name, 0), until: extentKey(name, LAYER_END), rows: 1 };
  return changeHeads(merging, [base], written, layers => layers.slice(1));
}

/** Where one layer is right above the other. */
const placeOf = (layers: readonly Layer[], { upper, lower }: LayerMerge): number =>
  layers.findIndex(({ name }, at) => name === upper && layers[at + 1]?.name === lower);

/** No head shows rows beyond both limits. */
interface Limits {
  readonly upper: number;
  readonly lower: number;
}

async function mergeInto(merging: Merging, { base, snapshots }: Heads, step: LayerMerge): Promise<boolean> {
  const all = base === undefined ? snapshots : [base, ...snapshots];
  const both = all.filter(({ layers }) => placeOf(layers, step) !== -1);
  const limits = { upper: 0, lower: 0 };
  for (const { layers } of both) {
    const at = placeOf(layers, step);
    limits.upper = Math.max(limits.upper, layers[at]?.limit ?? 0);
    limits.lower = Math.max(limits.lower, layers[at + 1]?.limit ?? 0);
  }
  const isLowest = both.every(({ layers }) => layers.at(-1)?.name === step.lower);
  const isDone =
    (await trim(merging, step, limits)) && (await putUpper(merging, step, limits.upper, isLowest));
  // Another writer has changed the layers: read them again.
  if (!isDone) return true;
  return takeUpperOut(merging, step, limits, both);
}

/** Removes the rows of the lower layer beyond its limit: the upper one may extend farther. */
async function trim(merging: Merging, step: LayerMerge, { upper, lower }: Limits): Promise<boolean> {
  if (lower >= upper) return true;
  const until = extentKey(step.lower, lower);
  const cut = { from: extentKey(step.lower, Math.max(0, lower - PAGE_EXTENT_BYTES_MAX)), until };
  const isCut = await changeRows(merging, step, { ...cut, rows: Number.MAX_SAFE_INTEGER }, before =>
    before.flatMap(placed => clip(placed, 0, lower) ?? []),
  );
  if (isCut === undefined) return false;
  const behind = { from: until, until: extentKey(step.lower, LAYER_END), rows: TRIMMED_A_COMMIT };
  for (let count = 1; count > 0; ) {
    const removed = await changeRows(merging, step, behind, () => []);
    if (removed === undefined) return false;
    count = removed;
  }
  return true;
}

async function putUpper(
  merging: Merging,
  step: LayerMerge,
  limit: number,
  isLowest: boolean,
): Promise<boolean> {
  const { context, space, blob } = merging;
  const until = { partition: blob, key: extentKey(step.upper, Math.min(limit, LAYER_END)) };
  let from: Position | undefined = { partition: blob, key: extentKey(step.upper, 0) };
  while (from !== undefined) {
    const some: Placed[] = [];
    const end = await context.store.scan(space, { from, until }, SOME, row => {
      some.push(placedOf(copyRow(row)));
      return true;
    });
    from = end.next;
    const shown = some.flatMap(placed => clip(placed, 0, limit) ?? []);
    for (const near of nearEachOther(shown))
      if (!(await putNear(merging, step, near, isLowest))) return false;
  }
  return true;
}

function nearEachOther(extents: readonly Placed[]): readonly Placed[][] {
  const groups: Placed[][] = [];
  let group: Placed[] = [];
  for (const placed of extents) {
    const first = group[0];
    if (first === undefined || endOf(placed) - first.start > NEAR_BYTES) {
      group = [];
      groups.push(group);
    }
    group.push(placed);
  }
  return groups;
}

async function putNear(
  merging: Merging,
  step: LayerMerge,
  extents: readonly Placed[],
  isLowest: boolean,
): Promise<boolean> {
  const [first, last] = [extents[0], extents.at(-1)];
  if (first === undefined || last === undefined) return true;
  const range = {
    from: extentKey(step.lower, Math.max(0, first.start - PAGE_EXTENT_BYTES_MAX)),
    until: extentKey(step.lower, endOf(last)),
    rows: Number.MAX_SAFE_INTEGER,
  };
  const changed = await changeRows(merging, step, range, before => {
    const shown = overlay(extents, before);
    // Under the lowest layer there is nothing to hide.
    return isLowest ? shown.filter(({ extent }) => !isClear(extent)) : shown;
  });
  return changed !== undefined;
}

/** Changes rows of the lower layer while the witness has both layers; returns how many there were, or undefined if it no longer has them. */
async function changeRows(
  { context, space, blob, givenUp }: Merging,
  { lower, witness }: LayerMerge,
  range: { readonly from: string; readonly until: string; readonly rows: number },
  change: (before: readonly Placed[]) => readonly Placed[],
): Promise<number | undefined> {
  const decide = (rows: ReadRows) => {
    const [row] = rows.keys;
    if (row === undefined || !areSameLayers(decodeHead(row.value).layers, witness.layers))
      return { result: { isStale: true, names: [], count: 0 } };
    const before = rows.range.map(placedOf);
    const after = change(before);
    const [were, are] = [new Set(before), new Set(after)];
    const starts = new Set(after.map(({ start }) => start));
    const gone = before.filter(placed => !are.has(placed));
    return {
      result: {
        isStale: false,
        names: gone.flatMap(({ extent }) => extent.content ?? []),
        count: before.length,
      },
      puts: after
        .filter(placed => !were.has(placed))
        .map(({ start, extent }) => ({ key: extentKey(lower, start), value: encodeExtent(extent) })),
      deletes: gone.filter(({ start }) => !starts.has(start)).map(({ start }) => extentKey(lower, start)),
    };
  };
  const changed = await commitRows(context, space, blob, { keys: [witness.key], range }, decide);
  if (changed === undefined || changed.isStale) return undefined;
  for (const name of changed.names) givenUp.add(name);
  return changed.count;
}

/** Removes the upper layer from all heads in one commit. False if no head could lose it. */
async function takeUpperOut(
  { context, space, blob }: Merging,
  step: LayerMerge,
  limits: Limits,
  heads: readonly Layered[],
): Promise<boolean> {
  const keys = heads.map(({ key }) => key);
  const taken = await commitRows(context, space, blob, { keys }, rows => {
    const puts = rows.keys.flatMap((row, at) => {
      const head = row && decodeHead(row.value);
      const layers = head && withoutUpper(head, step, limits);
      const key = keys[at];
      if (head === undefined || layers === undefined || key === undefined) return [];
      return [{ key, value: encodeHead({ ...head, layers }) }];
    });
    return { result: puts.length > 0, puts };
  });
  return taken === true;
}

/** Undefined for a head whose content would change. */
function withoutUpper({ layers }: Head, step: LayerMerge, limits: Limits): readonly Layer[] | undefined {
  const at = placeOf(layers, step);
  const [upper, lower] = [layers[at], layers[at + 1]];
  if (upper === undefined || lower === undefined) return undefined;
  const limit = Math.max(upper.limit, lower.limit);
  const isSame =
    upper.limit === Math.min(limits.upper, limit) && lower.limit === Math.min(limits.lower, limit);
  if (!isSame) return undefined;
  return [...layers.slice(0, at), { name: lower.name, limit }, ...layers.slice(at + 2)];
}
