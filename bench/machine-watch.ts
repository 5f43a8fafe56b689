// Watches the machine while a load goes on, by a sentinel on every processor: when it stood still, and how much of it was stolen. What that
// means for requests is not decided here.
import { type Span, union } from './disturbance.js';
import { machineNow } from './machine-clock.js';
import { allowedProcessors, readProcessorTime, stolenShare } from './processors.js';
import { Sentinel, type Watched } from './sentinel.js';

export interface Machine {
  readonly sentinels: readonly Watched[];
  /** Noted by all sentinels. */
  readonly pauses: number;
  /** Milliseconds. */
  readonly longest: number;
  /** Of the time, in which at least one processor stood still. */
  readonly share: number;
  /** Of the processors' time; undefined where the system does not tell. */
  readonly stolen: number | undefined;
}

/** Whether anyone watched from the beginning to the end. */
export const isWatched = ({ sentinels }: Machine): boolean =>
  sentinels.some(({ lost }) => lost === undefined);

const lengthOf = ({ from, until }: Span): number => until - from;

/** What there is of the spans within another one. */
const within = (spans: readonly Span[], { from, until }: Span): readonly Span[] =>
  spans
    .map(span => ({ from: Math.max(from, span.from), until: Math.min(until, span.until) }))
    .filter(span => lengthOf(span) > 0);

/** Of the pauses that were noted in some time. */
export function figuresOf(
  pauses: readonly Span[],
  time: Span,
): Pick<Machine, 'pauses' | 'longest' | 'share'> {
  const noted = within(pauses, time);
  const still = union(noted).reduce((sum, span) => sum + lengthOf(span), 0);
  return {
    pauses: noted.length,
    longest: noted.reduce((longest, span) => Math.max(longest, lengthOf(span)), 0),
    share: still / lengthOf(time),
  };
}

/** Does the work while sentinels run, which are gone when it is done. Fails only if the work does. */
export async function watchMachine<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly machine: Machine; readonly pauses: readonly Span[] }> {
  const sentinels = await Promise.all(allowedProcessors().map(processor => Sentinel.start(processor)));
  const stopAll = () => Promise.all(sentinels.map(sentinel => sentinel.stop()));
  const before = readProcessorTime();
  const from = machineNow();
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await stopAll();
    throw error;
  }
  const time = { from, until: machineNow() };
  const stolen = stolenShare(before, readProcessorTime());
  const watched = await stopAll();
  const pauses = sentinels.flatMap(sentinel => sentinel.pauses);
  return { result, machine: { sentinels: watched, ...figuresOf(pauses, time), stolen }, pauses };
}
