// `shelfmark reset`: deletes what an account has.
import { Command } from 'commander';
import { reset, ToolError } from '#data-tools';
import {
  ADDRESS_HELP,
  addressOf,
  type PaceFlags,
  runTool,
  withPace,
  withUsageErrors,
  writeOut,
} from './run-tool.js';

interface ResetFlags extends PaceFlags {
  readonly to?: string;
  readonly yes?: boolean;
  readonly queues?: boolean;
  readonly blobs?: boolean;
}

const EXAMPLES = `
Examples:
  shelfmark reset --to UseDevelopmentStorage=true --yes
  shelfmark reset --to @target --queues --blobs --yes
${ADDRESS_HELP}

Azure keeps the name of a deleted table for 40 seconds and more. What is deleted is gone.`;

export function resetCommand(): Command {
  const command = new Command('reset')
    .description('delete all tables of an account')
    .option('--to <target>', 'the account (default: SHELFMARK_TO)')
    .option('--yes', 'do it')
    .option('--queues', 'delete all queues, too')
    .option('--blobs', 'delete all containers, too');
  return withUsageErrors(withPace(command))
    .addHelpText('after', EXAMPLES)
    .action((flags: ResetFlags) =>
      runTool(flags, async context => {
        const { to, yes, queues = false, blobs = false } = flags;
        const target = addressOf('--to', to);
        if (!yes) throw new ToolError('usage', `reset deletes all tables at ${target.name}: say --yes.`);
        const tables = await reset({ target, queues, blobs }, context, deleted =>
          writeOut(`${JSON.stringify(deleted)}\n`),
        );
        return { tables };
      }),
    );
}
