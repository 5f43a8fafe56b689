// `shelfmark advise`: advice on a table's keys, sizes and types from its rows, and its cost.
import { Command, InvalidArgumentError } from 'commander';
import { advise, type TableAdvice } from '#data-tools';
import { ADDRESS_HELP, addressOf, asTool, parseCount, tablesOf } from './run-tool.js';

interface AdviseFlags {
  readonly table: string;
  readonly sample?: number;
  readonly pricePerGib?: number;
  readonly pricePer10000?: number;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  shelfmark advise --from @source --table orders
  shelfmark advise --from @source --table orders --sample 10000 --json
  shelfmark advise --from @source --table orders --price-per-gib 0.045 --price-per-10000 0.00036
${ADDRESS_HELP}

Rules: hot-partition, append-only, key-hygiene, oversize, type-drift.`;

function parsePrice(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('A price is a number such as 0.045.');
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
      .option('--sample <rows>', 'read at most this many rows, spread over the whole table', parseCount)
      .option('--price-per-gib <price>', 'price of one GiB for a month in your region', parsePrice)
      .option('--price-per-10000 <price>', 'price of 10,000 requests in your region', parsePrice)
      .option('--json', 'print one JSON object'),
    EXAMPLES,
    async ({ from, table, sample, pricePerGib, pricePer10000, json }, context) => {
      const survey = { source: tablesOf(addressOf('--from', from), context), sample };
      const prices = { gib: pricePerGib, tenThousandRequests: pricePer10000 };
      const advice = await advise(survey, table, prices, context);
      await context.write(json ? `${JSON.stringify(advice)}\n` : textOf(advice));
      return { tables: 1 };
    },
  );
}
