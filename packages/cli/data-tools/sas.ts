// `shelfmark sas`: prints the URL of a table with a shared access signature.
import { Command } from 'commander';
import { tableSasUrl } from '#data-tools';
import { ADDRESS_HELP, addressOf, runLocally, withUsageErrors } from './run-tool.js';

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

The range includes both keys. Escape a comma in a key with a backslash. The URL is a secret: whoever has it can use it.`;

export function sasCommand(): Command {
  const command = new Command('sas')
    .description('print the URL of a table with a shared access signature')
    .option('--from <source>', 'account, with its key (default: SHELFMARK_FROM)')
    .requiredOption('--table <name>', 'the table')
    .option('--permissions <letters>', 'letters of raud: read, add, update, delete')
    .option('--expires <when>', 'lifetime (30m, 1h, 7d) or time of expiry')
    .option('--from-key <keys>', 'first key of the range: PK or PK,RK')
    .option('--to-key <keys>', 'last key of the range: PK or PK,RK')
    .option('--policy <id>', 'stored access policy for whatever the options leave out');
  return withUsageErrors(command)
    .addHelpText('after', EXAMPLES)
    .action(({ from, table, permissions, expires, fromKey, toKey, policy }: SasFlags) =>
      runLocally(() => {
        const request = { table, permissions, expires, fromKey, toKey, policy };
        return `${tableSasUrl(addressOf('--from', from), request, Date.now())}\n`;
      }),
    );
}
