// `shelfmark dump`: tables of an account into a directory, a file or standard output.
import { Command } from 'commander';
import { dump } from '#data-tools';
import {
  ADDRESS_HELP,
  addressOf,
  type PaceFlags,
  runTool,
  withPace,
  withUsageErrors,
  writeOut,
} from './run-tool.js';

interface DumpFlags extends PaceFlags {
  readonly from?: string;
  readonly table?: readonly string[];
  readonly all?: boolean;
  readonly queues?: boolean;
  readonly blobs?: boolean;
  readonly takeMessages?: boolean;
  readonly out: string;
  readonly format?: string;
  readonly compress?: string;
  readonly filter?: string;
  readonly select?: string;
  readonly since?: string;
  readonly resume?: boolean;
}

const EXAMPLES = `
Examples:
  shelfmark dump --from UseDevelopmentStorage=true --all --out backup
  shelfmark dump --from @source --table orders --out orders.jsonl.gz
  shelfmark dump --table 'log*' --since backup --out changes      what changed since the dump in backup began
  shelfmark dump --table orders --out - | grep '"state":"open"'
  shelfmark dump --all --out backup --resume                      goes on after a kill
  shelfmark dump --all --queues --take-messages --blobs --out backup      the whole account
${ADDRESS_HELP}
The URL of a container, too, may stand in @FILE; a folder of it may follow its name.

Azure has no snapshots: a row that changes during a dump is in it once, in a state that it had. --since cannot know
deletions. Page blobs, snapshots and archived blobs are skipped, each told by its name. --filter, --select, --since,
--format and --compress concern tables. A look at a queue shows 32 messages: all are had only by taking them, which
counts as one more dequeue; after a kill they are given back by --resume, or are visible again after a while.`;

export const selectOf = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map(name => name.trim())
    .filter(name => name !== '');

export function dumpCommand(): Command {
  const command = new Command('dump')
    .description('dump tables of an account, over the wire')
    .option('--from <source>', 'the account (default: SHELFMARK_FROM)')
    .option('--table <name...>', 'tables, also with * in the name')
    .option('--all', 'all tables')
    .option('--queues', 'all queues: names, metadata and policies')
    .option('--take-messages', 'their messages, too: hides them, writes them down and gives them back')
    .option('--blobs', 'all containers, with the content of block and append blobs')
    .requiredOption(
      '--out <out>',
      "a directory, a container's URL with a SAS, a file .jsonl, .csv or .parquet (also .gz) for one table, or -",
    )
    .option('--format <format>', 'jsonl, csv or parquet (default: by the name of the file, or jsonl)')
    .option('--compress <how>', 'gzip')
    .option('--filter <filter>', 'only rows that fit this OData filter')
    .option('--select <names>', 'only these properties, separated by commas')
    .option('--since <time>', 'only rows changed since a time, or since the dump in a directory began')
    .option('--resume', 'go on with a dump that was interrupted');
  return withUsageErrors(withPace(command))
    .addHelpText('after', EXAMPLES)
    .action((flags: DumpFlags) =>
      runTool(flags, context => {
        const { from, table = [], all = false, out, select, ...rest } = flags;
        const options = {
          ...rest,
          source: addressOf('--from', from),
          choice: { all, names: table },
          out,
          select: selectOf(select),
        };
        return dump(options, context, writeOut);
      }),
    );
}
