// Refuses a dump of the data tools given to a command for data directories, and names the right command.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const MARKS = ['SHA256SUMS', 'manifest.json', '.partial'];
const EXIT_USAGE = 2;

/** Ends the process with 2 if the directory is a dump. */
export function refuseDump(directory: string, command: 'load' | 'verify'): void {
  if (existsSync(join(directory, 'data.mdb')) || !MARKS.some(name => existsSync(join(directory, name))))
    return;
  process.stderr.write(
    `shelfmark: ${directory} is a dump, not a data directory or a backup: \`shelfmark ${command}\` is for it.\n`,
  );
  process.exit(EXIT_USAGE);
}
