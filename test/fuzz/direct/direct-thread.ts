// A thread that makes its share of the runs and stops at the first that fails.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { makeRuns } from './direct-runs.js';
import type { ThreadEnd, ThreadStart } from './thread-message.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
// A stack for each refusal would be most of the work. Repeat a failure on its own to get them.
Error.stackTraceLimit = 0;

const { share, progress }: ThreadStart = workerData;
const current = new Int32Array(progress);
const end: ThreadEnd = await makeRuns(share, {
  onRun: run => Atomics.store(current, 0, run),
  heapBytes: () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  },
});
parentPort?.postMessage(end);
