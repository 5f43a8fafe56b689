// `shelfmark completion`: prints the script that completes the command in a shell. It is generated from the command's
// own options, so that it matches this version.
import { Argument, Command } from 'commander';
import { bashScript } from './bash.js';
import { type CommandNode, commandTree } from './command-tree.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

const SCRIPTS: Readonly<Record<string, (root: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** @param wholeProgram the program with all of its subcommands. */
export function completionCommand(wholeProgram: () => Promise<Command>): Command {
  return new Command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  $ eval "$(shelfmark completion bash)"
  $ shelfmark completion bash > /etc/bash_completion.d/shelfmark
  $ shelfmark completion zsh > "\${fpath[1]}/_shelfmark"
  $ shelfmark completion fish > ~/.config/fish/completions/shelfmark.fish`,
    )
    .action(async (shell: string) => {
      process.stdout.write(SCRIPTS[shell]?.(commandTree(await wholeProgram())) ?? '');
    });
}
