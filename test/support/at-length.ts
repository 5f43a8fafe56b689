// Tests that are too slow for `npm test`: they are skipped there, with the suite that runs them.

/** Of a test's `skip`: false in the suite, which sets SHELFMARK_LONG, and the reason elsewhere. */
export const onlyIn = (suite: string): false | string =>
  process.env.SHELFMARK_LONG === undefined && `runs in npm run verify ${suite}`;
