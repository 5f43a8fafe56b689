// `shelfmark backup`: copies the store of a data directory, which servers may be writing to, into an empty directory.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { fail } from './fail.js';
import { DATA_DEFAULT } from './options/data-default.js';
import { copyStore } from './store-task/copy-store.js';
import { describeStore } from './store-task/describe-store.js';

async function backUp(directory: string, { data }: { readonly data: string }): Promise<void> {
  const report = await copyStore(data, directory);
  process.stdout.write(`Backed up ${resolve(data)} to ${resolve(directory)}: ${describeStore(report)}.\n`);
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the data, of a running server too, into a directory')
    .argument('<directory>', 'where the backup goes: empty, or made for it')
    .option('--data <directory>', 'the data to copy', DATA_DEFAULT)
    .action((directory: string, flags: { readonly data: string }) => backUp(directory, flags).catch(fail));
}
