// The files that this process has open, as Linux reports them.
import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { until } from '#base/testing/until';

export const NEEDS_PROC = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** The descriptors under which a path is open. */
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

/** Makes an open file's descriptor refer to another file. */
export function replaceFile(path: string, by: string, flags: string): void {
  const [number, ...others] = numbersOf(path);
  assert(
    number !== undefined && others.length === 0,
    `${path} is open ${others.length + 1} times or not at all.`,
  );
  closeSync(number);
  // The system uses the lowest free descriptor.
  assert.equal(openSync(by, flags), number);
}

/** Another thread closes files. */
export async function untilClosed(...paths: readonly string[]): Promise<void> {
  await until(`${paths.join(', ')} to be closed`, () => paths.flatMap(numbersOf).length === 0);
}
