// `shelfmark account`: the accounts of a server's --accounts file. A running server applies changes within two seconds,
// or at SIGHUP.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { systemCodeOf, ToolError } from '#data-tools';
import { runLocally, withUsageErrors } from '../data-tools/run-tool.js';
import { accountsIn, addAccount, newKey, removeAccount, rotateKey } from './accounts-edit.js';

const FILE_FLAGS = '--accounts <file>';
const FILE_HELP = "the server's accounts file";

const counted = (keys: readonly string[]): string => (keys.length === 1 ? '1 key' : `${keys.length} keys`);

interface FileFlags {
  readonly accounts: string;
}

/** Keys come from a file, because arguments show in `ps`. */
function keyIn(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').trim();
  } catch (error) {
    throw new ToolError('usage', `The file ${path} of the key cannot be read: ${systemCodeOf(error)}.`);
  }
}

function listCommand(): Command {
  return new Command('list')
    .description('list the accounts and how many keys each has')
    .requiredOption(FILE_FLAGS, FILE_HELP)
    .option('--json', 'print one JSON line per account: name, keys')
    .action(({ accounts, json }: FileFlags & { json?: true }) =>
      runLocally(() =>
        Object.entries(accountsIn(accounts))
          .map(([name, keys]) =>
            json ? `${JSON.stringify({ name, keys: keys.length })}\n` : `${name}: ${counted(keys)}\n`,
          )
          .join(''),
      ),
    );
}

function addCommand(): Command {
  return new Command('add')
    .description('add an account with a new random key')
    .argument('<name>', '3 to 24 lower-case letters and digits')
    .requiredOption(FILE_FLAGS, `${FILE_HELP}; created if missing`)
    .option(
      '--key-file <file>',
      'file with the key in base64, or - for standard input (default: a random key)',
    )
    .action((name: string, { accounts, keyFile }: FileFlags & { keyFile?: string }) =>
      runLocally(() => {
        addAccount(accounts, name, keyFile === undefined ? newKey() : keyIn(keyFile));
        return `Added ${name} to ${accounts}, with its key.\n`;
      }),
    );
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('give an account a new primary key; the old one becomes the secondary key')
    .argument('<name>', 'the account')
    .requiredOption(FILE_FLAGS, FILE_HELP)
    .option('--leaked', 'revoke the old key at once instead of keeping it')
    .action((name: string, { accounts, leaked = false }: FileFlags & { leaked?: boolean }) =>
      runLocally(() => {
        rotateKey(accounts, name, newKey(), leaked);
        const before = leaked ? 'no other key holds' : 'the key before it holds on as the second';
        return `${name} has a new key in ${accounts}; ${before}.\n`;
      }),
    );
}

function removeCommand(): Command {
  return new Command('remove')
    .description('remove an account; its data is kept')
    .argument('<name>', 'the account')
    .requiredOption(FILE_FLAGS, FILE_HELP)
    .action((name: string, { accounts }: FileFlags) =>
      runLocally(() => {
        removeAccount(accounts, name);
        return `Removed ${name} from ${accounts}.\n`;
      }),
    );
}

const EXAMPLES = `
Examples:
  shelfmark account list --accounts /etc/shelfmark/accounts
  shelfmark account add shop --accounts /etc/shelfmark/accounts
  shelfmark account rotate shop --accounts /etc/shelfmark/accounts             rotate, move the clients, rotate again: both keys are new
  shelfmark account remove shop --accounts /etc/shelfmark/accounts

Keys are never printed. A server started with --accounts applies the change within two seconds.`;

export function accountCommand(): Command {
  const command = new Command('account').description("list, add, rotate and remove a server's accounts");
  for (const each of [listCommand(), addCommand(), rotateCommand(), removeCommand()])
    command.addCommand(withUsageErrors(each).addHelpText('after', EXAMPLES));
  return withUsageErrors(command).addHelpText('after', EXAMPLES);
}
