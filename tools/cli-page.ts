// Writes the help of every command into the blocks of docs/cli.md below its heading. A test compares them
// (test/structure/cli-page.test.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { ADDRESS_HELP } from '../packages/cli/data-tools/run-tool.js';
import { programOf, SUBCOMMAND_NAMES } from '../packages/cli/program.js';

const PAGE = fileURLToPath(new URL('../../docs/cli.md', import.meta.url));
const BLOCK = /^#{3,4} shelfmark (.+)\n[^#]*?```\n([\s\S]*?)```$/gm;
/** One line per option. */
const COLUMNS = 200;
/** What the page documents once, for all commands. */
const SAID_ONCE = [`${ADDRESS_HELP}\n`, /^ +-h, --help .*\n/gm, /^Options:\n(?=\n|$)/gm];

export const cliPage = (): string => readFileSync(PAGE, 'utf8');

/** A nested command leaves out the text after its options: it is that of its parent. */
function helpOf(command: Command, isNested: boolean): string {
  let help = '';
  command.configureOutput({ writeOut: text => (help += text), getOutHelpWidth: () => COLUMNS });
  if (isNested) help = command.helpInformation();
  else command.outputHelp();
  return SAID_ONCE.reduce<string>((text, said) => text.replace(said, ''), help)
    .replace(/\n{2,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
}

/** The help of each command by its words, `account add`, in the order of the help. */
export async function helpByCommand(): Promise<ReadonlyMap<string, string>> {
  const program = await programOf(SUBCOMMAND_NAMES);
  const all = program.commands.flatMap(command => [
    [command.name(), helpOf(command, false)] as const,
    ...command.commands.map(each => [`${command.name()} ${each.name()}`, helpOf(each, true)] as const),
  ]);
  return new Map(all);
}

/** The help in the page by command. */
export const blocksOf = (page: string): ReadonlyMap<string, string> =>
  new Map([...page.matchAll(BLOCK)].map(([, command = '', block = '']) => [command, block]));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const help = await helpByCommand();
  const page = cliPage().replace(BLOCK, (whole, command: string, block: string) =>
    whole.replace(`\`\`\`\n${block}`, () => `\`\`\`\n${help.get(command) ?? block}`),
  );
  writeFileSync(PAGE, page);
}
