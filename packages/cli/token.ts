// `shelfmark token`: prints a bearer token of the local issuer, which a server with the same accounts accepts.
import { Command } from 'commander';
import { Accounts, ConfigurationError, issueToken, type Role } from '#server';
import { ROLES } from '#server/parts';
import { fail } from './fail.js';
import { AccountsFile, configuredAccounts } from './options/accounts-file.js';
import { each, oneOf, wholeIn } from './options/values.js';

const MINUTES_DEFAULT = 60;
/** Only a change of the account's key revokes a token. */
const MINUTES_MAX = 7 * 24 * 60;

const parseMinutes = wholeIn(1, MINUTES_MAX, `A number of minutes from 1 to ${MINUTES_MAX}.`);

interface Flags {
  readonly account?: string;
  readonly role?: readonly Role[];
  readonly minutes: number;
  readonly accounts?: string;
}

async function printToken(flags: Flags): Promise<void> {
  const accounts = new Accounts(
    configuredAccounts(flags.accounts === undefined ? undefined : new AccountsFile(flags.accounts)),
  );
  const account = flags.account ?? accounts.names[0];
  if (account === undefined) throw new ConfigurationError('No account is configured.');
  const roles: readonly Role[] = flags.role ?? ['Storage Table Data Contributor'];
  const now = BigInt(Date.now()) * 10_000n;
  const token = await issueToken(accounts, { account, roles, lifetimeSeconds: flags.minutes * 60 }, now);
  process.stdout.write(`${token}\n`);
}

export function tokenCommand(): Command {
  return new Command('token')
    .description('print a bearer token for the Authorization header')
    .option('--account <name>', 'account (default: the first one configured)')
    .option(
      '--role <role>',
      'role that the token grants; repeatable (default: Storage Table Data Contributor)',
      each(oneOf(ROLES)),
    )
    .option('--accounts <file>', "the server's accounts file")
    .option('--minutes <minutes>', 'lifetime of the token in minutes', parseMinutes, MINUTES_DEFAULT)
    .action((flags: Flags) => printToken(flags).catch(fail));
}
