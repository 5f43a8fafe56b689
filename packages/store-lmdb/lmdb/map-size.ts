// How much address space LMDB maps a file to. It is no memory, and the file does not grow to it.
// Where another process has made the file outgrow the map, LMDB's package maps it anew in the thread that notices. If those are the one
// that reads and the one that writes, at once, the old map can be noted with the length of a new one; who closes the file then unmaps
// what lies beside it too, and dies of it. So the map is large from the start, and does not grow.
import { statSync } from 'node:fs';
import { processLimit } from './process-limit.js';

/** Some machines have 39 bits of address space for all that a process maps: room for several stores. */
const MAP_BYTES_MIN = 2 ** 36;
/** To what the file is when it is opened. */
const GROWTH = 2;

/**
 * Of a file that is there, in bytes. Undefined where address space is limited: LMDB's package dies of a map that it is not given. Its
 * own begins small and grows, which is safe as long as one process writes.
 */
export function mapSizeOf(path: string): number | undefined {
  if (processLimit('Max address space') !== Number.POSITIVE_INFINITY) return undefined;
  return Math.max(MAP_BYTES_MIN, GROWTH * statSync(path).size);
}
