// A clock for listeners that stands still until a test moves it: no deadline passes because the machine is busy.
import type { TestContext } from 'node:test';

const SWEEP_MILLISECONDS = 5;

export interface StoppedClock {
  /** Advances the time; listeners opened since the clock was stopped end what takes too long by then. */
  pass(milliseconds: number): void;
}

/** Call before the listener is opened. After the test time passes again, so that no listener waits forever to close. */
export function stopClock(t: TestContext): StoppedClock {
  const sweeps: (() => void)[] = [];
  let now = performance.now();
  let isOver = false;
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    for (const sweep of sweeps) sweep();
  };
  const { setInterval } = globalThis;
  t.mock.method(performance, 'now', () => now);
  t.mock.method(globalThis, 'setInterval', (sweep: () => void, period: number) => {
    sweeps.push(sweep);
    return setInterval(() => {
      if (!isOver) return;
      now += period;
      sweep();
    }, SWEEP_MILLISECONDS);
  });
  t.after(() => {
    isOver = true;
  });
  return { pass };
}
