// The choice of a client's next steps on the blobs of a container, of every kind and size.
import type { Random } from '../simulation/plan/random.js';
import type { ReadCall } from './blob-call.js';
import { NAMES, type Step } from './blob-model.js';

const KINDS: readonly (readonly [weight: number, kind: Step['kind']])[] = [
  [4, 'put'],
  [3, 'block'],
  [3, 'list'],
  [1, 'makeAppend'],
  [4, 'append'],
  [2, 'makePage'],
  [4, 'pages'],
  [1, 'clear'],
  [2, 'snapshot'],
  [2, 'delete'],
  [1, 'deleteSnapshots'],
  [1, 'metadata'],
  [1, 'resize'],
  [1, 'tags'],
];
/** In a row; a content in one write; in several; with a sync in progress. */
type Sizes = readonly [least: number, most: number];
const SMALL: Sizes = [1, 16_384];
const MEDIUM: Sizes = [16_385, 60_000];
const LARGE: Sizes = [262_145, 700_000];
const HUGE: Sizes = [8_500_000, 9_000_000];

/** Usually each kind of blob has a name of its own; common operations usually use block blobs. */
function homeOf(kind: Step['kind']): number {
  if (kind === 'makeAppend' || kind === 'append') return 1;
  const isOfPages = kind === 'makePage' || kind === 'pages' || kind === 'clear' || kind === 'resize';
  return isOfPages ? PAGE_BLOB : 0;
}

const PAGE_BLOB = 2;
/** On page blobs they leave layers, and merge them. */
const SNAPSHOTS: readonly Step['kind'][] = ['snapshot', 'deleteSnapshot', 'deleteSnapshots'];

function someSize(random: Random, mayBeHuge: boolean): number {
  const [least, most] = random.weighted([
    [4, SMALL],
    [6, MEDIUM],
    [2, LARGE],
    [mayBeHuge ? 1 : 0, HUGE],
  ]);
  return random.between(least, most);
}

function someStep(random: Random, lone: readonly Step['kind'][], mayBeHuge: boolean): Step {
  const kind = lone.length > 0 && random.happens(0.15) ? random.pick(lone) : random.weighted(KINDS);
  const home = SNAPSHOTS.includes(kind) && random.happens(0.5) ? PAGE_BLOB : homeOf(kind);
  const blob = random.happens(0.9) ? home : random.below(NAMES.length);
  const size = kind === 'resize' ? 512 * random.below(65) : someSize(random, mayBeHuge && kind === 'put');
  return { kind, blob, other: random.below(NAMES.length), size, fill: random.below(250) };
}

/**
 * One step; before most lists the blocks that they name. `lone` are kinds of more than one moment, which read one blob
 * and then write another, or look for the oldest snapshot first: only a client that is alone makes them.
 */
export function someSteps(random: Random, lone: readonly Step['kind'][], mayBeHuge = false): readonly Step[] {
  const step = someStep(random, lone, mayBeHuge);
  if (step.kind !== 'list' || random.happens(0.3)) return [step];
  const block = (fill: number): Step => {
    const size = random.between(...(random.happens(0.7) ? MEDIUM : SMALL));
    return { ...step, kind: 'block', size, fill };
  };
  const fill = 2 * random.below(120);
  return [block(fill), block(fill + 1), step];
}

export function someRead(random: Random): Pick<ReadCall, 'blob' | 'range'> {
  const range = random.happens(0.4)
    ? ([random.below(40_000), random.between(1, 40_000)] as const)
    : undefined;
  return { blob: random.pick([...NAMES, NAMES[0]]), range };
}
