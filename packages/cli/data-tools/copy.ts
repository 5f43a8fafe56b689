// `shelfmark copy`: tables of one account into another.
import { Command } from 'commander';
import { copy } from '#data-tools';
import {
  ADDRESS_HELP,
  addressOf,
  type PaceFlags,
  runTool,
  withPace,
  withUsageErrors,
  writeOut,
} from './run-tool.js';

interface CopyFlags extends PaceFlags {
  readonly from?: string;
  readonly to?: string;
  readonly table?: readonly string[];
  readonly all?: boolean;
  readonly queues?: boolean;
  readonly blobs?: boolean;
  readonly takeMessages?: boolean;
  readonly mode?: string;
  readonly mirror?: boolean;
  readonly filter?: string;
  readonly since?: string;
  readonly resume?: boolean;
  readonly journal?: string;
  readonly dryRun?: boolean;
}

const EXAMPLES = `
Examples:
  shelfmark copy --from @source --to @target --all
  shelfmark copy --from @source --to @target --table orders=orders2 --mode upsert
  shelfmark copy --from @source --to @target --table orders --mirror        also deletes what the source lacks
  shelfmark copy --from @source --to @target --all --queues --blobs         queues and containers, too
  shelfmark copy --from @source --to @target --all --resume                 goes on after a kill

Modes: insert leaves rows that are there with other content alone and ends with 5; upsert replaces them, merge adds
to their properties, skip leaves all rows that are there alone. The journal is ./shelfmark-copy.journal, unless
--journal names another.
${ADDRESS_HELP}`;

export function copyCommand(): Command {
  const command = new Command('copy')
    .description('copy tables from one account to another, over the wire')
    .option('--from <source>', 'the account to read (default: SHELFMARK_FROM)')
    .option('--to <target>', 'the account to write (default: SHELFMARK_TO)')
    .option('--table <name...>', 'tables, also with * in the name; NAME=NEW gives another name')
    .option('--all', 'all tables')
    .option('--queues', 'all queues: names, metadata and policies')
    .option('--take-messages', 'their messages, too: hides them, copies them and gives them back')
    .option('--blobs', 'all containers, with the content of block and append blobs')
    .option('--mode <mode>', 'insert, upsert, merge or skip (default: insert)')
    .option('--mirror', 'make the tables the same: replace what differs, delete what the source lacks')
    .option('--filter <filter>', 'only rows that fit this OData filter')
    .option('--since <time>', 'only rows changed since a time, or since the dump in a directory began')
    .option('--resume', 'go on with a copy that was interrupted')
    .option('--journal <file>', 'where progress is kept')
    .option('--dry-run', 'read only, and say what would be written');
  return withUsageErrors(withPace(command))
    .addHelpText('after', EXAMPLES)
    .action((flags: CopyFlags) =>
      runTool(flags, context => {
        const { from, to, table = [], all = false, ...rest } = flags;
        const [source, target] = [addressOf('--from', from), addressOf('--to', to)];
        return copy({ ...rest, source, target, choice: { all, names: table } }, context, writeOut);
      }),
    );
}
