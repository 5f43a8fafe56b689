// The system's limits for this process, on Linux only.
import { readFileSync } from 'node:fs';

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
