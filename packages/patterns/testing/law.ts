// Runs a law on random input: a hundred cases with the other tests, or PATTERN_RUNS cases. A failure prints the command that repeats
// it.
import fc from 'fast-check';
import { codePoint } from './code-point.js';
import './fail-on-warning.js';

const RUNS = Number(process.env.PATTERN_RUNS ?? 100);
/** Also laws whose cases cost as much as many of others get the full number of cases, which takes long. */
const IS_FULL = process.env.PATTERN_FULL !== undefined;
const IS_LONG = process.env.SHELFMARK_LONG !== undefined;
const { PATTERN_SEED, PATTERN_PATH } = process.env;

interface LawSize {
  /** How many cases of other laws one of this costs. */
  readonly cost?: number;
  /** Cases at least, and a third of them in `npm test`. */
  readonly least?: number;
  /** Cases at most, of a law that asks servers for many pages a case: a law in memory says the same of as many as are wanted. */
  readonly most?: number;
}

const parametersOf = ({ cost = 1, least = 1, most = RUNS }: LawSize): fc.Parameters<unknown> => ({
  numRuns: Math.max(
    IS_LONG ? least : Math.ceil(least / 3),
    Math.min(most, Math.ceil(RUNS / (IS_FULL ? 1 : cost))),
  ),
  ...(PATTERN_SEED === undefined ? {} : { seed: Number(PATTERN_SEED) }),
  ...(PATTERN_PATH === undefined ? {} : { path: PATTERN_PATH }),
});

function report<T>(result: fc.RunDetails<T>, filter: string): void {
  if (!result.failed) return;
  const command = `PATTERN_SEED=${result.seed} PATTERN_PATH=${result.counterexamplePath} node dist/tools/run-tests.js ${filter}`;
  const { errorInstance: thrown } = result;
  const cause = thrown instanceof Error && thrown.cause !== undefined ? `, because of ${thrown.cause}` : '';
  throw new Error(`${fc.defaultReportMessage(result)}\n${thrown}${cause}\nRepeat it: ${command}`, {
    cause: thrown,
  });
}

export function law<T>(property: fc.IProperty<T>, size: LawSize = {}): void {
  report(fc.check(property, parametersOf(size) as fc.Parameters<T>), 'packages/patterns');
}

/** For state machines that take turns. `filter` names the test in the command that repeats it. */
export async function lawOfTurns<T>(
  property: fc.IAsyncProperty<T>,
  { filter, ...size }: LawSize & { readonly filter: string },
): Promise<void> {
  report(await fc.check(property, parametersOf(size) as fc.Parameters<T>), filter);
}

/** Characters that are escaped and their neighbours, letters, and characters on both sides of the surrogates. */
const SPECIAL = [
  ...'\u0000\u0001\u001f !"#$-./0123>?@[\\]^}~\u007f\u0080\u009f\u00a0',
  ...'abAB_\ud7ff\ue000\uffff\u{10000}\u{10ffff}éß',
];

/** Texts without halves of surrogate pairs, mostly of characters that matter. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.string({ unit: fc.constantFrom(...SPECIAL), maxLength: 8 }), weight: 3 },
  { arbitrary: fc.string({ unit: codePoint, maxLength: 12 }), weight: 1 },
);

/** -1, 0 or 1, as code units compare. */
export const compare = <T extends string | number | bigint>(a: T, b: T): number =>
  a < b ? -1 : a > b ? 1 : 0;
