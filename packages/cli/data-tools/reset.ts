// `shelfmark reset`: deletes the tables, queues and containers of an account.
import { Command } from 'commander';
import { reset, ToolError } from '#data-tools';
import { ADDRESS_HELP, addressOf, asTool } from './run-tool.js';

const EXAMPLES = `
Examples:
  shelfmark reset --to UseDevelopmentStorage=true --yes
  shelfmark reset --to @target --queues --blobs --yes
${ADDRESS_HELP}

Deletion cannot be undone. On Azure, the name of a deleted table cannot be used again for at least 40 seconds.`;

export function resetCommand(): Command {
  return asTool<{ yes?: boolean; queues?: boolean; blobs?: boolean }>(
    new Command('reset')
      .description('delete all tables of an account')
      .option('--to <target>', 'account to write (default: SHELFMARK_TO)')
      .option('--yes', 'confirm the deletion')
      .option('--queues', 'also delete all queues')
      .option('--blobs', 'also delete all containers'),
    EXAMPLES,
    async ({ to, yes, queues = false, blobs = false }, context) => {
      const target = addressOf('--to', to);
      if (!yes) throw new ToolError('usage', `reset deletes all tables at ${target.name}: say --yes.`);
      return reset({ target, queues, blobs }, context);
    },
  );
}
