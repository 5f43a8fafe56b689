// The configured accounts: from a file, from the environment, or the emulator's, the same for every subcommand.
import { type AccountKeys, parseAccounts, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';
import type { AccountsFile } from './accounts-file.js';

/** A file takes precedence over the environment. Azurite's variable is read too, so that its settings need no change. */
export function configuredAccounts(file: AccountsFile | undefined): AccountKeys {
  if (file !== undefined) return file.read();
  const text = process.env.SHELFMARK_ACCOUNTS ?? process.env.AZURITE_ACCOUNTS;
  return text ? parseAccounts(text) : { [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] };
}
