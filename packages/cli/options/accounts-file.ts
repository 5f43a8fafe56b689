// The accounts file: read at the start, at SIGHUP, and when it changes; the caller applies the accounts.
// An invalid file is reported and changes nothing.
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type AccountKeys,
  ConfigurationError,
  parseAccounts,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from '#server';
import { textOf } from '../fail.js';

const PERIOD_MILLISECONDS = 1_000;

/** Applies the accounts, and resolves once only they are valid; rejects with a reason to keep the old ones. */
type TakeAccounts = (accounts: AccountKeys) => Promise<void> | void;

/** A change of the file, in place or by a rename, changes this text. */
function stampOf(path: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

export class AccountsFile {
  readonly path: string;
  /** At the last check. */
  #stamp = '';
  #isSettled = true;
  #turn: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** @throws ConfigurationError or the system's error; no message contains a key. */
  read(): AccountKeys {
    this.#stamp = stampOf(this.path);
    this.#isSettled = true;
    const accounts = parseAccounts(readFileSync(this.path, 'utf8'));
    if (Object.keys(accounts).length === 0)
      throw new ConfigurationError(`There is no account in ${this.path}.`);
    return accounts;
  }

  /**
   * Applies the file again at each SIGHUP, and when it has changed and was then unchanged for a period, because a writer in place may
   * not have finished. `say` gets the result.
   */
  watch(
    take: TakeAccounts,
    say: (text: string) => void,
    periodMilliseconds = PERIOD_MILLISECONDS,
  ): () => void {
    const again = (): void => {
      this.#turn = this.#turn.then(() => this.#take(take, say));
    };
    const look = (): void => {
      if (this.#hasSettled()) again();
    };
    process.on('SIGHUP', again);
    const looking = setInterval(look, periodMilliseconds).unref();
    return () => {
      process.off('SIGHUP', again);
      clearInterval(looking);
    };
  }

  /** Whether the file differs from the one read last, and has not changed since the last check. */
  #hasSettled(): boolean {
    let stamp: string;
    try {
      stamp = stampOf(this.path);
    } catch {
      // The file is being replaced or was removed: the accounts stay.
      return false;
    }
    const isSame = stamp === this.#stamp;
    this.#stamp = stamp;
    if (isSame && !this.#isSettled) return true;
    if (!isSame) this.#isSettled = false;
    return false;
  }

  async #take(take: TakeAccounts, say: (text: string) => void): Promise<void> {
    try {
      const accounts = this.read();
      await take(accounts);
      say(`the accounts of ${this.path} hold now: ${namesOf(accounts)}.`);
    } catch (error) {
      say(`${this.path} was not taken, and the accounts stay as they were: ${textOf(error)}`);
    }
  }
}

const namesOf = (accounts: AccountKeys): string =>
  Object.entries(accounts)
    .map(([name, keys]) => `${name} with ${keys.length === 1 ? 'one key' : `${keys.length} keys`}`)
    .join(', ');

/** A file takes precedence over the environment. Azurite's variable is read too, so that its settings need no change. */
export function configuredAccounts(file: AccountsFile | undefined): AccountKeys {
  if (file !== undefined) return file.read();
  const text = process.env.SHELFMARK_ACCOUNTS ?? process.env.AZURITE_ACCOUNTS;
  return text ? parseAccounts(text) : { [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] };
}
