// `shelfmark import-azurite`: a folder of Azurite's into an account.
import { Command } from 'commander';
import { importAzurite } from '#data-tools';
import { type LoadFlags, withLast } from './load.js';
import { ADDRESS_HELP, addressOf, runTool, withPace, withUsageErrors, writeOut } from './run-tool.js';

interface ImportFlags extends LoadFlags {
  readonly account?: string;
}

const EXAMPLES = `
Examples:
  shelfmark import-azurite ~/azurite --to UseDevelopmentStorage=true
  shelfmark import-azurite ~/azurite --to @target --table orders=orders2 --mode upsert
  shelfmark import-azurite ~/azurite --to @target --dry-run          says what would be written
  shelfmark import-azurite ~/azurite --to @target --resume           goes on after a kill

Without --table, --queues and --blobs all is imported. Page blobs, snapshots and blobs that were never committed are
skipped, each told by its name. DIR is what \`azurite --location\` was given. Stop Azurite first: it writes its files
some seconds late. One gets what Azurite answered. Modes are those of load.
${ADDRESS_HELP}`;

export function importAzuriteCommand(): Command {
  const command = new Command('import-azurite')
    .description("load a folder of Azurite's into an account, over the wire")
    .argument('[dir]', 'the folder')
    .option('--to <target>', 'the account (default: SHELFMARK_TO)')
    .option('--account <name>', 'which of several accounts in the folder')
    .option('--table <name...>', 'only these tables, also with * in the name; NAME=NEW gives another name')
    .option('--queues', 'queues with their messages, too, where --table is given')
    .option('--blobs', 'containers with their blobs, too, where --table is given')
    .option('--mode <mode>', 'insert, upsert, merge or skip', 'insert')
    .option('--resume', 'go on with an import that was interrupted')
    .option('--journal <file>', 'where progress is kept (default: beside the folder)')
    .option('--dry-run', 'check the folder and say what would be written');
  return withUsageErrors(withPace(command))
    .addHelpText('after', EXAMPLES)
    .action((given: string | undefined, flags: ImportFlags) =>
      runTool(flags, context => {
        const { to, table = [], ...rest } = flags;
        const { names, last } = withLast(
          table,
          given,
          'Name the folder that `azurite --location` was given.',
        );
        const options = { ...rest, target: addressOf('--to', to), input: last, names };
        return importAzurite(options, context, writeOut);
      }),
    );
}
