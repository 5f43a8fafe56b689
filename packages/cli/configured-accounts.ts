// The accounts of the environment, or the emulator's: every subcommand sees the same ones.
import { type AccountKeys, parseAccounts, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';

/** Azurite's variable is read too, so that its settings need no change. */
export function configuredAccounts(): AccountKeys {
  const text = process.env.SHELFMARK_ACCOUNTS ?? process.env.AZURITE_ACCOUNTS;
  return text ? parseAccounts(text) : { [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] };
}
