// `shelfmark verify`: whether a dump is whole, and whether an account still has its rows.
import { Command } from 'commander';
import { type Selection, verifyDump } from '#data-tools';
import { ADDRESS_HELP, addressOf, asTool, tablesOf } from './run-tool.js';

const EXAMPLES = `
Examples:
  shelfmark verify backup
  shelfmark verify backup --against @source         also compares the rows with those of the account

Exits with 1 if the dump is damaged or unfinished, or if the account's rows differ.
${ADDRESS_HELP}`;

export function verifyCommand(): Command {
  return asTool<{ against?: string }>(
    new Command('verify')
      .description('check that a dump is complete and undamaged')
      .argument('<directory>', 'the dump: a directory, or a container URL with a SAS')
      .option('--against <source>', 'also compare the rows of the dump with those of this account'),
    EXAMPLES,
    ({ against }, context, directory = '') => {
      const address = against === undefined ? undefined : addressOf('--from', against);
      const compared = address && ((selection: Selection) => tablesOf(address, context, selection));
      return verifyDump({ directory, against: compared }, context);
    },
  );
}
