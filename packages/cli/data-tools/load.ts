// `shelfmark load`: a dump, or one table of a file or of standard input, into an account.
import { Command } from 'commander';
import { type LoadOptions, load, MODES, ToolError } from '#data-tools';
import { oneOf } from '../options/values.js';
import { ADDRESS_HELP, addressOf, asTool } from './run-tool.js';

export type LoadFlags = Omit<LoadOptions, 'target' | 'input' | 'names'>;

const EXAMPLES = `
Examples:
  shelfmark load --to UseDevelopmentStorage=true backup
  shelfmark load --to @target --table orders=orders2 --mode upsert backup
  shelfmark load --to @target --table orders orders.jsonl
  zcat orders.jsonl.gz | shelfmark load --to @target --table orders -
  shelfmark load --to @target --resume backup                       continues after a kill
  shelfmark load --to @target --queues --blobs backup               queues and containers, too

Modes, for rows that the target has already: insert keeps them and exits with 5 if one differs, upsert replaces them,
merge merges properties, skip keeps them. For blobs, merge is the same as upsert. Messages have no keys: a queue that
has messages receives more only with upsert or merge.
${ADDRESS_HELP}`;

/** \`--table\` takes many names, including the argument after them: the last is then the dump. */
export function withLast(
  names: readonly string[],
  given: string | undefined,
  missing = 'Name what to load: a directory, a file, or - for standard input.',
): { names: readonly string[]; last: string } {
  if (given !== undefined) return { names, last: given };
  const last = names.at(-1);
  if (last === undefined || names.length < 2) throw new ToolError('usage', missing);
  return { names: names.slice(0, -1), last };
}

export function loadCommand(): Command {
  return asTool<LoadFlags>(
    new Command('load')
      .description('load a dump into an account')
      .argument(
        '[dump]',
        'a directory, a container URL with a SAS, a file of one table, or - for standard input',
      )
      .option('--to <target>', 'account to write (default: SHELFMARK_TO)')
      .option('--table <name...>', 'tables of the dump, or the table for a file; NAME=NEW renames')
      .option('--queues', 'also load the queues of the dump')
      .option('--blobs', 'also load the containers of the dump')
      .option('--mode <mode>', 'insert, upsert, merge or skip', oneOf(MODES), 'insert')
      .option('--resume', 'continue an interrupted load')
      .option('--journal <file>', 'file that records progress (default: next to the dump)')
      .option('--dry-run', 'write nothing; check the dump and print what would be loaded'),
    EXAMPLES,
    ({ to, table = [], ...rest }, context, given) => {
      const { names, last } = withLast(table, given);
      const options = { ...rest, target: addressOf('--to', to), input: last, names };
      return load(options, context, process.stdin);
    },
  );
}
