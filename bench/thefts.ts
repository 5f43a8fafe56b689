// When the machine's host kept processors for others, by looking again and again at how much it has kept so far. What that means for
// requests is not decided here.
import { type Span, union } from './disturbance.js';
import { machineNow } from './machine-clock.js';
import { readProcessorTime } from './processors.js';

/** How much of the processors' time was stolen until some moment of the machine's clock; undefined where the system does not tell. */
export interface Look {
  readonly at: number;
  readonly stolen: number | undefined;
}

/** The system counts in ticks of 10 ms: to look more often would tell no more of a theft that goes on. */
const LOOK_MILLISECONDS = 50;

/** From each look to the next one that found more stolen. */
export function theftsBetween(looks: readonly Look[]): readonly Span[] {
  const spans = looks.slice(1).flatMap(({ at, stolen = 0 }, index) => {
    const before = looks[index];
    return before?.stolen !== undefined && stolen > before.stolen ? [{ from: before.at, until: at }] : [];
  });
  return union(spans);
}

const look = (): Look => ({ at: machineNow(), stolen: readProcessorTime()?.stolen });

/** Looks from now on; what is given ends that, and tells what was seen. */
export function watchThefts(): () => readonly Span[] {
  const looks = [look()];
  const timer = setInterval(() => looks.push(look()), LOOK_MILLISECONDS);
  return () => {
    clearInterval(timer);
    return theftsBetween([...looks, look()]);
  };
}
