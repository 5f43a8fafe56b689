// A name in a directory that one process at a time has, as a hard link to a file or socket of its own: it appears with
// its content, and a process that was killed blocks no other.
import { constants, copyFileSync, linkSync, rmSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { systemCodeOf } from '../source/tool-error.js';

/** Attempts to replace a dead owner that other processes replace at the same time. */
const TRIES_MAX = 50;
/** Another process removes a dead owner's link in less. */
const GUARD_MILLISECONDS = 10;
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** The file that has the name now; undefined if there is none. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.ctimeNs}`;
}

/** @returns false if the name is there already. */
function linked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(systemCodeOf(error))) throw error;
  }
  // The file system has no links, as on many USB sticks.
  try {
    copyFileSync(own, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the name; the directory may be gone already. */
export function leaveName(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The link of a process that is gone is replaced.
  }
}

/**
 * Takes the name for the file `own`, unless a living process has it. Only one process at a time removes the link of a
 * dead one, the one that has the guard's name: no living owner can appear between its look at the name and the removal.
 *
 * @param ownerOf what is known of the owner that a name leads to; undefined if it is dead.
 * @returns the living owner; `busy` if other processes took the name and died again and again.
 */
export async function takeName<Owner>(
  own: string,
  path: string,
  ownerOf: (path: string) => Owner | undefined | Promise<Owner | undefined>,
): Promise<'taken' | 'busy' | { readonly owner: Owner }> {
  const guard = `${path}.guard`;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (linked(own, path)) return 'taken';
    const found = identityOf(path);
    const owner = await ownerOf(path);
    if (owner !== undefined) return { owner };
    // It was removed since, and another process may link the name at any moment: that link must not be removed as dead.
    if (found === undefined) continue;
    if (linked(own, guard)) {
      if (identityOf(path) === found) leaveName(path);
      leaveName(guard);
      continue;
    }
    const held = identityOf(guard);
    if (held === undefined) continue;
    if ((await ownerOf(guard)) !== undefined) await setTimeout(GUARD_MILLISECONDS);
    else if (identityOf(guard) === held) leaveName(guard);
  }
  return 'busy';
}
