// The accounts that a server knows, with their keys; the emulator's well-known one unless others are given.

/** Microsoft's published account of the emulator: no secret (table-rest.md 1.1). */
export const WELL_KNOWN_ACCOUNT = 'devstoreaccount1';
export const WELL_KNOWN_KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Account name to its keys in base64, one or two of them. */
export type AccountKeys = Readonly<Record<string, readonly string[]>>;

/** 3 to 24 lower-case letters and digits, as in Azure. */
const ACCOUNT_NAME = /^[a-z0-9]{3,24}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A setting that makes no sense. The message says what to change. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export class Accounts {
  readonly #keys: ReadonlyMap<string, readonly Buffer[]>;
  readonly #texts: AccountKeys;

  /** @throws ConfigurationError for names and keys that Azure could not have made. */
  constructor(accounts: AccountKeys) {
    this.#texts = accounts;
    this.#keys = new Map(
      Object.entries(accounts).map(([name, keys]) => [name, keys.map(key => decodeKey(name, key))]),
    );
    if (this.#keys.size === 0) throw new ConfigurationError('No account is configured.');
    for (const [name, keys] of this.#keys) {
      if (!ACCOUNT_NAME.test(name))
        throw new ConfigurationError(
          `The account name '${name}' must be 3 to 24 lower-case letters and digits.`,
        );
      if (keys.length === 0) throw new ConfigurationError(`The account '${name}' has no key.`);
    }
  }

  get names(): readonly string[] {
    return [...this.#keys.keys()];
  }

  has(name: string): boolean {
    return this.#keys.has(name);
  }

  /** Empty for an account that is not known. */
  keys(name: string): readonly Buffer[] {
    return this.#keys.get(name) ?? [];
  }

  /** The first key as it is written in connection strings. */
  keyText(name: string): string | undefined {
    return this.has(name) ? this.#texts[name]?.[0] : undefined;
  }

  get hasWellKnownKey(): boolean {
    const wellKnown = Buffer.from(WELL_KNOWN_KEY, 'base64');
    return [...this.#keys.values()].flat().some(key => key.equals(wellKnown));
  }
}

function decodeKey(name: string, key: string): Buffer {
  if (key === '' || !BASE64.test(key))
    throw new ConfigurationError(`A key of the account '${name}' is no base64.`);
  return Buffer.from(key, 'base64');
}

/** `account1:key1[:key2];account2:key1`, as Azurite's AZURITE_ACCOUNTS has it. */
export function parseAccounts(text: string): AccountKeys {
  const entries = text
    .split(';')
    .filter(entry => entry.trim() !== '')
    .map((entry): [string, string[]] => {
      const [name = '', ...keys] = entry.trim().split(':');
      return [name, keys];
    });
  return Object.fromEntries(entries);
}
