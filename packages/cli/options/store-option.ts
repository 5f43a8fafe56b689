// The place of the data from a command's options: --store, or a short form for a directory or memory. A dump of the data tools given in its
// place is refused, with the name of the right command.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, ConfigurationError, ENGINES } from '#server/engines';

export const STORE_FLAGS = '--store <address>';

/** The options of a command that set the place of the data. */
export interface StoreFlags {
  readonly store?: string | undefined;
  readonly data?: string | undefined;
  /** Azurite's name of `data`. */
  readonly location?: string | undefined;
  readonly inMemoryPersistence?: boolean | undefined;
}

/**
 * The address of the store. Of `--data` and `--location`, which name a directory each, `--data` wins.
 *
 * @throws ConfigurationError for a text that is not an address of a known engine, and for two of `--store`, a directory and
 *   `--inMemoryPersistence`. Azurite refuses the last two together too.
 */
export function storeAddress({ store, data, location, inMemoryPersistence }: StoreFlags): string {
  const directory = data !== undefined ? '--data' : location !== undefined ? '--location' : undefined;
  const [first, second] = [
    store === undefined ? undefined : '--store',
    inMemoryPersistence ? '--inMemoryPersistence' : undefined,
    directory,
  ].filter(flag => flag !== undefined);
  if (second !== undefined)
    throw new ConfigurationError(
      `${first} and ${second} both say where the data is: leave out one of the two.`,
    );
  if (store === undefined)
    return addressOf({ data: inMemoryPersistence ? undefined : (data ?? location ?? DATA_DEFAULT) });
  ENGINES.tools(store);
  return store;
}

export const DATA_DEFAULT = 'shelfmark-data';

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
