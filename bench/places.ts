// The benchmark's directories. Data is next to the project and not in the system's temporary directory, which may be
// memory: a sync there would cost nothing.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository: the compiled benchmark is two folders below it. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BENCH = join(ROOT, 'bench');
export const PEERS = join(BENCH, '.peers');
export const DATA = join(BENCH, '.data');
