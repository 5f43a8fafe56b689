// The accounts of a server, with their keys; the emulator's well-known one unless others are given. They can be replaced
// while the server runs, so callers look them up for each request and keep none.

/** Microsoft's published account of the emulator: no secret (protocol: requests#addresses). */
export const WELL_KNOWN_ACCOUNT = 'devstoreaccount1';
export const WELL_KNOWN_KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const WELL_KNOWN_KEY_BYTES = Buffer.from(WELL_KNOWN_KEY, 'base64');
const isWellKnown = (key: Buffer): boolean => key.equals(WELL_KNOWN_KEY_BYTES);

/** Account name to its keys in base64, one or two of them. */
export type AccountKeys = Readonly<Record<string, readonly string[]>>;

/** As in Azure: while one is replaced, the other holds. */
export const KEYS_MAX = 2;
/** 3 to 24 lower-case letters and digits, as in Azure. */
const ACCOUNT_NAME = /^[a-z0-9]{3,24}$/;
/** Longest account name that messages show; randomly generated keys are longer. */
const SHOWN_LENGTH_MAX = 25;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** An invalid setting. The message explains what to change. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export class Accounts {
  readonly #keys: Map<string, readonly Buffer[]>;
  /** By the names of the accounts: those of the moment. */
  readonly keys: ReadonlyMap<string, readonly Buffer[]>;
  #texts: AccountKeys;

  /** @throws ConfigurationError for names and keys that Azure could not have made. */
  constructor(accounts: AccountKeys) {
    this.#keys = decodeAccounts(accounts);
    this.keys = this.#keys;
    this.#texts = accounts;
  }

  /**
   * From now on these are the accounts and no others.
   *
   * @throws ConfigurationError as the constructor does; then nothing has changed.
   */
  replace(accounts: AccountKeys): void {
    const replacement = decodeAccounts(accounts);
    this.#keys.clear();
    for (const [name, keys] of replacement) this.#keys.set(name, keys);
    this.#texts = accounts;
  }

  get names(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** The first key as it is written in connection strings. */
  keyText(name: string): string | undefined {
    return this.keys.has(name) ? this.#texts[name]?.[0] : undefined;
  }

  get hasWellKnownKey(): boolean {
    return [...this.#keys.values()].flat().some(isWellKnown);
  }

  /** Whether it is the emulator's account with the published key and no other. */
  isPublished(name: string): boolean {
    return name === WELL_KNOWN_ACCOUNT && this.#keys.get(name)?.every(isWellKnown) === true;
  }
}

function decodeAccounts(accounts: AccountKeys): Map<string, readonly Buffer[]> {
  const entries = Object.entries(accounts);
  if (entries.length === 0) throw new ConfigurationError('No account is configured.');
  const decoded = new Map<string, readonly Buffer[]>();
  for (const [i, [name, keys]] of entries.entries()) {
    const account = nameOf(name, i);
    if (!ACCOUNT_NAME.test(name))
      throw new ConfigurationError(
        `The account name ${account} must be 3 to 24 lower-case letters and digits.`,
      );
    if (keys.length === 0) throw new ConfigurationError(`The account ${account} has no key.`);
    if (keys.length > KEYS_MAX)
      throw new ConfigurationError(
        `The account ${account} has ${keys.length} keys; it may have ${KEYS_MAX}.`,
      );
    decoded.set(
      name,
      keys.map(key => decodeKey(account, key)),
    );
  }
  return decoded;
}

/** Without a name or a colon the key is parsed as the name: texts of a key's length are not repeated. */
const nameOf = (name: string, index: number): string =>
  name.length <= SHOWN_LENGTH_MAX && !name.includes('=') ? `'${name}'` : `at place ${index + 1}`;

function decodeKey(account: string, key: string): Buffer {
  if (key === '' || !BASE64.test(key))
    throw new ConfigurationError(`A key of the account ${account} is not base64.`);
  return Buffer.from(key, 'base64');
}

/**
 * `account1:key1[:key2];account2:key1`, as Azurite's AZURITE_ACCOUNTS has it. In a file each may have a line of its own, and
 * lines that begin with `#` say nothing.
 *
 * @throws ConfigurationError for an account that is given twice.
 */
export function parseAccounts(text: string): AccountKeys {
  const entries = text
    .split('\n')
    .filter(line => !line.trimStart().startsWith('#'))
    .flatMap(line => line.split(';'))
    .filter(entry => entry.trim() !== '')
    .map((entry): [string, string[]] => {
      const [name = '', ...keys] = entry.trim().split(':');
      return [name, keys];
    });
  const names = new Set<string>();
  for (const [i, [name]] of entries.entries()) {
    if (names.has(name)) throw new ConfigurationError(`The account ${nameOf(name, i)} is given twice.`);
    names.add(name);
  }
  return Object.fromEntries(entries);
}
