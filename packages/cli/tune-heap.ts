// How far V8 lets the heap grow before it collects it as a whole. By itself it collects when little has been added to what was left the
// last time, and here little is left: under an even load of reads and writes that is two or three times a second, with a pause of 5
// to 15 ms each. With three times as much allowed it is once in a quarter of a minute, for a few megabytes more.
// Only for processes that are ours: the command's, not those of a program that serves in its own.
import { setFlagsFromString } from 'node:v8';

/** To what was left. */
const GROWTH_PERCENT = 200;

export const HEAP_FLAG = `--heap-growing-percent=${GROWTH_PERCENT}`;

/** V8 asks at each collection, so that it holds from now on. */
export const tuneHeap = (): void => setFlagsFromString(HEAP_FLAG);
