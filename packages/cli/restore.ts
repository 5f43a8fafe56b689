// `shelfmark restore`: installs a backup as the data of a new server. It overwrites nothing.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { ENGINES } from '#server/engines';
import { fail } from './fail.js';
import {
  DATA_DEFAULT,
  refuseDump,
  STORE_FLAGS,
  type StoreFlags,
  storeAddress,
} from './options/store-option.js';
import { copyStore } from './store-task/copy-store.js';
import { describeStore } from './store-task/describe-store.js';

async function restore(directory: string, flags: StoreFlags): Promise<void> {
  refuseDump(directory, 'load');
  const store = storeAddress(flags);
  const report = await copyStore({ kind: 'restore', store, from: directory });
  const { place } = ENGINES.tools(store);
  process.stdout.write(`Restored ${resolve(directory)} to ${place}: ${describeStore(report)}.\n`);
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('copy a backup into a new data directory')
    .argument('<directory>', 'the backup')
    .option(
      '--data <directory>',
      `target: an empty directory, or one that does not exist (default: ./${DATA_DEFAULT})`,
    )
    .option(STORE_FLAGS, 'address of the store instead of --data: lmdb:DIR')
    .action((directory: string, flags: StoreFlags) => restore(directory, flags).catch(fail));
}
