// `shelfmark bench`: how fast an account answers from here.
import { Command } from 'commander';
import { bench, type Measured } from '#data-tools';
import { ADDRESS_HELP, addressOf, asTool, parseCount, writeOut } from './run-tool.js';

interface BenchFlags {
  readonly rows: number;
  readonly json?: boolean;
}

const ROWS_DEFAULT = 1000;

const EXAMPLES = `
Examples:
  shelfmark bench --to UseDevelopmentStorage=true
  shelfmark bench --to @target --rows 10000 --parallel 32 --json
${ADDRESS_HELP}

Creates a table named shelfmarkbench… and deletes it. On Azure, the requests cost money.`;

const textOf = ({ operation, rows, seconds, rowsPerSecond, p50, p99 }: Measured): string =>
  `${operation.padEnd(10)} ${String(rowsPerSecond).padStart(8)} rows/s   p50 ${p50} ms   p99 ${p99} ms   (${rows} rows in ${seconds} s)\n`;

export function benchCommand(): Command {
  return asTool<BenchFlags>(
    new Command('bench')
      .description('measure the latency and throughput of an account')
      .option('--to <target>', 'account to write (default: SHELFMARK_TO)')
      .option('--rows <n>', 'number of rows to write, read and delete', parseCount, ROWS_DEFAULT)
      .option('--json', 'print one JSON line per operation'),
    EXAMPLES,
    async ({ to, rows, json }, context) => {
      await bench({ target: addressOf('--to', to), rows }, context, measured =>
        writeOut(json ? `${JSON.stringify(measured)}\n` : textOf(measured)),
      );
      return { tables: 1 };
    },
  );
}
