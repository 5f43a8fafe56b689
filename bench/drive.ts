// Hands a job to a load generator, which is always another process, and sees to it that a wrong answer ends the run.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { decodeReply, type Job, type JobResult, WrongAnswer } from './job.js';
import { isForWrk, runWrk, wrkVersion } from './wrk.js';

export type GeneratorName = 'wrk' | 'built-in';

const PROGRAM = fileURLToPath(new URL('generator-process.js', import.meta.url));

/** wrk where it is there, unless told otherwise. */
export function chooseGenerator(wanted: GeneratorName | undefined): GeneratorName {
  if (wanted !== undefined) return wanted;
  return wrkVersion() === undefined ? 'built-in' : 'wrk';
}

async function runBuiltIn(job: Job): Promise<JobResult> {
  const child = fork(PROGRAM, { execArgv: [] });
  child.send(job);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The generator ended with ${String(code)} before it told anything.`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  const result = decodeReply(message);
  if (result === undefined) throw new Error('The generator told nothing.');
  return result;
}

/**
 * Runs a job to its end.
 *
 * @throws WrongAnswer if any status, or any body that was looked into, is not what it must be.
 */
export async function drive(job: Job, generator: GeneratorName): Promise<JobResult> {
  const result = await (generator === 'wrk' && isForWrk(job) ? runWrk(job) : runBuiltIn(job));
  if (result.complaint !== undefined) throw new WrongAnswer(result.complaint);
  return result;
}
