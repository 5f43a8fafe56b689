// The files that this process has open, as Linux tells.
import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { until } from '#base/testing/until';

export const NEEDS_PROC = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** The numbers under which a path is open. */
export function numbersOf(path: string): readonly number[] {
  const numbers = readdirSync('/proc/self/fd').filter(number => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`) === path;
    } catch {
      return false;
    }
  });
  return numbers.map(Number);
}

/** Has the number of an open file stand for another file. */
export function replaceFile(path: string, by: string, flags: string): void {
  const [number, ...others] = numbersOf(path);
  assert(
    number !== undefined && others.length === 0,
    `${path} is open ${others.length + 1} times or not at all.`,
  );
  closeSync(number);
  // The system gives the lowest number that is free.
  assert.equal(openSync(by, flags), number);
}

/** Files are closed by another thread. */
export async function untilClosed(...paths: readonly string[]): Promise<void> {
  await until(`${paths.join(', ')} to be closed`, () => paths.flatMap(numbersOf).length === 0);
}
