// What is too long for `npm test`: it is skipped there, and says which suite runs it.

/** Of a test's `skip`: false in the suite, which sets SHELFMARK_LONG, and the reason elsewhere. */
export const onlyIn = (suite: string): false | string =>
  process.env.SHELFMARK_LONG === undefined && `runs in npm run verify ${suite}`;
