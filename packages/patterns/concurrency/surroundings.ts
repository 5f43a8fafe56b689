// What the library takes from outside: the clock, random bytes and waiting. Tests inject their own. No other file reads a clock.
import { onAbort } from './abort.js';

export interface Chance {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** So many random bytes. */
  readonly random: (count: number) => Uint8Array;
}

/** The clock, random bytes and pauses that the library takes from outside. */
export interface Surroundings extends Chance {
  /** With `isIdle` the pause alone does not keep the process from ending. */
  readonly sleep: (
    milliseconds: number,
    signal?: AbortSignal | undefined,
    isIdle?: boolean | undefined,
  ) => Promise<void>;
}

/** Milliseconds beyond which a timer ends at once. */
export const TIMER_MAX = 2 ** 31 - 1;

const sleep: Surroundings['sleep'] = (milliseconds, signal, isIdle) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        release();
        resolve();
      },
      Math.min(milliseconds, TIMER_MAX),
    );
    // Browsers have no `unref`.
    if (isIdle) timer.unref?.();
    const release = onAbort(signal, stop);
  });

export const REAL_SURROUNDINGS: Surroundings = {
  now: Date.now,
  random: count => crypto.getRandomValues(new Uint8Array(count)),
  sleep,
};

/** From 0 up to 1. */
export function fraction(random: Chance['random']): number {
  return random(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32;
}

/** A UUID of version 4. */
export function newUuid(random: Chance['random']): string {
  const bytes = Uint8Array.from(random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
