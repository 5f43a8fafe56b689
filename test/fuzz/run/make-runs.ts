// Makes runs of a part, an epoch at a time: fast-check decides the cases by the seed and the epoch. A case that fails in
// an epoch's beginning too is shrunk there.
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { Ended, Part, Share, World } from './part.js';

export interface Watch {
  /** Called before each run. */
  readonly onRun: (run: number) => void;
  /** The program's live heap. */
  readonly heapBytes: () => number;
}

/** With fewer runs the first tenths are still the program's own warm-up. */
const RUNS_FOR_GROWTH_MIN = 20_000;
const SHRINKING_MILLISECONDS = 20_000;

/** Differs from the neighbours', whatever the seed. */
const seedOf = (seed: number, epoch: number): number =>
  Math.imul(seed, 0x9e3779b1) ^ Math.imul(epoch + 1, 0x85ebca77);

/** For copying. */
const shown = (one: unknown): string =>
  inspect(one, { depth: 5, breakLength: 110, maxStringLength: 6_000, maxArrayLength: 400 });

/** By the number of their first run. */
function epochsOf({ first, runs, place, places }: Share, { epoch }: Part): number[] {
  const epochs: number[] = [];
  for (let run = first - (first % epoch); run < first + runs; run += epoch)
    if ((run / epoch) % places === place) epochs.push(run);
  return epochs;
}

/** An epoch always starts at its beginning: the world depends on all its runs. */
export async function makeRuns(part: Part, share: Share, { onRun, heapBytes }: Watch): Promise<Ended> {
  const { seed, first, runs } = share;
  const world = await part.open();
  const tally = new Map<string, number>();
  const epochs = epochsOf(share, part);
  const measured = runs >= RUNS_FOR_GROWTH_MIN ? Math.floor(epochs.length / 5) : -1;
  let before: number | undefined;
  for (const [at, epoch] of epochs.entries()) {
    if (at === measured) before = heapBytes();
    const own = seedOf(seed, epoch);
    let run = epoch;
    const property = fc.asyncProperty(await world.reset(own), async one => {
      onRun(run);
      run += 1;
      for (const outcome of await world.make(one)) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
    });
    const numRuns = Math.min(part.epoch, first + runs - epoch);
    const found = await fc.check(property, { seed: own, numRuns, endOnFailure: true, unbiased: true });
    if (found.failed) {
      const text = [
        `${found.errorInstance instanceof Error ? found.errorInstance.stack : found.errorInstance}`,
        shown(found.counterexample?.[0]),
        await shrunk(world, own, found.counterexamplePath ?? ''),
      ].join('\n');
      await world.close?.();
      return { kind: 'failed', run: run - 1, text };
    }
  }
  await world.reset(seed);
  const grownBytes = before === undefined ? 0 : heapBytes() - before;
  await world.close?.();
  return { kind: 'done', tally, grownBytes };
}

async function shrunk(world: World<unknown>, seed: number, path: string): Promise<string> {
  const alone = fc
    .asyncProperty(await world.reset(seed), async one => void (await world.make(one)))
    .beforeEach(async () => void (await world.reset(seed)));
  const how = { seed, path, unbiased: true, interruptAfterTimeLimit: SHRINKING_MILLISECONDS };
  const { failed, counterexample } = await fc.check(alone, how);
  return failed
    ? `By itself, as small as was found:\n${shown(counterexample?.[0])}`
    : 'It needs the runs before it.';
}

/** The case of a run that never ends. */
export async function caseOf({ open, epoch }: Part, seed: number, run: number): Promise<string> {
  const world = await open();
  const own = seedOf(seed, run - (run % epoch));
  const cases = await world.reset(own);
  const [one] = fc.sample(cases, { seed: own, path: String(run % epoch), numRuns: 1, unbiased: true });
  await world.close?.();
  return shown(one);
}
