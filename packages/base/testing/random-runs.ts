// How many random cases a law has: a fifth of them in `npm test`, all in the suites that set SHELFMARK_LONG. Seeds are
// fast-check's.

const SHARE = 5;

/** For `fc.assert`. */
export const randomRuns = (atLength: number): number =>
  process.env.SHELFMARK_LONG === undefined ? Math.ceil(atLength / SHARE) : atLength;
