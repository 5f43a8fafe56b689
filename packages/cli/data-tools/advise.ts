// `shelfmark advise`: advice on a table's keys, sizes and types from its rows, and its cost.
import { Command } from 'commander';
import { advise, parseCount, type TableAdvice, ToolError } from '#data-tools';
import { ADDRESS_HELP, addressOf, asTool, type PaceFlags, tablesOf, writeOut } from './run-tool.js';

interface AdviseFlags extends PaceFlags {
  readonly from?: string;
  readonly table: string;
  readonly sample?: string;
  readonly pricePerGib?: string;
  readonly pricePer10000?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  shelfmark advise --from @source --table orders
  shelfmark advise --from @source --table orders --sample 10000 --json
  shelfmark advise --from @source --table orders --price-per-gib 0.045 --price-per-10000 0.00036
${ADDRESS_HELP}

Rules: hot-partition, append-only, key-hygiene, oversize, type-drift.`;

function priceOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(?:\.\d+)?$/.test(text))
    throw new ToolError('usage', `${flag} takes a price as 0.045, not ${JSON.stringify(text)}.`);
  return Number(text);
}

const COSTS = [
  ['storageAMonth', 'storage, a month'],
  ['scan', 'reading the table once'],
  ['pointReads', 'reading each row by its keys'],
  ['singleWrites', 'writing each row by itself'],
  ['batchedWrites', 'writing in transactions of 100'],
] as const;

function textOf({ table, rows, partitions, bytes, sizes, findings, cost, sample }: TableAdvice): string {
  const told = sample === undefined ? '' : ` (a sample of at most ${sample})`;
  const costs = COSTS.flatMap(([name, what]) => {
    const price = cost?.[name];
    return price === undefined ? [] : [`cost: ${what}: ${Number(price.toPrecision(3))}`];
  });
  const lines = [
    `${table}: ${rows} rows${told} in ${partitions} partitions, ${bytes} bytes; entities of ${sizes.p50} bytes (median), ${sizes.p99} (99 %), ${sizes.max} (largest)`,
    ...findings.flatMap(({ rule, says, pattern }) => [`${rule}: ${says}`, `  ${pattern}`]),
    ...(findings.length === 0 ? ['Nothing was found.'] : []),
    ...costs,
  ];
  return `${lines.join('\n')}\n`;
}

export function adviseCommand(): Command {
  return asTool<AdviseFlags>(
    new Command('advise')
      .description('find design faults of a table from its rows')
      .option('--from <source>', 'account to read (default: SHELFMARK_FROM)')
      .requiredOption('--table <name>', 'the table')
      .option('--sample <rows>', 'read at most this many rows, spread over the whole table')
      .option('--price-per-gib <price>', 'price of one GiB for a month in your region')
      .option('--price-per-10000 <price>', 'price of 10,000 requests in your region')
      .option('--json', 'print one JSON object'),
    EXAMPLES,
    async (flags, context) => {
      const { from, table, sample, json } = flags;
      const survey = {
        source: tablesOf(addressOf('--from', from), context),
        sample: sample === undefined ? undefined : parseCount('--sample', sample),
      };
      const prices = {
        gib: priceOf('--price-per-gib', flags.pricePerGib),
        tenThousandRequests: priceOf('--price-per-10000', flags.pricePer10000),
      };
      const advice = await advise(survey, table, prices, context);
      await writeOut(json ? `${JSON.stringify(advice)}\n` : textOf(advice));
      return { tables: 1 };
    },
  );
}
