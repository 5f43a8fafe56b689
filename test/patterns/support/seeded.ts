// Random numbers from a seed: a test that fails prints the seed, and SHELFMARK_SEED repeats it.

/** The seed of this run. */
export const SEED = Number(process.env.SHELFMARK_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Numbers from 0 up to 1, the same for the same seed: mulberry32. */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What to add to a message of a test that failed. */
export const repeatBy = (filter: string): string =>
  `Repeat it by: npm run build && SHELFMARK_SEED=${SEED} node dist/tools/run-tests.js ${filter}`;
