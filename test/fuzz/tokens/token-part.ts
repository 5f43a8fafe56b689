// The part of attempts to get in.
import { randomOf } from '../direct/direct-run.js';
import { type Part, type PartReport, repeatCommand } from '../part.js';
import { describeAttempt, TokenRun } from './token-run.js';

/** Attempts on one store and with the same tokens; a failure is repeated from the beginning of its epoch. */
const EPOCH = 1_000;
/** Among this many attempts some must get in, or the others prove nothing. */
const ATTEMPTS_MIN = 1_000;

export const runTokens: Part = async ({ seed, first, runs }): Promise<PartReport> => {
  const tokens = await TokenRun.open();
  const letIn = new Map<string, number>();
  for (let run = first - (first % EPOCH); run < first + runs; run += 1) {
    if (run % EPOCH === 0) await tokens.reset(randomOf(~seed, run));
    const attempt = tokens.attempt(randomOf(seed, run));
    try {
      const { authorization } = attempt.caller.headers;
      const by =
        authorization?.split(' ', 1)[0] ??
        (/[?&]srt=/.test(attempt.caller.target) ? 'account SAS' : 'table SAS');
      if (await tokens.make(attempt)) letIn.set(by, (letIn.get(by) ?? 0) + 1);
    } catch (error) {
      const epoch = run - (run % EPOCH);
      const repeat = repeatCommand('tokens', seed, epoch, run);
      const fault = error instanceof Error ? error.stack : String(error);
      return {
        isSound: false,
        text: `Seed ${seed}, attempt ${run}: ${fault}\n${describeAttempt(attempt)}\n${repeat}`,
      };
    }
  }
  const text = [...letIn].map(([by, times]) => `${String(times).padStart(9)} let in by ${by}`).join('\n');
  const isSound = runs < ATTEMPTS_MIN || letIn.size >= 4;
  return { isSound, text: isSound ? text : `Hardly anybody was let in:\n${text}` };
};
