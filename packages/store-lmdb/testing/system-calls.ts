// Calls of the system that behave as a test needs and no disk does when it is told to: writes that are short, a disk with so many bytes left.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

/** Replaces calls of `node:fs`, for every module of this process, until the test ends. What was taken from there before stays as it was. */
export function replaceCalls(t: TestContext, calls: Partial<typeof fs>): void {
  const before = Object.fromEntries(Object.keys(calls).map(name => [name, Reflect.get(fs, name)]));
  Object.assign(fs, calls);
  syncBuiltinESMExports();
  t.after(() => {
    Object.assign(fs, before);
    syncBuiltinESMExports();
  });
}

let instances = 0;

/** A module once more, which takes the calls that it keeps as they are now. */
export const importAnew = <Module>(module: URL): Promise<Module> => import(`${module}?${++instances}`);
