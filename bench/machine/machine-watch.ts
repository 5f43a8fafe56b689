// Watches the machine while a load runs: pauses, by a sentinel on every processor, and steal time, from the system's
// reports. Its callers decide what that means for requests.
import { machineNow } from './machine-clock.js';
import { allowedProcessors, readProcessorTime, stolenShare } from './processors.js';
import { Sentinel, type Watched } from './sentinel.js';
import { type Span, union } from './span.js';
import { watchStealTime } from './steal-time.js';

export interface Machine {
  readonly sentinels: readonly Watched[];
  /** Noted by all sentinels. */
  readonly pauses: number;
  /** Milliseconds. */
  readonly longest: number;
  /** The share of the time in which at least one processor stood still. */
  readonly share: number;
  /** Steal time: the share of the processors' time that the host gave to others; undefined where the system does not report it. */
  readonly stolen: number | undefined;
  /** The share of the time in which there was any steal time. bench/results.jsonl has it under this name. */
  readonly thieving: number;
}

/** Whether the sentinels watched from the beginning to the end. */
export const isWatched = ({ sentinels }: Machine): boolean =>
  sentinels.some(({ lost }) => lost === undefined);

const lengthOf = ({ from, until }: Span): number => until - from;

/** The parts of the spans that lie within another one. */
const within = (spans: readonly Span[], { from, until }: Span): readonly Span[] =>
  spans
    .map(span => ({ from: Math.max(from, span.from), until: Math.min(until, span.until) }))
    .filter(span => lengthOf(span) > 0);

const shareOf = (spans: readonly Span[], time: Span): number =>
  union(within(spans, time)).reduce((sum, span) => sum + lengthOf(span), 0) / lengthOf(time);

/** Summarizes the pauses that were noted in a span. */
export function metricsOf(
  pauses: readonly Span[],
  time: Span,
): Pick<Machine, 'pauses' | 'longest' | 'share'> {
  const noted = within(pauses, time);
  return {
    pauses: noted.length,
    longest: noted.reduce((longest, span) => Math.max(longest, lengthOf(span)), 0),
    share: shareOf(pauses, time),
  };
}

/** Does the work while sentinels run, which are gone when it is done. Fails only if the work does. */
export async function watchMachine<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly machine: Machine; readonly disturbances: readonly Span[] }> {
  const sentinels = await Promise.all(allowedProcessors().map(processor => Sentinel.start(processor)));
  const stopAll = () => Promise.all(sentinels.map(sentinel => sentinel.stop()));
  const stopLooking = watchStealTime();
  const before = readProcessorTime();
  const from = machineNow();
  let result: T;
  try {
    result = await work();
  } catch (error) {
    stopLooking();
    await stopAll();
    throw error;
  }
  const time = { from, until: machineNow() };
  const stolen = stolenShare(before, readProcessorTime());
  const stealTime = stopLooking();
  const watched = await stopAll();
  const pauses = sentinels.flatMap(sentinel => sentinel.pauses);
  const metrics = { ...metricsOf(pauses, time), stolen, thieving: shareOf(stealTime, time) };
  return { result, machine: { sentinels: watched, ...metrics }, disturbances: [...pauses, ...stealTime] };
}
