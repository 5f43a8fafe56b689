// Hands a job to a load generator, which is always another process; a wrong answer ends the run.
import { askOnce } from './ask-once.js';
import { decodeReply, type Job, type JobResult, WrongAnswer } from './job.js';
import { isForWrk, runWrk, wrkVersion } from './wrk.js';

export type GeneratorName = 'wrk' | 'built-in';

const PROGRAM = new URL('generator-process.js', import.meta.url);

/** wrk if it is installed, by default. */
export function chooseGenerator(wanted: GeneratorName | undefined): GeneratorName {
  if (wanted !== undefined) return wanted;
  return wrkVersion() === undefined ? 'built-in' : 'wrk';
}

async function runBuiltIn(job: Job): Promise<JobResult> {
  const result = decodeReply(await askOnce(PROGRAM, job));
  if (result === undefined) throw new Error('The generator told nothing.');
  return result;
}

/**
 * Runs a job to its end.
 *
 * @throws WrongAnswer if any status, or any body that was checked, is wrong.
 */
export async function drive(job: Job, generator: GeneratorName): Promise<JobResult> {
  const result = await (generator === 'wrk' && isForWrk(job) ? runWrk(job) : runBuiltIn(job));
  if (result.complaint !== undefined) throw new WrongAnswer(result.complaint);
  return result;
}
