// The choice of a client's next steps on the blobs of a container, of every kind and size.
import fc from 'fast-check';
import { below, between, chance, from, maybe, oneOf, seldom, weighted } from '../random/arbitrary.js';
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
const SMALL = between(1, 16_384);
const MEDIUM = between(16_385, 60_000);
const LARGE = between(262_145, 700_000);
const HUGE = between(8_500_000, 9_000_000);
const ANY = oneOf([4, SMALL], [6, MEDIUM], [2, LARGE]);
const RESIZED_PAGES_MAX = 64;

/** Usually each kind of blob has a name of its own; common operations usually use block blobs. */
function homeOf(kind: Step['kind']): number {
  if (/append|(?:put|copy)FromUrl/i.test(kind)) return 1;
  return /page|clear|resize/i.test(kind) ? PAGE_BLOB : 0;
}

const PAGE_BLOB = 2;
/** On page blobs they leave layers, and merge them. */
const SNAPSHOTS: readonly Step['kind'][] = ['snapshot', 'deleteSnapshot', 'deleteSnapshots'];

interface StepOptions {
  /**
   * Kinds of more than one moment, which read one blob and then write another, or look for the oldest snapshot first:
   * only a client that is alone makes them.
   */
  readonly lone?: readonly Step['kind'][];
  readonly mayBeHuge?: boolean;
}

function stepOf({ lone = [], mayBeHuge = false }: StepOptions): fc.Arbitrary<Step> {
  const usual = weighted(...KINDS);
  const kind = lone.length > 0 ? seldom(20, from(lone), usual) : usual;
  const put = mayBeHuge ? oneOf([12, ANY], [1, HUGE]) : ANY;
  const name = below(NAMES.length);
  return fc
    .record({
      kind,
      size: ANY,
      put,
      pages: between(0, RESIZED_PAGES_MAX),
      isOfPages: chance(50),
      elsewhere: maybe(10, name),
      other: name,
      fill: below(250),
    })
    .map(({ kind, size, put, pages, isOfPages, elsewhere, other, fill }) => {
      const home = SNAPSHOTS.includes(kind) && isOfPages ? PAGE_BLOB : homeOf(kind);
      const length = kind === 'resize' ? 512 * pages : kind === 'put' ? put : size;
      // Block blobs can be copied to all others.
      return { kind, blob: elsewhere ?? home, other: home === 1 ? 0 : other, size: length, fill };
    });
}

/** One step; before most lists the blocks that they name, and before an append from elsewhere mostly its blob. */
export function someSteps(options: StepOptions = {}): fc.Arbitrary<readonly Step[]> {
  const block = seldom(30, SMALL, MEDIUM);
  return fc
    .tuple(stepOf(options), chance(30), below(120), block, block)
    .map(([step, isLone, half, ...sizes]) => {
      if (step.kind === 'appendFromUrl' && !isLone) return [{ ...step, kind: 'makeAppend' }, step];
      if (step.kind !== 'list' || isLone) return [step];
      const blocks = sizes.map((size, at): Step => ({ ...step, kind: 'block', size, fill: 2 * half + at }));
      return [...blocks, step];
    });
}

export const someRead: fc.Arbitrary<Pick<ReadCall, 'blob' | 'range'>> = fc.record({
  blob: from([...NAMES, NAMES[0]]),
  range: maybe(40, fc.tuple(below(40_000), between(1, 40_000))),
});
