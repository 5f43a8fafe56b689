// The completion scripts, in the shells that this machine has: what each offers for an unfinished line.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Argument, Command, Option } from 'commander';
import { bashScript } from './bash.js';
import { commandTree } from './command-tree.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

const program = new Command('shelfmark')
  .addCommand(
    new Command('dump')
      .description("dump an account's tables: all, or some")
      .option('-o, --out <dir>', 'where it goes')
      .addOption(new Option('--format <name>', 'the format').choices(['jsonl', 'csv']))
      .addOption(new Option('--old', 'kept for old callers').hideHelp()),
  )
  .addCommand(
    new Command('account')
      .description('change accounts')
      .addCommand(new Command('add').description('one more').option('--key-file <file>', 'its key'))
      .addCommand(new Command('list').description('their names')),
  )
  .addCommand(new Command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh'])));
const tree = commandTree(program);

const hasShell = (name: string): boolean => spawnSync(name, ['-c', 'exit 0']).status === 0;

/** What is offered for the last word of a line. */
function inBash(file: string, words: readonly string[]): readonly string[] {
  const line = words.map(word => `'${word}'`).join(' ');
  const script = `source ${file}; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _shelfmark; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' })
    .split('\n')
    .filter(each => each !== '');
}

const inFish = (file: string, words: readonly string[]): readonly string[] =>
  execFileSync('fish', ['--no-config', '-c', `source ${file}; complete -C '${words.join(' ')}'`], {
    encoding: 'utf8',
  })
    .split('\n')
    .map(each => each.split('\t')[0] ?? '')
    .filter(each => each !== '');

/** Zsh completes only on a terminal, so the functions that the script calls are replaced by ones that print their words. */
function inZsh(file: string, words: readonly string[]): readonly string[] {
  const line = words.map(word => `'${word}'`).join(' ');
  const script = `compdef() { :; }; _files() { print -r -- FILES; }; compadd() { shift; print -rl -- "$@"; }
_describe() { [[ $1 == -o ]] && shift; local -a all=("\${(@P)2}"); print -rl -- "\${all[@]%%:*}"; }
source ${file}; words=(${line}); CURRENT=${words.length}; _shelfmark`;
  return execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8' })
    .split('\n')
    .filter(each => each !== '');
}

describe('completion', () => {
  let directory = '';
  const fileOf = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'shelfmark-completion-'));
    writeFileSync(join(directory, 'orders.jsonl'), '');
  });
  after(() => rmSync(directory, { recursive: true }));

  for (const [shell, script, offered] of [
    ['bash', bashScript(tree), inBash],
    ['zsh', zshScript(tree), inZsh],
    ['fish', fishScript(tree), inFish],
  ] as const)
    test(`in ${shell}`, { skip: hasShell(shell) ? false : `${shell} is not here` }, () => {
      const file = fileOf(`script.${shell}`, script);
      const ask = (...words: readonly string[]): readonly string[] => offered(file, ['shelfmark', ...words]);
      assert(ask('d').includes('dump'));
      assert.deepEqual([...ask('account', '')].filter(each => !each.startsWith('-')).sort(), ['add', 'list']);
      assert.deepEqual([...ask('dump', '--format', '')].sort(), ['csv', 'jsonl']);
      const options = ask('dump', '--');
      assert(
        options.includes('--out') && options.includes('--format') && options.includes('--help'),
        options.join(),
      );
      assert(!options.includes('--old') && !options.includes('--key-file'), options.join());
      assert(ask('account', 'add', '--').includes('--key-file'));
      assert(!ask('account', 'list', '--').includes('--key-file'));
      assert(ask('completion', '').includes('zsh'));
    });

  test('in bash offers files for a value that may be anything', () => {
    const file = fileOf('files.bash', bashScript(tree));
    assert.deepEqual(inBash(file, ['shelfmark', 'dump', '--out', join(directory, 'ord')]), [
      join(directory, 'orders.jsonl'),
    ]);
  });

  test('knows options, their values and subcommands', () => {
    const dump = tree.subcommands.find(({ name }) => name === 'dump');
    assert.deepEqual(
      dump?.options.map(({ names, takesValue, choices }) => [names, takesValue, choices]),
      [
        [['-o', '--out'], true, []],
        [['--format'], true, ['jsonl', 'csv']],
        [['-h', '--help'], false, []],
      ],
    );
  });
});
