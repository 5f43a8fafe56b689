// `shelfmark diff`: the differences between two accounts or dumps.
import { Command } from 'commander';
import { diff } from '#data-tools';
import { ADDRESS_HELP, asTool, sourceOf } from './run-tool.js';

const EXAMPLES = `
Examples:
  shelfmark diff --from @source --to @target --all
  shelfmark diff --from backup --to @source --table orders
  shelfmark diff --from monday --to tuesday --table orders --timestamps

Prints one JSON line per difference: table, PartitionKey, RowKey, kind (only-from, only-to, differs) and properties.
Exits with 1 if there is a difference.
${ADDRESS_HELP}`;

export function diffCommand(): Command {
  return asTool<{ timestamps?: boolean }>(
    new Command('diff')
      .description('compare tables of two accounts or dumps')
      .option('--from <source>', 'an account or the directory of a dump (default: SHELFMARK_FROM)')
      .option('--to <target>', 'an account or the directory of a dump (default: SHELFMARK_TO)')
      .option(
        '--table <name...>',
        'tables; * matches any characters; NAME=NEW if the other side has another name',
      )
      .option('--all', 'all tables')
      .option('--timestamps', 'compare Timestamp values, too'),
    EXAMPLES,
    async ({ from, to, table = [], all = false, timestamps }, context) => {
      const sides = {
        from: await sourceOf('--from', from, context, 'diff'),
        to: await sourceOf('--to', to, context, 'diff'),
      };
      return diff({ ...sides, choice: { all, names: table }, timestamps }, context);
    },
  );
}
