// `shelfmark copy`: tables of one account into another.
import { Command } from 'commander';
import { type CopyOptions, copy, MODES } from '#data-tools';
import { oneOf } from '../options/values.js';
import { ADDRESS_HELP, addressOf, asTool } from './run-tool.js';

const EXAMPLES = `
Examples:
  shelfmark copy --from @source --to @target --all
  shelfmark copy --from @source --to @target --table orders=orders2 --mode upsert
  shelfmark copy --from @source --to @target --table orders --mirror        also deletes what the source lacks
  shelfmark copy --from @source --to @target --all --queues --blobs         queues and containers, too
  shelfmark copy --from @source --to @target --all --resume                 continues after a kill

Modes, for rows that the target has already: insert keeps them and exits with 5 if one differs, upsert replaces them,
merge merges properties, skip keeps them.
${ADDRESS_HELP}`;

export function copyCommand(): Command {
  return asTool<Omit<CopyOptions, 'source' | 'target' | 'choice'>>(
    new Command('copy')
      .description('copy tables, queues and blobs from one account to another')
      .option('--from <source>', 'account to read (default: SHELFMARK_FROM)')
      .option('--to <target>', 'account to write (default: SHELFMARK_TO)')
      .option('--table <name...>', 'tables; * matches any characters; NAME=NEW renames')
      .option('--all', 'all tables')
      .option('--queues', 'all queues: names, metadata and access policies')
      .option(
        '--take-messages',
        'messages of the queues, too: they are hidden, copied and made visible again',
      )
      .option('--blobs', 'all containers, with the content of block and append blobs')
      .option('--mode <mode>', 'insert, upsert, merge or skip (default: insert)', oneOf(MODES))
      .option(
        '--mirror',
        'make the target equal to the source: replace rows that differ, delete rows that the source lacks',
      )
      .option('--filter <filter>', 'only rows that match this OData filter')
      .option(
        '--since <time>',
        'only rows changed since a time, or since the start of the dump in a directory',
      )
      .option('--resume', 'continue an interrupted copy')
      .option('--journal <file>', 'file that records progress (default: ./shelfmark-copy.journal)')
      .option('--dry-run', 'write nothing; print what would be written'),
    EXAMPLES,
    ({ from, to, table = [], all = false, ...rest }, context) => {
      const [source, target] = [addressOf('--from', from), addressOf('--to', to)];
      return copy({ ...rest, source, target, choice: { all, names: table } }, context);
    },
  );
}
