// `shelfmark stats`: the content of tables: rows, bytes, partitions, types of properties, the largest.
import { Command } from 'commander';
import { stats, type TableStats } from '#data-tools';
import { ADDRESS_HELP, asTool, parseCount, sourceOf } from './run-tool.js';

const EXAMPLES = `
Examples:
  shelfmark stats --from UseDevelopmentStorage=true --all
  shelfmark stats --from @source --table orders --json
  shelfmark stats --from backup --all                                  of a dump
  shelfmark stats --from @source --table orders --sample 10000          reads 10,000 rows, from all over the table
${ADDRESS_HELP}`;

const typesOf = (types: TableStats['properties'][number]['types']): string =>
  Object.entries(types)
    .map(([type, count]) => `${type} ${count}`)
    .join(', ');

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** For people: keys in quotes, so that spaces and empty ones show. */
function textOf(found: TableStats): string {
  const { table, rows, bytes, partitions, checksum, sample } = found;
  const entities = found.largestEntities.map(
    ({ PartitionKey, RowKey, bytes: size }) =>
      `  ${JSON.stringify(PartitionKey)} ${JSON.stringify(RowKey)}: ${counted(size, 'byte')}`,
  );
  const large = found.largestPartitions.map(
    ({ PartitionKey, rows: count, bytes: size }) =>
      `  ${JSON.stringify(PartitionKey)}: ${counted(count, 'row')}, ${counted(size, 'byte')}`,
  );
  const lines = [
    `${table}: ${counted(rows, 'row')}${sample === undefined ? '' : ` (a sample of at most ${sample})`}, ${counted(bytes, 'byte')}, ${counted(partitions, 'partition')}`,
    ...(checksum === null ? [] : [`checksum: ${checksum}`]),
    'largest entities:',
    ...entities,
    'largest partitions:',
    ...large,
    'properties:',
    ...found.properties.map(({ name, types }) => `  ${JSON.stringify(name)}: ${typesOf(types)}`),
  ];
  return `${lines.join('\n')}\n`;
}

export function statsCommand(): Command {
  return asTool<{ sample?: number; json?: boolean }>(
    new Command('stats')
      .description('count rows, bytes, partitions and types of tables')
      .option('--from <source>', 'an account, or the directory of a dump (default: SHELFMARK_FROM)')
      .option('--table <name...>', 'tables; * matches any characters')
      .option('--all', 'all tables')
      .option('--sample <rows>', 'read at most this many rows, spread over the whole table', parseCount)
      .option('--json', 'print one JSON line per table'),
    EXAMPLES,
    async ({ from, table = [], all = false, sample, json }, context) => {
      const survey = { source: await sourceOf('--from', from, context, 'stats'), sample };
      const take = (found: TableStats): Promise<void> =>
        context.write(json ? `${JSON.stringify(found)}\n` : textOf(found));
      return { tables: await stats(survey, { all, names: table }, context, take) };
    },
  );
}
