// The completion script of zsh, for a folder of $fpath or for \`eval\`. Words come with their descriptions.
import { type CommandNode, type OptionNode, placesIn } from './command-tree.js';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `name:description` as _describe takes it; a colon in either is escaped. */
const described = (name: string, description: string): string =>
  quoted(`${name.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`);

const functionOf = (program: string, path: readonly string[]): string => `_${[program, ...path].join('_')}`;

function valueCases(options: readonly OptionNode[]): readonly string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ names, choices }) => {
      const offer = choices.length === 0 ? '_files' : `compadd -- ${choices.map(quoted).join(' ')}`;
      return `    ${names.map(quoted).join('|')}) ${offer}; return ;;`;
    });
}

/** The function of one command: the value of the previous option, a subcommand's function, or the words that are possible here. */
function commandFunction(program: string, path: readonly string[], node: CommandNode): string {
  const depth = path.length + 1;
  const children = node.subcommands.map(
    ({ name }) => `    ${quoted(name)}) ${functionOf(program, [...path, name])}; return ;;`,
  );
  const descend =
    children.length === 0
      ? []
      : [`  if (( CURRENT > ${depth + 1} )); then case "$words[${depth + 1}]" in`, ...children, '  esac; fi'];
  const values = valueCases(node.options);
  const words = node.subcommands.map(({ name, description }) => described(name, description));
  const options = node.options.flatMap(({ names, description }) =>
    names.map(name => described(name, description)),
  );
  return [
    `${functionOf(program, path)}() {`,
    ...descend,
    ...(values.length === 0 ? [] : ['  case "$words[CURRENT-1]" in', ...values, '  esac']),
    `  local -a commands=(${words.join(' ')})`,
    `  local -a options=(${options.join(' ')})`,
    ...(node.choices.length === 0 ? [] : [`  compadd -- ${node.choices.map(quoted).join(' ')}`]),
    '  if [[ "$words[CURRENT]" == -* ]]; then _describe -o option options',
    words.length === 0 ? '  else _files; fi' : '  else _describe command commands; fi',
    '}',
  ].join('\n');
}

/** The script, which works when it is loaded by compinit and when it is evaluated. */
export function zshScript(root: CommandNode): string {
  const functions = placesIn(root).map(({ path, node }) => commandFunction(root.name, path, node));
  const main = functionOf(root.name, []);
  return `#compdef ${root.name}
# Completion of ${root.name} for zsh: put it as _${root.name} into a folder of $fpath, or eval "$(${root.name} completion zsh)" after compinit.
${functions.join('\n\n')}

if [ "$funcstack[1]" = "${main}" ]; then ${main} "$@"; else compdef ${main} ${root.name}; fi
`;
}
