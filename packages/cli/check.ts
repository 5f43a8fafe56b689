// `shelfmark check`: reads all of a store, which servers may be writing to, and says what is in it and what is wrong.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { StoreError } from '#store';
import type { CheckReport } from '#store-lmdb';
import { counted, describeStore } from './store-task/describe-store.js';
import { runStoreTask } from './store-task/store-task.js';

const EXIT_WHOLE = 0;
const EXIT_DAMAGED = 1;
const EXIT_NOT_OPENED = 2;

function linesOf(directory: string, report: CheckReport): readonly string[] {
  const { spaces, droppedSpaces, droppedRows, usedPages, freePages, lostPages, faults, faultCount } = report;
  const { loggedChanges } = report;
  const pages = `${counted(usedPages, 'page')} in use, ${freePages} free${lostPages > 0 ? `, ${lostPages} lost` : ''}`;
  const tables = spaces
    .filter(({ service }) => service === 'table')
    .map(
      ({ account, name, rows, bytes }) =>
        `${account}/${name}: ${counted(rows, 'entity', 'entities')}, ${bytes} bytes`,
    );
  const queues = spaces
    .filter(({ service }) => service === 'queue')
    .map(
      ({ account, name, rows, bytes }) =>
        `${account}/${name}: queue, ${counted(rows, 'row')}, ${bytes} bytes`,
    );
  const dropped = `${counted(droppedSpaces, 'deleted table or queue', 'deleted tables and queues')} with ${counted(droppedRows, 'row')} to clear away`;
  const logged = `${counted(loggedChanges, 'change')} of rows in data.log, not counted above`;
  const more = faultCount - faults.length;
  return [
    `${resolve(directory)}: ${describeStore(report)}; ${pages}`,
    ...tables,
    ...queues,
    ...(droppedSpaces > 0 ? [dropped] : []),
    ...(loggedChanges > 0 ? [logged] : []),
    ...faults.map(fault => `fault: ${fault}`),
    ...(more > 0 ? [`and ${counted(more, 'fault')} more`] : []),
    faultCount === 0 ? 'whole' : `damaged: ${counted(faultCount, 'fault')}`,
  ];
}

async function check(directory: string): Promise<number> {
  try {
    const report = await runStoreTask({ kind: 'check', directory });
    process.stdout.write(`${linesOf(directory, report).join('\n')}\n`);
    return report.faultCount === 0 ? EXIT_WHOLE : EXIT_DAMAGED;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    process.stderr.write(`shelfmark: ${error.message}\n`);
    return error.code === 'corrupt' ? EXIT_DAMAGED : EXIT_NOT_OPENED;
  }
}

export function checkCommand(): Command {
  return new Command('check')
    .description('read all of the data, of a running server or of a backup, and say what is wrong')
    .argument('<directory>', 'the data directory or the backup')
    .action(async (directory: string) => {
      process.exitCode = await check(directory);
    });
}
