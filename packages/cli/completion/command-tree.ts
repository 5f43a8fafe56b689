// What a shell completes, read from the commander command: subcommands, their own subcommands, options, and the
// possible words of an option or an argument. Independent of the shell; bash.ts, zsh.ts and fish.ts generate their
// scripts.
import type { Command, Option } from 'commander';

export interface OptionNode {
  /** `-o` and `--out`, if both exist. */
  readonly names: readonly string[];
  /** The first sentence of its help. */
  readonly description: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** The possible words for its value; empty if any text is allowed, and files are offered. */
  readonly choices: readonly string[];
}

export interface CommandNode {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionNode[];
  readonly subcommands: readonly CommandNode[];
  /** The possible words for its first argument. */
  readonly choices: readonly string[];
}

/** A list shows one line of each description. */
const firstLine = (text: string): string => text.split('\n')[0]?.trim() ?? '';

const namesOf = ({ short, long }: Option): readonly string[] =>
  [short, long].filter(name => name !== undefined);

const optionOf = (option: Option): OptionNode => ({
  names: namesOf(option),
  description: firstLine(option.description),
  takesValue: option.required || option.optional,
  choices: option.argChoices ?? [],
});

const HELP: OptionNode = {
  names: ['-h', '--help'],
  description: 'display help for command',
  takesValue: false,
  choices: [],
};

/** The command and everything below it. Hidden options, kept for old callers, are not offered. */
export function commandTree(command: Command): CommandNode {
  return {
    name: command.name(),
    description: firstLine(command.description()),
    options: [...command.options.filter(option => !option.hidden).map(optionOf), HELP],
    subcommands: command.commands.map(commandTree),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
}

/** A command with the names that lead to it, without the program's own. */
export interface Placed {
  readonly path: readonly string[];
  readonly node: CommandNode;
}

/** The command and all below it, each with its path. */
export const placesIn = (node: CommandNode, path: readonly string[] = []): readonly Placed[] => [
  { path, node },
  ...node.subcommands.flatMap(each => placesIn(each, [...path, each.name])),
];
