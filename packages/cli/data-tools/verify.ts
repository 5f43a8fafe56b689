// `shelfmark verify`: whether a dump is whole, and whether an account still has its rows.
import { Command } from 'commander';
import { verifyDump } from '#data-tools';
import {
  ADDRESS_HELP,
  addressOf,
  type PaceFlags,
  runTool,
  tablesOf,
  withPace,
  withUsageErrors,
  writeOut,
} from './run-tool.js';

interface VerifyFlags extends PaceFlags {
  readonly against?: string;
}

const EXAMPLES = `
Examples:
  shelfmark verify backup
  shelfmark verify backup --against @source         and compares its rows with those of the account

Ends with 1 where the dump is damaged or unfinished, or the account has other rows.
${ADDRESS_HELP}`;

export function verifyCommand(): Command {
  const command = new Command('verify')
    .description('check a dump, byte by byte and row by row')
    .argument('<directory>', "the dump, or its container's URL with a SAS")
    .option('--against <source>', 'an account whose rows are compared with those of the dump');
  return withUsageErrors(withPace(command))
    .addHelpText('after', EXAMPLES)
    .action((directory: string, { against, ...flags }: VerifyFlags) =>
      runTool(flags, context => {
        const address = against === undefined ? undefined : addressOf('--from', against);
        return verifyDump(
          {
            directory,
            against: address && (selection => tablesOf(address, context, selection)),
          },
          context,
          writeOut,
        );
      }),
    );
}
