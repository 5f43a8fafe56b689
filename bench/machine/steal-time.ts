// Steal time: the spans in which the machine's host gave its processors to others, from repeated readings of the total so far. Callers decide
// what that means for requests.
import { machineNow } from './machine-clock.js';
import { readProcessorTime } from './processors.js';
import { type Span, union } from './span.js';

/** The total steal time at some moment of the machine's clock; undefined where the system does not report it. */
export interface Reading {
  readonly at: number;
  readonly stolen: number | undefined;
}

/** The system counts in ticks of 10 ms: a higher rate would show no more. */
const READ_EVERY_MILLISECONDS = 50;

/** From each reading to the next one with more steal time. */
export function stealTimeBetween(readings: readonly Reading[]): readonly Span[] {
  const spans = readings.slice(1).flatMap(({ at, stolen = 0 }, index) => {
    const before = readings[index];
    return before?.stolen !== undefined && stolen > before.stolen ? [{ from: before.at, until: at }] : [];
  });
  return union(spans);
}

const read = (): Reading => ({ at: machineNow(), stolen: readProcessorTime()?.stolen });

/** Reads from now on. The returned function stops that and returns the spans with steal time. */
export function watchStealTime(): () => readonly Span[] {
  const readings = [read()];
  const timer = setInterval(() => readings.push(read()), READ_EVERY_MILLISECONDS);
  return () => {
    clearInterval(timer);
    return stealTimeBetween([...readings, read()]);
  };
}
