// Shortens a failing list of steps while it still fails, by leaving steps out: half of them, then quarters, then single ones.

/** Undefined if the steps do not fail. */
type Attempt<Step, Failure> = (steps: readonly Step[]) => Promise<Failure | undefined>;

export interface Shrunk<Step, Failure> {
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
