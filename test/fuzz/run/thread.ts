// A thread that makes its share of the runs and stops at the first that fails.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { PARTS, type PartName } from '../parts.js';
import { makeRuns } from './make-runs.js';
import type { Share } from './part.js';

export interface ThreadStart {
  readonly name: PartName;
  readonly share: Share;
  /** One Int32: the number of the current run, so that an endless run can be named. */
  readonly progress: SharedArrayBuffer;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
// A stack for each refusal would dominate the cost.
Error.stackTraceLimit = 1;

const { name, share, progress }: ThreadStart = workerData;
const current = new Int32Array(progress);
const end = await makeRuns(PARTS[name], share, {
  onRun: run => Atomics.store(current, 0, run),
  heapBytes: () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  },
});
parentPort?.postMessage(end);
