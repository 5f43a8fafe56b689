// Decides which layers of a page blob to merge next. Each snapshot leaves a layer; two rules keep their number small:
// - A layer that no reader sees without the one above it has hidden parts: the upper one is merged into it.
// - Four layers of one size under the one that is written to are put into a new layer, which the blob alone has. The size is the first
//   digit of a layer's name, so a blob with n snapshots reads some 4 log4(n) layers, and a row is copied at most once a size.
// merge-layers.ts carries the decision out.
import { type Layer, UNLIMITED } from '../rows/head.js';
import { isWrittenLayer, sizeOfLayer } from '../rows/keys.js';

const SAME_SIZE_MAX = 4;

/** The layers of a blob or of a snapshot, and the key of its row. */
export interface Layered {
  readonly key: string;
  readonly layers: readonly Layer[];
}

/** Merges `upper` into `lower`, which is the layer under it in every head that has it. */
export interface LayerMerge {
  readonly kind: 'merge';
  readonly upper: string;
  readonly lower: string;
  /** A head that has both: the step is valid as long as it has them. */
  readonly witness: Layered;
}

/** Changes the first layer of the blob. `freeze`: adds a new one above it, so that it changes no more. `thaw`: removes it, because it is empty. */
export interface FirstChange {
  readonly kind: 'freeze' | 'thaw';
}

/** A new layer under another one. */
export interface LayerInsertion {
  readonly kind: 'insert';
  readonly under: string;
  readonly size: number;
  /** In every head that has the other one; or in the blob alone, whose layers above it are then merged into it. */
  readonly isEverywhere: boolean;
}

export type LayerStep = LayerMerge | FirstChange | LayerInsertion;

/** Maps each layer to the one above it; undefined where that differs between heads, or is missing. */
function uppersOf(all: readonly Layered[]): ReadonlyMap<string, string | undefined> {
  const uppers = new Map<string, string | undefined>();
  for (const { layers } of all)
    for (const [at, { name }] of layers.entries()) {
      const upper = layers[at - 1]?.name;
      uppers.set(name, !uppers.has(name) || uppers.get(name) === upper ? upper : undefined);
    }
  return uppers;
}

/** Where a run of SAME_SIZE_MAX layers of one size starts, under the first layer. */
function startOfRun(layers: readonly Layer[]): number | undefined {
  let count = 0;
  for (let at = 1; at < layers.length; at += 1) {
    const size = sizeOfLayer(layers[at]?.name ?? '');
    count = at > 1 && size === sizeOfLayer(layers[at - 1]?.name ?? '') ? count + 1 : 1;
    if (count === SAME_SIZE_MAX) return at + 1 - count;
  }
  return undefined;
}

/** Whether snapshots have left so many layers that some must be merged. */
export const areMany = (layers: readonly Layer[]): boolean => startOfRun(layers) !== undefined;

function insertUnderRun({ layers }: Layered): LayerInsertion | undefined {
  const start = startOfRun(layers);
  const last = start === undefined ? undefined : layers[start + SAME_SIZE_MAX - 1];
  return last && { kind: 'insert', under: last.name, size: sizeOfLayer(last.name) + 1, isEverywhere: false };
}

/** From below, so that each row is copied once. */
function mergeIn(
  witness: Layered,
  uppers: ReadonlyMap<string, string | undefined>,
  frozen: number,
): LayerStep | undefined {
  const { layers } = witness;
  for (let at = layers.length - 1; at > frozen; at -= 1) {
    const [upper, lower] = [layers[at - 1]?.name, layers[at]?.name];
    if (upper === undefined || lower === undefined || uppers.get(lower) !== upper) continue;
    // Contents of a layer that was written to are in no other one (keys.ts).
    const isMixing = isWrittenLayer(lower) && !isWrittenLayer(upper);
    if (!isMixing) return { kind: 'merge', upper, lower, witness };
    return { kind: 'insert', under: lower, size: sizeOfLayer(upper), isEverywhere: true };
  }
  return undefined;
}

/** Whether to change the layer that is written to, above one that no snapshot has. */
function changeOfFirst(
  { layers: [first, second] }: Layered,
  uppers: ReadonlyMap<string, string | undefined>,
  isFirstEmpty: boolean,
  mayFreeze: boolean,
): FirstChange | undefined {
  if (first === undefined || second === undefined || uppers.get(second.name) !== first.name) return undefined;
  if (isFirstEmpty && second.limit === UNLIMITED)
    return isWrittenLayer(second.name) ? { kind: 'thaw' } : undefined;
  return mayFreeze ? { kind: 'freeze' } : undefined;
}

/**
 * The next step; undefined if none is needed. The blob first, if it exists, then its snapshots. `isFirstEmpty`: nothing was written to the
 * blob's first layer.
 */
export function nextLayerStep(
  base: Layered | undefined,
  snapshots: readonly Layered[],
  isFirstEmpty: boolean,
  mayFreeze: boolean,
): LayerStep | undefined {
  const uppers = uppersOf(base === undefined ? snapshots : [base, ...snapshots]);
  const ofBase = base && (mergeIn(base, uppers, 1) ?? changeOfFirst(base, uppers, isFirstEmpty, mayFreeze));
  if (ofBase !== undefined) return ofBase;
  for (const snapshot of snapshots) {
    const step = mergeIn(snapshot, uppers, 0);
    if (step !== undefined) return step;
  }
  return base && insertUnderRun(base);
}
