// What a shell completes, read from the command as commander has it: subcommands, their own subcommands, options, and the words that an option or an argument
// may be. Knows nothing of a shell; bash.ts, zsh.ts and fish.ts write it down for theirs.
import type { Command, Option } from 'commander';

export interface OptionNode {
  /** `-o` and `--out`: those that there are. */
  readonly names: readonly string[];
  /** The first sentence of its help. */
  readonly description: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** The words that its value may be; empty where any may, and files are offered. */
  readonly choices: readonly string[];
}

export interface CommandNode {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionNode[];
  readonly subcommands: readonly CommandNode[];
  /** The words that its first argument may be. */
  readonly choices: readonly string[];
}

/** Descriptions go to a line of a list. */
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

/** The command and all below it. Hidden options, kept for old callers, are not offered. */
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
