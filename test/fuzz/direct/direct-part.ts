// The fast part: requests as values, by several threads.
import { availableParallelism } from 'node:os';
import { type Part, type PartReport, repeatCommand } from '../part.js';
import { describeFailure } from './direct-failure.js';
import { DirectRun, describeRequest, EPOCH } from './direct-run.js';
import { watchThreads } from './watch-threads.js';

/** Tally of how often each answer was given, most often first. */
export const describeTally = (tally: ReadonlyMap<string, number>): string =>
  [...tally]
    .sort(([, a], [, b]) => b - a)
    .map(([outcome, times]) => `${String(times).padStart(9)} ${outcome}`)
    .join('\n');

export const runDirect: Part = async ({ seed, first, runs }): Promise<PartReport> => {
  const places = Math.min(2, availableParallelism());
  const watched = await watchThreads({ seed, first, runs }, places);
  if (watched.kind === 'grown') {
    const repeat = repeatCommand('direct', seed, first, first + runs - 1);
    const text = `The memory grew by ${watched.bytes} bytes after the second tenth of the runs.\n${repeat}`;
    return { isSound: false, text };
  }
  if (watched.kind === 'done') {
    const mebibytes = (watched.grownBytes / 1_048_576).toFixed(1);
    return {
      isSound: true,
      text: `${describeTally(watched.tally)}\n${mebibytes} MiB grown after the second tenth.`,
    };
  }
  if (!watched.isEndless) return { isSound: false, text: await describeFailure(seed, watched.run) };
  const request = (await DirectRun.open()).request(seed, watched.run);
  const repeat = repeatCommand('direct', seed, watched.run - (watched.run % EPOCH), watched.run);
  const text = `Seed ${seed}, run ${watched.run} never ends:\n${describeRequest(request)}\n${repeat}`;
  return { isSound: false, text };
};
