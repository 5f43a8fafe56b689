// `shelfmark check`: reads all of a store, which servers may be writing to, and prints its contents and the findings.
import { Command } from 'commander';
import { ConfigurationError, ENGINES } from '#server/engines';
import { StoreError, type StoreReport } from '#store';
import { refuseDump, STORE_FLAGS, storeAddress } from './options/store-option.js';
import { counted, describeStore } from './store-task/describe-store.js';
import { runStoreTask } from './store-task/store-task.js';

const EXIT_WHOLE = 0;
const EXIT_DAMAGED = 1;
const EXIT_NOT_OPENED = 2;

function linesOf(place: string, report: StoreReport): readonly string[] {
  const { spaces, droppedSpaces, droppedRows, usage, notes, findings, findingCount } = report;
  const listed = (service: string, told: (rows: number) => string): readonly string[] =>
    spaces
      .filter(space => space.service === service)
      .map(({ account, name, rows, bytes }) => `${account}/${name}: ${told(rows)}, ${bytes} bytes`);
  const dropped = `${counted(droppedSpaces, 'deleted table or queue', 'deleted tables and queues')} with ${counted(droppedRows, 'row')} to clear away`;
  const more = findingCount - findings.length;
  return [
    `${place}: ${describeStore(report)}; ${usage}`,
    ...listed('table', rows => counted(rows, 'entity', 'entities')),
    ...listed('queue', rows => `queue, ${counted(rows, 'row')}`),
    ...(droppedSpaces > 0 ? [dropped] : []),
    ...notes,
    ...findings.map(finding => `fault: ${finding}`),
    ...(more > 0 ? [`and ${counted(more, 'fault')} more`] : []),
    findingCount === 0 ? 'whole' : `damaged: ${counted(findingCount, 'fault')}`,
  ];
}

interface CheckFlags {
  readonly store?: string | undefined;
}

/** A directory, or the address of a store in its place. */
function addressIn(directory: string | undefined, store: string | undefined): string {
  if (directory !== undefined && store !== undefined)
    throw new ConfigurationError('A directory and --store both say what to check: leave out one of the two.');
  const address = store ?? (ENGINES.isAddress(directory ?? '') ? directory : undefined);
  return storeAddress(address === undefined ? { data: directory } : { store: address });
}

async function check(directory: string | undefined, flags: CheckFlags): Promise<number> {
  try {
    const store = addressIn(directory, flags.store);
    ENGINES.tool(store, 'check');
    const report = await runStoreTask({ kind: 'check', store });
    process.stdout.write(`${linesOf(ENGINES.tools(store).place, report).join('\n')}\n`);
    return report.findingCount === 0 ? EXIT_WHOLE : EXIT_DAMAGED;
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof ConfigurationError)) throw error;
    process.stderr.write(`shelfmark: ${error.message}\n`);
    return error instanceof StoreError && error.code === 'corrupt' ? EXIT_DAMAGED : EXIT_NOT_OPENED;
  }
}

export function checkCommand(): Command {
  const command = new Command('check');
  return command
    .description('read all data of a server or a backup and report every fault')
    .argument('[directory]', 'data directory or backup')
    .option(STORE_FLAGS, 'address of the store instead of a directory: lmdb:DIR')
    .action(async (directory: string | undefined, flags: CheckFlags) => {
      if (directory === undefined && flags.store === undefined)
        command.error("error: missing required argument 'directory'");
      if (directory !== undefined) refuseDump(directory, 'verify');
      process.exitCode = await check(directory, flags);
    });
}
