// The engines that a server can open, by the addresses of stores: `lmdb:DIR`, `memory:`, `cassandra://…`. The only file outside an engine that names
// engines: to add one, add it to ENGINES (docs/engines.md). It is also the face of the package for commands that serve nothing: they load no server.
import {
  type Engine,
  type EngineKind,
  type EngineOptions,
  type EngineTools,
  memoryEngine,
  StoreError,
} from '#store';
import { cassandraEngine } from '#store-cassandra';
import { lmdbEngine } from '#store-lmdb';
import { ConfigurationError } from './auth/accounts.js';

export { ConfigurationError };

/** A scheme has two letters or more: `C:\data` is a directory. */
const ADDRESS = /^([a-z][a-z0-9-]+):(.*)$/s;

interface Found {
  readonly kind: EngineKind;
  readonly place: string;
}

/** What a command can ask of a store that is not open. */
type ToolName = 'check' | 'backup' | 'restore';

export class Engines {
  readonly #kinds: ReadonlyMap<string, EngineKind>;

  constructor(kinds: readonly EngineKind[]) {
    this.#kinds = new Map(kinds.map(kind => [kind.scheme, kind]));
  }

  /** Whether the text begins as an address of a known engine does. */
  isAddress(text: string): boolean {
    return this.#kinds.has(ADDRESS.exec(text)?.[1] ?? '');
  }

  /** @throws ConfigurationError for what is not an address, StoreError where the data cannot be opened. */
  open(address: string, options: EngineOptions): Promise<Engine> {
    const { kind, place } = this.#find(address);
    return kind.open(place, options);
  }

  /** @throws ConfigurationError for what is not an address. */
  tools(address: string): EngineTools {
    const { kind, place } = this.#find(address);
    return kind.tools(place);
  }

  /** @throws StoreError `unsupported` if the engine has no such tool, ConfigurationError for what is not an address. */
  tool<Name extends ToolName>(address: string, name: Name): NonNullable<EngineTools[Name]> {
    const { kind, place } = this.#find(address);
    const tool = kind.tools(place)[name];
    if (tool === undefined)
      throw new StoreError('unsupported', `The engine '${kind.scheme}' has no ${name}.`);
    return tool;
  }

  /** What is not known is not repeated but for its scheme: it may hold a secret. */
  #find(address: string): Found {
    const [, scheme = '', place = ''] = ADDRESS.exec(address) ?? [];
    const kind = this.#kinds.get(scheme);
    if (kind === undefined) {
      const what = scheme === '' ? 'That is not the address of a store' : `There is no engine '${scheme}'`;
      throw new ConfigurationError(`${what}: known are ${this.#known()}.`);
    }
    if ((place === '') !== (kind.placeName === '')) {
      const what = place === '' ? 'needs a place behind the colon' : 'takes nothing behind the colon';
      throw new ConfigurationError(
        `An address of the engine '${scheme}' ${what}: known are ${this.#known()}.`,
      );
    }
    return { kind, place };
  }

  #known(): string {
    return [...this.#kinds.values()].map(({ scheme, placeName }) => `${scheme}:${placeName}`).join(', ');
  }
}

export const ENGINES = new Engines([lmdbEngine, memoryEngine, cassandraEngine]);

/**
 * The address of a store that is named in full, or by its directory, or not at all, which means memory.
 *
 * @throws ConfigurationError if it is named twice.
 */
export function addressOf({
  store,
  data,
}: {
  readonly store?: string | undefined;
  readonly data?: string | undefined;
}): string {
  if (store !== undefined && data !== undefined)
    throw new ConfigurationError('The data is in one place: give `store` or `data`, not both.');
  // An empty name is this directory's, as everywhere.
  return store ?? (data === undefined ? 'memory:' : `lmdb:${data || '.'}`);
}
