// `shelfmark backup`: copies the data of a store, which servers may be writing to, into an empty directory.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { ENGINES } from '#server/engines';
import { fail } from './fail.js';
import { DATA_DEFAULT, STORE_FLAGS, type StoreFlags, storeAddress } from './options/store-option.js';
import { copyStore } from './store-task/copy-store.js';
import { describeStore } from './store-task/describe-store.js';

async function backUp(directory: string, flags: StoreFlags): Promise<void> {
  const store = storeAddress(flags);
  const report = await copyStore({ kind: 'backup', store, to: directory });
  const { place } = ENGINES.tools(store);
  process.stdout.write(`Backed up ${place} to ${resolve(directory)}: ${describeStore(report)}.\n`);
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the data of a stopped or running server into a directory')
    .argument('<directory>', 'target: an empty directory, or one that does not exist')
    .option('--data <directory>', `data directory to copy (default: ./${DATA_DEFAULT})`)
    .option(STORE_FLAGS, 'address of the store instead of --data: lmdb:DIR')
    .action((directory: string, flags: StoreFlags) => backUp(directory, flags).catch(fail));
}
