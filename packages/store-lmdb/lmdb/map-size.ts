// How much address space LMDB maps a file to. It is not memory, and the file does not grow to it. When another process
// has made the file outgrow the map, LMDB's package maps it again in the thread that notices. If the reading and the
// writing thread notice at once, the old map can be noted with the length of a new one; closing the file then also
// unmaps the neighbouring memory, which crashes the process. So the map is large from the start, and does not grow.
import { readFileSync, statSync } from 'node:fs';

/** Some machines have 39 bits of address space for everything that a process maps: room for several stores. */
const MAP_BYTES_MIN = 2 ** 36;
/** A multiple of the file's size at the opening. */
const GROWTH = 2;

/**
 * Bytes for an existing file. Undefined where address space is limited: LMDB's package crashes when it cannot get the
 * map. Its own default begins small and grows, which is safe as long as one process writes.
 */
export function mapSizeOf(path: string): number | undefined {
  if (processLimit('Max address space') !== Number.POSITIVE_INFINITY) return undefined;
  return Math.max(MAP_BYTES_MIN, GROWTH * statSync(path).size);
}

/** As /proc/self/limits names it. */
type LimitName = 'Max file size' | 'Max address space';

/** In bytes; infinity if there is no limit, or the system does not report one. */
export function processLimit(name: LimitName): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const [, bytes] = new RegExp(`^${name} +(\\d+) `, 'm').exec(limits) ?? [];
    return bytes === undefined ? Number.POSITIVE_INFINITY : Number(bytes);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
