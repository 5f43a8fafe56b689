// The address of the store from a command's options: --store, or a short form for a directory or memory.
import { addressOf, ConfigurationError, ENGINES } from '#server';
import { DATA_DEFAULT } from './data-default.js';

export const STORE_FLAGS = '--store <address>';

/** The options of a command that say where the data is. */
export interface StoreFlags {
  readonly store?: string | undefined;
  readonly data?: string | undefined;
  /** Azurite's name of `data`. */
  readonly location?: string | undefined;
  readonly inMemoryPersistence?: boolean | undefined;
}

/**
 * The address of the store.
 *
 * @throws ConfigurationError for a text that is not an address of a known engine, and for `--store` beside another option for the data.
 */
export function storeAddress({ store, data, location, inMemoryPersistence }: StoreFlags): string {
  if (store === undefined)
    return addressOf({ data: inMemoryPersistence ? undefined : (data ?? location ?? DATA_DEFAULT) });
  const other = data !== undefined ? '--data' : location !== undefined ? '--location' : undefined;
  const second = other ?? (inMemoryPersistence ? '--inMemoryPersistence' : undefined);
  if (second !== undefined)
    throw new ConfigurationError(
      `--store and ${second} both say where the data is: leave out one of the two.`,
    );
  ENGINES.tools(store);
  return store;
}
