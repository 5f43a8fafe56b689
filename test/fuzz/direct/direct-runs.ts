// Makes runs one after another, an epoch at a time, and checks that memory does not grow.
import { DirectRun, EPOCH } from './direct-run.js';
import type { Share, ThreadEnd } from './thread-message.js';

export interface Watch {
  /** Called before each run. */
  readonly onRun: (run: number) => void;
  /** The program's live heap. */
  readonly heapBytes: () => number;
}

/** With fewer runs the first tenths are still the program's own warm-up. */
const RUNS_FOR_GROWTH_MIN = 20_000;

/** The epochs of a share, by the number of their first run. */
function epochsOf({ first, runs, place, places }: Share): number[] {
  const epochs: number[] = [];
  for (let run = first - (first % EPOCH); run < first + runs; run += EPOCH)
    if ((run / EPOCH) % places === place) epochs.push(run);
  return epochs;
}

const codeOf = (body: string): string => {
  const [, json, xml] = /"code":"(\w+)"|<(?:m:)?code>(\w+)/i.exec(body) ?? [];
  return json ?? xml ?? '';
};

/** An epoch always starts at its beginning: the store depends on all its runs. */
export async function makeRuns(share: Share, { onRun, heapBytes }: Watch): Promise<ThreadEnd> {
  const { seed, first, runs } = share;
  const direct = await DirectRun.open();
  const tally = new Map<string, number>();
  const epochs = epochsOf(share);
  const measured = runs >= RUNS_FOR_GROWTH_MIN ? Math.floor(epochs.length / 5) : -1;
  let before: number | undefined;
  for (const [i, epoch] of epochs.entries()) {
    if (i === measured) before = heapBytes();
    await direct.reset();
    for (let run = epoch; run < Math.min(epoch + EPOCH, first + runs); run += 1) {
      onRun(run);
      try {
        const { status, body = '' } = await direct.send(direct.request(seed, run));
        const outcome = status < 400 ? `${status}` : `${status} ${codeOf(body.toString())}`;
        tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
      } catch {
        return { kind: 'failed', run };
      }
    }
  }
  await direct.reset();
  return { kind: 'done', tally, grownBytes: before === undefined ? undefined : heapBytes() - before };
}
