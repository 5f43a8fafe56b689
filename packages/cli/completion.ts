// `shelfmark completion`: prints the script that completes the command in a shell. The script asks the command itself
// what may come next (`--next`), so that it offers the options of the installed version.
import { Argument, Command, Option } from 'commander';

const ASK = 'shelfmark completion --next';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_shelfmark() {
  local words="$(${ASK} bash -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _shelfmark shelfmark
`,
  zsh: `#compdef shelfmark
_shelfmark() {
  local -a found=(\${(f)"$(${ASK} zsh -- \${words[2,CURRENT-1]} 2>/dev/null)"})
  compadd -a found || _files
}
if [ "$funcstack[1]" = _shelfmark ]; then _shelfmark "$@"; else compdef _shelfmark shelfmark; fi
`,
  fish: `complete -c shelfmark -a '(${ASK} fish -- (commandline -opc)[2..-1] 2>/dev/null)'
`,
};

/** What may follow these words of a command's line; nothing if any text may, such as a file. */
function wordsAfter(program: Command, words: readonly string[]): readonly string[] {
  let command = program;
  for (const word of words) command = command.commands.find(each => each.name() === word) ?? command;
  const last = words.at(-1) ?? '';
  const option = command.options.find(({ short, long }) => last !== '' && [short, long].includes(last));
  if (option?.required || option?.optional) return option.argChoices ?? [];
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    ...command.commands.map(each => each.name()),
    ...(command.registeredArguments[0]?.argChoices ?? []),
    ...options.flatMap(({ short, long }) => [short, long].filter(name => name !== undefined)),
    '-h',
    '--help',
  ];
}

/** @param programOf the program with these of its subcommands. */
export function completionCommand(
  names: readonly string[],
  programOf: (names: readonly string[]) => Promise<Command>,
): Command {
  return new Command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(Object.keys(SCRIPTS)))
    .addOption(new Option('--next').hideHelp())
    .allowExcessArguments()
    .addHelpText(
      'after',
      `
Examples:
  $ eval "$(shelfmark completion bash)"
  $ shelfmark completion bash > /etc/bash_completion.d/shelfmark
  $ shelfmark completion zsh > "\${fpath[1]}/_shelfmark"
  $ shelfmark completion fish > ~/.config/fish/completions/shelfmark.fish`,
    )
    .action(async (shell: string, { next }: { next?: true }, { args: [, ...words] }: Command) => {
      if (next === undefined) return void process.stdout.write(SCRIPTS[shell] ?? '');
      // Loads only the subcommand that is named.
      const [name = ''] = words;
      const isNamed = names.includes(name);
      const after = wordsAfter(await programOf(isNamed ? [name] : []), words);
      const found = isNamed ? after : [...names, ...after];
      process.stdout.write(found.map(word => `${word}\n`).join(''));
    });
}
