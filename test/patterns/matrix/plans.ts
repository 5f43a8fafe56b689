// Which crashes a case is put through: one at each request in every way, another at each request of what follows, and messages that are sent and delivered twice.
import { CRASHES, type Crash, type CrashPoint, isDeath } from './process.js';
import type { Plan, Ran } from './run-case.js';

export const NOTHING_FAILS: Plan = { program: [], worker: [], isTwice: false };

/**
 * Of two crashes. A process that dies before a request leaves what one leaves that died after the request before, and a connection that breaks before a request makes it come later; so does one that breaks
 * after a request which changes nothing.
 */
const OF_TWO: readonly Crash[] = ['dies after', 'reset after'];

const pointsOf = (
  requests: readonly boolean[],
  from: number,
  crashes: readonly Crash[],
): readonly CrashPoint[] =>
  [...requests.keys()].filter(at => at >= from).flatMap(at => crashes.map(crash => ({ at, crash })));

/** Every crash at each request of the program; if messages come twice, those of two. */
export const singles = ({ program }: Ran, isTwice: boolean): readonly Plan[] =>
  pointsOf(program, 0, isTwice ? OF_TWO : CRASHES)
    .filter(({ at }) => !isTwice || program[at])
    .map(point => ({ program: [point], worker: [], isTwice }));

/** The plans with another crash in what follows a first one, whose run went so: in the worker that takes over, or in the program if it lives. */
export function doubles({ isTwice, program: [first] }: Plan, ran: Ran): readonly Plan[] {
  if (isTwice || first === undefined || !OF_TWO.includes(first.crash) || !ran.program[first.at]) return [];
  if (!isDeath(first.crash))
    return pointsOf(ran.program, first.at + 1, OF_TWO)
      .filter(({ at }) => ran.program[at])
      .map(each => ({ program: [first, each], worker: [], isTwice }));
  return pointsOf(ran.worker, 0, OF_TWO)
    .filter(({ at }) => ran.worker[at])
    .map(each => ({ program: [first], worker: [each], isTwice }));
}
