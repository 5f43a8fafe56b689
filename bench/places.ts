// The benchmark's directories. Data is next to the project and not in the system's temporary directory, which may be
// memory: a sync there would cost nothing.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository: the compiled benchmark is two folders below it. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BENCH = join(ROOT, 'bench');
export const PEERS = join(BENCH, '.peers');
const DATA = join(BENCH, '.data');

/** A new directory for the data of one invocation; the caller removes it. */
export function makeDataDirectory(): string {
  mkdirSync(DATA, { recursive: true });
  return mkdtempSync(join(DATA, 'run-'));
}
