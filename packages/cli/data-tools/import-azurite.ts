// `shelfmark import-azurite`: an Azurite folder into an account.
import { Command } from 'commander';
import { importAzurite, MODES } from '#data-tools';
import { oneOf } from '../options/values.js';
import { type LoadFlags, withLast } from './load.js';
import { ADDRESS_HELP, addressOf, asTool } from './run-tool.js';

const EXAMPLES = `
Examples:
  shelfmark import-azurite ~/azurite --to UseDevelopmentStorage=true
  shelfmark import-azurite ~/azurite --to @target --table orders=orders2 --mode upsert
  shelfmark import-azurite ~/azurite --to @target --dry-run          prints what would be written
  shelfmark import-azurite ~/azurite --to @target --resume           continues after a kill

DIR is the value of \`azurite --location\`. Stop Azurite first: it writes its files some seconds late. Without --table,
--queues and --blobs everything is imported. Page blobs, snapshots and uncommitted blobs are skipped; each is reported
by name. The modes are those of load.
${ADDRESS_HELP}`;

export function importAzuriteCommand(): Command {
  return asTool<LoadFlags & { account?: string }>(
    new Command('import-azurite')
      .description('load the data folder of Azurite into an account')
      .argument('[dir]', 'the folder')
      .option('--to <target>', 'account to write (default: SHELFMARK_TO)')
      .option('--account <name>', 'account to import, if the folder has several')
      .option('--table <name...>', 'only these tables; * matches any characters; NAME=NEW renames')
      .option('--queues', 'also queues with their messages, if --table is given')
      .option('--blobs', 'also containers with their blobs, if --table is given')
      .option('--mode <mode>', 'insert, upsert, merge or skip', oneOf(MODES), 'insert')
      .option('--resume', 'continue an interrupted import')
      .option('--journal <file>', 'file that records progress (default: next to the folder)')
      .option('--dry-run', 'write nothing; check the folder and print what would be written'),
    EXAMPLES,
    ({ to, table = [], ...rest }, context, given) => {
      const { names, last } = withLast(table, given, 'Name the folder that `azurite --location` was given.');
      const options = { ...rest, target: addressOf('--to', to), input: last, names };
      return importAzurite(options, context);
    },
  );
}
