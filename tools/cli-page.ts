// Writes the usage of every command into the blocks of docs/cli.md below its heading. A test compares them
// (test/structure/cli-page.test.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { programOf, SUBCOMMAND_NAMES } from '../packages/cli/program.js';

const PAGE = fileURLToPath(new URL('../../docs/cli.md', import.meta.url));
const BLOCK = /^#{3,4} shelfmark (.+)\n[^#]*?```\n([\s\S]*?)```$/gm;
/** One line per option. */
const COLUMNS = 200;
/** What the page documents once, for all commands, and what its headings and its text show. */
const LEFT_OUT = [
  /^Usage: .*\n\n/,
  /^ +(?:-h, --help|--parallel <n>|--rate <requests>|--retry-for <seconds>) .*\n/gm,
  /^ .*, for Azurite's users\n/gm,
  / \(default: SHELFMARK_(?:FROM|TO)\)$/gm,
  /0 picks a free port, /g,
  /; 0 picks a free port/g,
  /^(?:Arguments|Options):\n/gm,
  /^Commands:\n(?: .*\n)+/gm,
];

export const cliPage = (): string => readFileSync(PAGE, 'utf8');

/** Without the notes and examples after the options. */
function usageOf(command: Command): string {
  command.configureOutput({ getOutHelpWidth: () => COLUMNS });
  return LEFT_OUT.reduce<string>((text, part) => text.replace(part, ''), command.helpInformation())
    .replace(/\n{2,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
}

/** The usage of each command by its words, `account add`, in the order of the help. */
export async function usageByCommand(): Promise<ReadonlyMap<string, string>> {
  const program = await programOf(SUBCOMMAND_NAMES);
  const all = program.commands.flatMap(command => [
    [command.name(), usageOf(command)] as const,
    ...command.commands.map(each => [`${command.name()} ${each.name()}`, usageOf(each)] as const),
  ]);
  return new Map(all);
}

/** The usage in the page by command. */
export const blocksOf = (page: string): ReadonlyMap<string, string> =>
  new Map([...page.matchAll(BLOCK)].map(([, command = '', block = '']) => [command, block]));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const usage = await usageByCommand();
  const page = cliPage().replace(BLOCK, (whole, command: string, block: string) =>
    whole.replace(`\`\`\`\n${block}`, () => `\`\`\`\n${usage.get(command) ?? block}`),
  );
  writeFileSync(PAGE, page);
}
