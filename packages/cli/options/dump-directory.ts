// A dump of the data tools given to a command for data directories: told with the command that is for it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const MARKS = ['SHA256SUMS', 'manifest.json', '.partial'];
const EXIT_USAGE = 2;

/** Ends the process with 2 where the directory is a dump. */
export function refuseDump(directory: string, command: 'load' | 'verify'): void {
  if (existsSync(join(directory, 'data.mdb')) || !MARKS.some(name => existsSync(join(directory, name))))
    return;
  process.stderr.write(
    `shelfmark: ${directory} is a dump, not a data directory or a backup: \`shelfmark ${command}\` is for it.\n`,
  );
  process.exit(EXIT_USAGE);
}
