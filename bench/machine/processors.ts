// The processors that this process may run on, and the steal time of all processors.
// From Linux's /proc; elsewhere processors are only counted.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const LIST = /^Cpus_allowed_list:\s*(\S+)$/m;
/** In /proc/stat, in this order; later fields are part of the first two. */
const KINDS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'] as const;

/** Out of /proc/PID/status, as `0-3,6`; undefined if there is no such line. */
export function parseAllowed(status: string): readonly number[] | undefined {
  return LIST.exec(status)?.[1]
    ?.split(',')
    .flatMap(range => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export function allowedProcessors(): readonly number[] {
  const status = read('/proc/self/status');
  const allowed = status === undefined ? undefined : parseAllowed(status);
  return allowed ?? Array.from({ length: availableParallelism() }, (_, index) => index);
}

/** Sums over all processors since the machine began, in clock ticks. */
export interface ProcessorTime {
  readonly stolen: number;
  readonly total: number;
}

/** Out of /proc/stat; undefined where it reports no steal time. */
export function parseProcessorTime(stat: string): ProcessorTime | undefined {
  const fields = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').slice(0, KINDS.length).map(Number);
  const stolen = fields?.[KINDS.indexOf('steal')];
  if (fields === undefined || stolen === undefined) return undefined;
  const total = fields.reduce((sum, ticks) => sum + ticks, 0);
  return Number.isFinite(total) ? { stolen, total } : undefined;
}

export function readProcessorTime(): ProcessorTime | undefined {
  const stat = read('/proc/stat');
  return stat === undefined ? undefined : parseProcessorTime(stat);
}

/** The share between two readings; undefined if either is missing, or no time passed. */
export function stolenShare(
  before: ProcessorTime | undefined,
  after: ProcessorTime | undefined,
): number | undefined {
  if (before === undefined || after === undefined || after.total <= before.total) return undefined;
  return (after.stolen - before.stolen) / (after.total - before.total);
}
