// Reports a failing list of steps with the shortest one that fails too: fast-check leaves steps out while it does.
import fc from 'fast-check';
import type { Breach } from '../histories/history.js';

const SHRINKING_MILLISECONDS = 20_000;

interface Numbered {
  readonly number: number;
}

interface Failing<Step extends Numbered> {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly failure: Breach;
  readonly settings: string;
  /** Undefined if the steps do not fail. */
  readonly attempt: (steps: readonly Step[]) => Promise<Breach | undefined>;
  readonly show: (step: Step) => string;
  /** The variable that names a seed, and the program. */
  readonly again: readonly [variable: string, program: string];
}

export async function reportFailure<Step extends Numbered>({
  seed,
  steps,
  failure,
  settings,
  attempt,
  show,
  again: [variable, program],
}: Failing<Step>): Promise<string> {
  // Later steps have mostly no part in the failure.
  const prefix = steps.filter(({ number }) => number <= failure.step);
  const early = (await attempt(prefix)) !== undefined;
  let shortest = { steps, failure };
  const fails = fc.asyncProperty(fc.subarray([...steps]), async some => {
    const found = await attempt(some);
    if (found !== undefined) shortest = { steps: some, failure: found };
    return found === undefined;
  });
  await fc.check(fails, {
    numRuns: 1,
    examples: [[early ? prefix : [...steps]]],
    interruptAfterTimeLimit: SHRINKING_MILLISECONDS,
  });
  return [
    `Seed ${seed} fails at step ${failure.step} of ${steps.length}, ${settings}.`,
    failure.message,
    `The shortest list of steps found that fails too (${shortest.steps.length}), at step ${shortest.failure.step}:`,
    ...shortest.steps.map(show),
    shortest.failure.message,
    `Again: ${variable}=${seed} node dist/test/simulation/${program}`,
  ].join('\n');
}
