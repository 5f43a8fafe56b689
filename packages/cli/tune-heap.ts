// How V8 collects the heap. By itself it collects all of it when little has been added to what was left the last time, and here little is left:
// under an even load of reads and writes that is two or three times a second, with a pause of 5 to 15 ms each. Twice as much makes it
// seldom, for a few megabytes more; three times as much makes the tail of that load no shorter, and takes 30 MB more while transactions come.
// By itself it also has four threads of its own that help. The heap is small, so they have little to do; but on two processors, and on more
// if there are as many workers, they take the event loop's place and LMDB's for some 20 ms, and what waits for the disk meanwhile waits for
// each of them in turn. Without them the event loop does the same work between requests, in pieces of about a millisecond.
// V8 does not expect the flags to change while it marks: its helpers may then follow what is half written, and end the process. So a
// collection that is under way is brought to its end first.
// Only for processes that are ours: the command's, not those of a program that serves in its own.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** To what was left. */
const GROWTH_PERCENT = 100;

export const HEAP_FLAGS: readonly string[] = [
  `--heap-growing-percent=${GROWTH_PERCENT}`,
  '--no-concurrent-marking',
  '--no-parallel-scavenge',
];

/** V8 asks at each collection, so that they hold from now on. */
export function tuneHeap(): void {
  collectNow();
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
}

/** Of the whole heap: after it none is under way until something is made again. */
function collectNow(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') throw new Error('This V8 does not collect when told to.');
  collect();
}
