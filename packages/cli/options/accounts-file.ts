// A file of accounts: read at the start, and again whenever it changes or somebody asks. What becomes of them is the reader's
// matter. A file that makes no sense is told and changes nothing.
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AccountKeys, ConfigurationError, parseAccounts } from '#server';
import { textOf } from '../fail.js';

const PERIOD_MILLISECONDS = 1_000;

/** Takes the accounts, and resolves once they are the only ones that hold; rejects with a reason to keep the old ones. */
export type TakeAccounts = (accounts: AccountKeys) => Promise<void> | void;

/** Another text is another file, however it came to its place. */
function stampOf(path: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

export class AccountsFile {
  readonly path: string;
  /** As of the last look. */
  #stamp = '';
  #isSettled = true;
  #turn: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** @throws ConfigurationError or the system's error; no message holds a key. */
  read(): AccountKeys {
    this.#stamp = stampOf(this.path);
    this.#isSettled = true;
    const accounts = parseAccounts(readFileSync(this.path, 'utf8'));
    if (Object.keys(accounts).length === 0)
      throw new ConfigurationError(`There is no account in ${this.path}.`);
    return accounts;
  }

  /**
   * Has the accounts taken again at each SIGHUP, and when the file has changed and then not for a period: who writes it in
   * place may be in the middle of it. `say` is told what came of it.
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

  /** Whether there is another file than at the last reading, and it is the same as at the last look. */
  #hasSettled(): boolean {
    let stamp: string;
    try {
      stamp = stampOf(this.path);
    } catch {
      // It is being replaced, or gone: then there is nothing to be read, and the accounts stay.
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
