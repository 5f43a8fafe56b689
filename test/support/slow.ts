// Skips what is too long for `npm test`, with the name of the suite that runs it.

/** For a test's `skip`: false in the suite, which sets SHELFMARK_LONG, and the reason elsewhere. */
export const onlyIn = (suite: string): false | string =>
  process.env.SHELFMARK_LONG === undefined && `runs in npm run verify ${suite}`;
