// `shelfmark restore`: makes a backup the data directory of a server to be started. It never writes over anything.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { fail } from './fail.js';
import { DATA_DEFAULT } from './options/data-default.js';
import { copyStore } from './store-task/copy-store.js';
import { describeStore } from './store-task/describe-store.js';

async function restore(directory: string, { data }: { readonly data: string }): Promise<void> {
  const report = await copyStore(directory, data);
  process.stdout.write(`Restored ${resolve(directory)} to ${resolve(data)}: ${describeStore(report)}.\n`);
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('copy a backup to where a server is to be started on it')
    .argument('<directory>', 'the backup')
    .option('--data <directory>', 'the data directory to make: empty, or not there', DATA_DEFAULT)
    .action((directory: string, flags: { readonly data: string }) => restore(directory, flags).catch(fail));
}
