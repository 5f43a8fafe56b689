// The plan that a seed generates: clients that write and read a few blobs at once, and the faults of the process and its disk.
import { type Step as BlobStep, NAMES } from '../../blobs/blob-model.js';
import type { Mood } from '../../power-cut/file-content.js';
import { Random } from '../plan/random.js';

export type Action =
  | { readonly kind: 'write'; readonly step: BlobStep }
  /** Without a range the whole blob. */
  | {
      readonly kind: 'read';
      readonly blob: string;
      readonly range: readonly [from: number, count: number] | undefined;
    }
  | { readonly kind: 'sweep' }
  /** The process ends; the disk has all it was given. */
  | { readonly kind: 'kill' }
  | { readonly kind: 'cut'; readonly mood: Mood }
  /** An orderly close. */
  | { readonly kind: 'reopen' }
  /** So many bytes more may be written; undefined is no limit. */
  | { readonly kind: 'full'; readonly bytes: number | undefined };

export interface Step {
  readonly number: number;
  readonly client: number;
  /** Turns of the event loop before it. */
  readonly pause: number;
  readonly action: Action;
}

export interface Plan {
  readonly seed: number;
  /** Of the store and its contents (packages/store/faults.ts). */
  readonly faults: boolean;
  /** Syncs that fail. */
  readonly failingSyncs: boolean;
  readonly steps: readonly Step[];
}

/** No calls of one moment: they read one blob and then write another, or look for the oldest snapshot first. Only a client that is alone makes them. */
const LONE_KINDS: readonly BlobStep['kind'][] = ['copy', 'deleteSnapshot'];
const KINDS: readonly (readonly [weight: number, kind: BlobStep['kind']])[] = [
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
/** In a row; a content in one write; in several; with a sync on the way. */
const FIRST_READER = 10;
type Sizes = readonly [least: number, most: number];
const SMALL: Sizes = [1, 16_384];
const MEDIUM: Sizes = [16_385, 60_000];
const LARGE: Sizes = [262_145, 700_000];
const HUGE: Sizes = [8_500_000, 9_000_000];

/** Each kind of blob has a name of its own, mostly; what all have is asked of block blobs, mostly. */
function homeOf(kind: BlobStep['kind']): number {
  if (kind === 'makeAppend' || kind === 'append') return 1;
  const isOfPages = kind === 'makePage' || kind === 'pages' || kind === 'clear' || kind === 'resize';
  return isOfPages ? PAGE_BLOB : 0;
}

const PAGE_BLOB = 2;
/** Of page blobs they leave layers, and merge them. */
const SNAPSHOTS: readonly BlobStep['kind'][] = ['snapshot', 'deleteSnapshot', 'deleteSnapshots'];

function someSize(random: Random, mayBeHuge: boolean): number {
  const [least, most] = random.weighted([
    [4, SMALL],
    [6, MEDIUM],
    [2, LARGE],
    [mayBeHuge ? 1 : 0, HUGE],
  ]);
  return random.between(least, most);
}

function someWrite(random: Random, isAlone: boolean, mayBeHuge: boolean): Action {
  const kind = isAlone && random.happens(0.15) ? random.pick(LONE_KINDS) : random.weighted(KINDS);
  const home = SNAPSHOTS.includes(kind) && random.happens(0.5) ? PAGE_BLOB : homeOf(kind);
  const blob = random.happens(0.9) ? home : random.below(NAMES.length);
  const size = kind === 'resize' ? 512 * random.below(65) : someSize(random, mayBeHuge && kind === 'put');
  const step = { kind, blob, other: random.below(NAMES.length), size, fill: random.below(250) };
  return { kind: 'write', step };
}

/** Most lists have blocks to name. */
function blocksBefore(random: Random, action: Action): readonly Action[] {
  if (action.kind !== 'write' || action.step.kind !== 'list' || random.happens(0.3)) return [];
  const block = (fill: number): Action => {
    const size = random.between(...(random.happens(0.7) ? MEDIUM : SMALL));
    return { kind: 'write', step: { ...action.step, kind: 'block', size, fill } };
  };
  const fill = 2 * random.below(120);
  return [block(fill), block(fill + 1)];
}

function someRead(random: Random): Action {
  const range = random.happens(0.4)
    ? ([random.below(40_000), random.between(1, 40_000)] as const)
    : undefined;
  return { kind: 'read', blob: random.pick([...NAMES, NAMES[0]]), range };
}

export function planOf(seed: number): Plan {
  const random = new Random(seed ^ 0x51ab03);
  const clients = random.between(1, 4);
  const [faults, fills, mayBeHuge] = [random.happens(0.3), random.happens(0.25), random.happens(0.05)];
  const calamities: readonly (readonly [number, () => Action])[] = [
    [4, () => ({ kind: 'sweep' })],
    [2, () => ({ kind: 'kill' })],
    [2, () => ({ kind: 'cut', mood: random.pick(['all', 'some', 'some', 'none'] as const) })],
    [1, () => ({ kind: 'reopen' })],
    [fills ? 3 : 0, () => ({ kind: 'full', bytes: random.happens(0.5) ? random.below(100_000) : undefined })],
  ];
  const some = Array.from({ length: random.between(15, 50) }, (): readonly Omit<Step, 'number'>[] => {
    const action = random.weighted<() => Action>([
      [70, () => someWrite(random, clients === 1, mayBeHuge)],
      [22, () => someRead(random)],
      [8, () => random.weighted(calamities)()],
    ])();
    // Readers are slow, and other clients continue.
    const client =
      action.kind === 'sweep' ? -1 : random.below(clients) + (action.kind === 'read' ? FIRST_READER : 0);
    return [...blocksBefore(random, action), action].map(each => {
      const pause = random.happens(0.6) ? random.below(12) : 0;
      return { client, pause, action: each };
    });
  });
  const steps = some.flat().map((step, number) => ({ number, ...step }));
  return { seed, faults, failingSyncs: random.happens(0.15), steps };
}
