// Sets V8's garbage collector for a server process.
//
// By default V8 collects the whole heap when little has been added to what survived the last time, and here little
// survives: under an even load of reads and writes it does so two or three times a second, with a pause of 5 to 15 ms
// each. A growing percentage of 100 makes that rare for a few megabytes more; 200 does not shorten the tail of that
// load, and takes 30 MB more under transactions.
//
// By default V8 also has four helper threads. The heap is small, so they have little to do; but on two processors, and
// on more with as many workers, they displace the event loop and LMDB's threads for some 20 ms, and requests that wait
// for the disk wait for each of them in turn. Without them the event loop does the same work between requests, in
// pieces of about a millisecond.
//
// V8 does not expect its flags to change while it marks: its helpers may then follow half-written memory and crash the
// process. So a collection in progress is completed first.
//
// Pieces of streamed bodies are memory outside of the heap. V8 collects the whole heap for each 64 MB of it, 20 ms
// each; here only the young garbage, which they are, is collected after a number of streamed bytes
// (base/streamed-bytes.ts), in a millisecond.
//
// Only the command's own processes are tuned, not a program that embeds the server.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collectYoungBy } from '#base';

/** Relative to what survived the last collection. */
const GROWTH_PERCENT = 100;

export const HEAP_FLAGS: readonly string[] = [
  `--heap-growing-percent=${GROWTH_PERCENT}`,
  '--no-concurrent-marking',
  '--no-parallel-scavenge',
];

/** V8 reads the flags at each collection, so they apply from now on. */
export function tuneHeap(): void {
  const collect = collector();
  // After it none is in progress until the next allocation.
  collect();
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
  collectYoungBy(() => collect({ type: 'minor' }));
}

type Collector = (options?: { readonly type: 'minor' }) => void;

/** A full collection, or one of young garbage only. */
function collector(): Collector {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') throw new Error('This V8 does not collect when told to.');
  return collect as Collector;
}
