// Shortens a failing list of steps while it still fails, by leaving steps out: half of them, then quarters, then single
// ones; and reports the shortest for people.
import type { Breach } from '../../histories/history.js';

const SHRINKING_MS = 20_000;

/** Undefined if the steps do not fail. */
type Attempt<Step, Failure> = (steps: readonly Step[]) => Promise<Failure | undefined>;

interface Shrunk<Step, Failure> {
  readonly steps: readonly Step[];
  readonly failure: Failure;
}

/** Calls `mayGoOn` before each attempt. A random failure may be left longer than necessary. */
export async function shrink<Step, Failure>(
  from: Shrunk<Step, Failure>,
  attempt: Attempt<Step, Failure>,
  mayGoOn: () => boolean,
): Promise<Shrunk<Step, Failure>> {
  let best = from;
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    let isShorter = true;
    while (isShorter) {
      isShorter = false;
      for (let at = 0; at < best.steps.length && mayGoOn(); ) {
        const steps = [...best.steps.slice(0, at), ...best.steps.slice(at + size)];
        const failure = await attempt(steps);
        if (failure === undefined) at += size;
        else {
          best = { steps, failure };
          isShorter = true;
        }
      }
      isShorter &&= size === 1 && mayGoOn();
    }
  }
  return best;
}

interface Numbered {
  readonly number: number;
}

interface Failing<Step extends Numbered> {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly failure: Breach;
  readonly settings: string;
  readonly attempt: Attempt<Step, Breach>;
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
  const end = performance.now() + SHRINKING_MS;
  // Later steps have mostly no part in the failure.
  const prefix = steps.filter(({ number }) => number <= failure.step);
  const early = await attempt(prefix);
  const from = early ? { steps: prefix, failure: early } : { steps, failure };
  const shortest = await shrink(from, attempt, () => performance.now() < end);
  return [
    `Seed ${seed} fails at step ${failure.step} of ${steps.length}, ${settings}.`,
    failure.message,
    `The shortest list of steps found that fails too (${shortest.steps.length}), at step ${shortest.failure.step}:`,
    ...shortest.steps.map(show),
    shortest.failure.message,
    `Again: ${variable}=${seed} node dist/test/simulation/${program}`,
  ].join('\n');
}
