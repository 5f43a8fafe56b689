// `shelfmark dump`: tables of an account into a directory, a file or standard output.
import { Command } from 'commander';
import { type DumpOptions, dump, FORMATS } from '#data-tools';
import { oneOf } from '../options/values.js';
import { ADDRESS_HELP, addressOf, asTool } from './run-tool.js';

const EXAMPLES = `
Examples:
  shelfmark dump --from UseDevelopmentStorage=true --all --out backup
  shelfmark dump --from @source --table orders --out orders.jsonl.gz
  shelfmark dump --table 'log*' --since backup --out changes      what changed since the dump in backup started
  shelfmark dump --table orders --out - | grep '"state":"open"'
  shelfmark dump --all --out backup --resume                      continues after a kill
  shelfmark dump --all --queues --take-messages --blobs --out backup      the whole account
${ADDRESS_HELP}
The URL of a container, too, may stand in @FILE; a folder of it may follow its name.

Tables have no snapshots: a row that changes during a dump appears once, in one of its states. --since does not see
deletions. Page blobs, snapshots and archived blobs are skipped; each is reported by name. --filter, --select, --since,
--format and --compress apply to tables. Peek Messages shows at most 32 messages of a queue, so --take-messages gets
them instead, which adds one to their dequeue counts. After a kill, --resume makes them visible again at once; without
it they become visible when their time runs out.`;

const parseNames = (text: string): readonly string[] =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');

export function dumpCommand(): Command {
  return asTool<Omit<DumpOptions, 'source' | 'choice'>>(
    new Command('dump')
      .description('dump tables, queues and blobs of an account to files')
      .option('--from <source>', 'account to read (default: SHELFMARK_FROM)')
      .option('--table <name...>', 'tables; * matches any characters')
      .option('--all', 'all tables')
      .option('--queues', 'all queues: names, metadata and access policies')
      .option(
        '--take-messages',
        'messages of the queues, too: they are hidden, written and made visible again',
      )
      .option('--blobs', 'all containers, with the content of block and append blobs')
      .requiredOption(
        '--out <out>',
        'a directory, a container URL with a SAS, a file for one table (.jsonl, .csv, .parquet; .gz compresses), or - for standard output',
      )
      .option(
        '--format <format>',
        'jsonl, csv or parquet (default: by the file name, else jsonl)',
        oneOf(FORMATS),
      )
      .option('--compress <how>', 'gzip', oneOf(['gzip']))
      .option('--filter <filter>', 'only rows that match this OData filter')
      .option('--select <names>', 'only these properties, separated by commas', parseNames)
      .option(
        '--since <time>',
        'only rows changed since a time, or since the start of the dump in a directory',
      )
      .option('--resume', 'continue an interrupted dump'),
    EXAMPLES,
    ({ from, table = [], all = false, ...rest }, context) => {
      const [source, choice] = [addressOf('--from', from), { all, names: table }];
      return dump({ ...rest, source, choice }, context);
    },
  );
}
