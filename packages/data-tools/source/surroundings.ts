// What the data tools take from outside: the clocks, randomness and waiting. Tests pass their own; no other file of the
// package reads a clock.

export interface Surroundings {
  /** Milliseconds since 1970, for headers, manifests and journals. */
  readonly now: () => number;
  /** Milliseconds that never go back, for pauses and rates. */
  readonly ticks: () => number;
  /** From 0 up to 1. */
  readonly chance: () => number;
  /** Resolves after this many milliseconds, or rejects with the signal's reason. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    const stop = (): void => {
      settle();
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      settle();
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop);
  });

export const REAL_SURROUNDINGS: Surroundings = {
  now: Date.now,
  ticks: () => performance.now(),
  chance: Math.random,
  sleep,
};
