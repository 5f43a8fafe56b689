// System calls that misbehave on demand, as no disk does: short writes, a disk with a given number of bytes left.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

/**
 * Replaces calls of `node:fs`, for every module of this process, until the test ends. Functions imported from there
 * before stay as they were.
 */
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

/** Imports a module once more; it captures the calls as they are now. */
export const importAnew = <Module>(module: URL): Promise<Module> => import(`${module}?${++instances}`);
