// `shelfmark sas`: prints the URL of a table with a shared access signature.
import { Command } from 'commander';
import { REAL_SURROUNDINGS, tableSasUrl } from '#data-tools';
import { runLocally } from './run-locally.js';
import { ADDRESS_HELP, addressOf, withUsageErrors } from './run-tool.js';

interface SasFlags {
  readonly from?: string;
  readonly table: string;
  readonly permissions?: string;
  readonly expires?: string;
  readonly fromKey?: string;
  readonly toKey?: string;
  readonly policy?: string;
}

const EXAMPLES = `
Examples:
  shelfmark sas --from @source --table orders --permissions r --expires 1h
  shelfmark sas --from @source --table orders --permissions raud --expires 7d --from-key customer1 --to-key customer1
  shelfmark sas --from @source --table orders --policy readers
  shelfmark sas --from @source --table orders --permissions r --expires 1h > orders.sas && shelfmark dump --from @orders.sas --table orders --out orders.jsonl
${ADDRESS_HELP}

Both keys are in the range. A comma that is the key's own stands behind a backslash. The URL is a secret: it is all that a reader needs.`;

export function sasCommand(): Command {
  const command = new Command('sas')
    .description("print a table's URL with a shared access signature")
    .option('--from <source>', 'the account, with its key (default: SHELFMARK_FROM)')
    .requiredOption('--table <name>', 'the table')
    .option('--permissions <letters>', 'of raud: read, add, update, delete')
    .option('--expires <when>', 'after a time as 30m, 1h or 7d, or at a time')
    .option('--from-key <keys>', 'PK or PK,RK: from this key on')
    .option('--to-key <keys>', 'PK or PK,RK: up to this key')
    .option('--policy <id>', 'a stored access policy, which says what the options leave out');
  return withUsageErrors(command)
    .addHelpText('after', EXAMPLES)
    .action(({ from, table, permissions, expires, fromKey, toKey, policy }: SasFlags) =>
      runLocally(() => {
        const request = { table, permissions, expires, fromKey, toKey, policy };
        return `${tableSasUrl(addressOf('--from', from), request, REAL_SURROUNDINGS.now())}\n`;
      }),
    );
}
