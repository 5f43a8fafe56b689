// The completion script of bash. It needs nothing but bash itself, 3.2 or later.
import { type CommandNode, type OptionNode, placesIn } from './command-tree.js';

/** The words of a script are in single quotes, which hold everything except themselves. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `dump:--format) words='jsonl csv'` of each option with a value: bash then offers the words, or files if there are none. */
function valueCases(path: readonly string[], options: readonly OptionNode[]): readonly string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ names, choices }) => {
      const patterns = names.map(name => quoted([...path, name].join(' '))).join('|');
      return `    ${patterns}) words=${quoted(choices.join(' '))}; is_value=1 ;;`;
    });
}

/** The script for `eval` or a file of bash-completion. */
export function bashScript(root: CommandNode): string {
  const places = placesIn(root);
  const values = places.flatMap(({ path, node }) => valueCases(path, node.options));
  const words = places.map(({ path, node }) => {
    const all = [
      ...node.subcommands.map(({ name }) => name),
      ...node.choices,
      ...node.options.flatMap(({ names }) => names),
    ];
    return `    ${quoted(path.join(' '))}) words=${quoted(all.join(' '))} ;;`;
  });
  const paths = places.map(({ path }) => path).filter(path => path.length > 0);
  return `# Completion of ${root.name} for bash: eval "$(${root.name} completion bash)"
_${root.name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' words='' is_value='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${path:+$path }\${COMP_WORDS[i]}" in
    ${paths.map(path => quoted(path.join(' '))).join('|')}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "\${path:+$path }$previous" in
${values.join('\n')}
  esac
  if [ -z "$is_value" ]; then
    case "$path" in
${words.join('\n')}
    esac
  fi
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _${root.name} ${root.name}
`;
}
