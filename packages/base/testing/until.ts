// The one way in which tests wait for something that sends no event: poll until it is so, with one time limit for all.
// The limit is long, because it only ends tests that would hang: a busy machine, or one that stands still for seconds,
// must not fail a test.
import { setTimeout as pause } from 'node:timers/promises';

const LIMIT_MS = 120_000;
const LOOK_MS = 5;
/** Captured, because some tests stop the clock that products read. */
const now = performance.now.bind(performance);

/** Resolves with the first result of `look` that is neither `undefined` nor `false`; throws an Error that names `what` after two minutes. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = now() + LIMIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (now() > end) throw new Error(`Waited ${LIMIT_MS / 1_000} s for ${what}.`);
    await pause(LOOK_MS);
  }
}
