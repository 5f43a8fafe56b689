// The completion script of fish: a line for each word, on the condition that its command was named.
import { type CommandNode, type OptionNode, placesIn } from './command-tree.js';

/** In single quotes fish knows two escapes. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Whether the words so far name this command, and none of its subcommands. */
function conditionOf(path: readonly string[], { subcommands }: CommandNode): string {
  const named = path.map(name => `__fish_seen_subcommand_from ${name}`);
  const names = subcommands.map(({ name }) => name).join(' ');
  const further = names === '' ? [] : [`not __fish_seen_subcommand_from ${names}`];
  return [...named, ...further].join('; and ');
}

function optionLine(start: string, { names, description, takesValue, choices }: OptionNode): string {
  const flags = names.map(name => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r -F' : '';
  return `${start} ${flags.join(' ')}${value} -d ${quoted(description)}`;
}

/** The lines of one command. */
function linesOf(program: string, path: readonly string[], node: CommandNode): readonly string[] {
  const condition = conditionOf(path, node);
  const start = `complete -c ${program}${condition === '' ? '' : ` -n ${quoted(condition)}`}`;
  return [
    ...node.subcommands.map(
      ({ name, description }) => `${start} -f -a ${quoted(name)} -d ${quoted(description)}`,
    ),
    ...node.choices.map(choice => `${start} -f -a ${quoted(choice)}`),
    ...node.options.map(option => optionLine(start, option)),
  ];
}

export function fishScript(root: CommandNode): string {
  const lines = placesIn(root).flatMap(({ path, node }) => linesOf(root.name, path, node));
  return `# Completion of ${root.name} for fish: ${root.name} completion fish > ~/.config/fish/completions/${root.name}.fish
${lines.join('\n')}
`;
}
