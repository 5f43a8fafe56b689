// The report of a run that failed: the mistake, the request (shrunk, if it fails on its own), and the command that
// repeats it.
import { repeatCommand } from '../part.js';
import { DirectRun, describeRequest, EPOCH } from './direct-run.js';
import { shrinkRequest } from './shrink-request.js';
import type { FuzzRequest } from './some-request.js';

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

async function faultOf(direct: DirectRun, request: FuzzRequest): Promise<string | undefined> {
  try {
    await direct.send(request);
    return undefined;
  } catch (error) {
    return textOf(error);
  }
}

export async function describeFailure(seed: number, run: number): Promise<string> {
  const direct = await DirectRun.open();
  const epoch = run - (run % EPOCH);
  for (let before = epoch; before < run; before += 1) await faultOf(direct, direct.request(seed, before));
  const request = direct.request(seed, run);
  const fault = await faultOf(direct, request);
  const alone = async (smaller: FuzzRequest): Promise<boolean> => {
    await direct.reset();
    return (await faultOf(direct, smaller)) !== undefined;
  };
  const small = (await alone(request))
    ? `By itself, as small as was found:\n${describeRequest(await shrinkRequest(request, alone))}`
    : `It needs the runs before it, from ${epoch} on.`;
  return [
    `Seed ${seed}, run ${run}:`,
    fault ?? 'Not wrong when it was repeated.',
    describeRequest(request),
    small,
    repeatCommand('direct', seed, epoch, run),
  ].join('\n');
}
