// The parts with attempts to get in: the server must admit exactly those that a judge admits. Some must get in, or the
// others prove nothing.
import { inspect } from 'node:util';
import type { Random } from '../simulation/plan/random.js';
import { BlobTokenRun } from './blob-tokens/blob-token-run.js';
import { randomOf } from './direct/direct-run.js';
import { type Part, type PartReport, repeatCommand } from './part.js';
import type { Presented } from './tokens/judge.js';
import { TokenRun } from './tokens/token-run.js';

/** Attempts on one store and with the same tokens; a failure is repeated from the beginning of its epoch. */
const EPOCH = 1_000;
const ATTEMPTS_MIN = 1_000;
const TABLE_CREDENTIALS = 4;
const BLOB_SHARE = 0.04;

interface Attempts<Attempt> {
  /** Call first. */
  reset(random: Random): Promise<void>;
  attempt(random: Random): Attempt;
  /** @returns whether the caller was admitted. @throws if it should be otherwise. */
  make(attempt: Attempt): Promise<boolean>;
}

/** By credential, how often it was admitted. */
type Admitted = ReadonlyMap<string, number>;

function credentialOf({ headers: { authorization }, target }: Presented): string {
  const ofToken = /[?&]srt=/.test(target) ? 'account SAS' : 'service SAS';
  return authorization?.split(' ', 1)[0] ?? ofToken;
}

const partOf =
  <Attempt extends { readonly caller: Presented }>(
    name: string,
    open: () => Promise<Attempts<Attempt>>,
    isEnough: (letIn: Admitted, runs: number) => boolean,
  ): Part =>
  async ({ seed, first, runs }): Promise<PartReport> => {
    const attempts = await open();
    const letIn = new Map<string, number>();
    for (let run = first - (first % EPOCH); run < first + runs; run += 1) {
      if (run % EPOCH === 0) await attempts.reset(randomOf(~seed, run));
      const attempt = attempts.attempt(randomOf(seed, run));
      try {
        const by = credentialOf(attempt.caller);
        if (await attempts.make(attempt)) letIn.set(by, (letIn.get(by) ?? 0) + 1);
      } catch (error) {
        const fault = error instanceof Error ? error.stack : String(error);
        const shown = inspect(attempt, { depth: 4, breakLength: 110, maxStringLength: 4_000 });
        const repeat = repeatCommand(name, seed, run - (run % EPOCH), run);
        return { isSound: false, text: `Seed ${seed}, attempt ${run}: ${fault}\n${shown}\n${repeat}` };
      }
    }
    const text = [...letIn].map(([by, times]) => `${String(times).padStart(9)} let in by ${by}`).join('\n');
    const isSound = isEnough(letIn, runs);
    return { isSound, text: isSound ? text : `Hardly anybody was let in:\n${text}` };
  };

export const runTokens = partOf(
  'tokens',
  TokenRun.open,
  (letIn, runs) => runs < ATTEMPTS_MIN || letIn.size >= TABLE_CREDENTIALS,
);

export const runBlobTokens = partOf(
  'blobs',
  async () => new BlobTokenRun(),
  (letIn, runs) => [...letIn.values()].reduce((sum, count) => sum + count, 0) >= BLOB_SHARE * runs,
);
