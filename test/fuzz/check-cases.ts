// Checks a law on random cases, one seed after the other: FUZZ_SEEDS of them, or the one that FUZZ_SEED names.
import fc from 'fast-check';

const SHRINKING_MILLISECONDS = 20_000;

/** `open` returns the law in a new world, which stays small. */
export async function checkCases<Case>(
  numRuns: number,
  open: (seed: number) => Promise<fc.IAsyncProperty<Case>>,
): Promise<void> {
  const { FUZZ_SEED: only, FUZZ_SEEDS: many = 1 } = process.env;
  const first = Number(only ?? 1);
  const end = first + (only === undefined ? Number(many) : 1);
  for (let seed = first; seed < end; seed += 1) {
    const how = { seed, numRuns, unbiased: true };
    const law = await open(seed);
    const found = await fc.check(law, { ...how, endOnFailure: true });
    if (!found.failed) continue;
    const path = found.counterexamplePath ?? '';
    const shrunk = await fc.check(law, { ...how, path, interruptAfterTimeLimit: SHRINKING_MILLISECONDS });
    // A failure that needs the cases before it does not come again.
    const shown = shrunk.counterexample === null ? found : shrunk;
    const again = `Again: FUZZ_SEED=${seed} node dist/tools/run-tests.js test/fuzz`;
    throw new Error(`${fc.defaultReportMessage(shown)}\n${again}`, { cause: found.errorInstance });
  }
}
