// What is offered for an unfinished line: by the command's options, and by the script in a real bash.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Argument, Command, Option } from 'commander';
import { wordsAfter } from './completion.js';

const COMMAND = fileURLToPath(new URL('../../../bin/shelfmark.js', import.meta.url));

test('subcommands, options and the words of a value', () => {
  const program = new Command('shelfmark')
    .addCommand(
      new Command('dump')
        .option('-o, --out <dir>', 'where it goes')
        .addOption(new Option('--format <name>', 'the format').choices(['jsonl', 'csv']))
        .addOption(new Option('--old', 'kept for old callers').hideHelp()),
    )
    .addCommand(
      new Command('account')
        .addCommand(new Command('add').option('--key-file <file>', 'its key'))
        .addCommand(new Command('list')),
    )
    .addCommand(new Command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh'])));
  const help = ['-h', '--help'];
  for (const [line, expected] of [
    ['', ['dump', 'account', 'completion', ...help]],
    ['dump', ['-o', '--out', '--format', ...help]],
    ['dump --format', ['jsonl', 'csv']],
    ['dump -o', []],
    ['account', ['add', 'list', ...help]],
    ['account add', ['--key-file', ...help]],
    ['account list', help],
    ['completion', ['bash', 'zsh', ...help]],
  ] as const)
    assert.deepEqual(wordsAfter(program, line.split(' ')), expected, line);
});

test('in bash, and files for a value that may be anything', t => {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-completion-'));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'shelfmark'), `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`, {
    mode: 0o755,
  });
  const asked = (...words: readonly string[]): readonly string[] => {
    const script = `eval "$(shelfmark completion bash)"; COMP_WORDS=(shelfmark ${words.map(word => `'${word}'`).join(' ')})
      COMP_CWORD=${words.length}; _shelfmark; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p shelfmark`;
    const env = { ...process.env, PATH: `${directory}:${process.env.PATH}` };
    const lines = execFileSync('bash', ['-c', script], { encoding: 'utf8', env }).trimEnd().split('\n');
    // Readline itself offers files where the function offers nothing.
    assert.equal(lines.pop(), 'complete -o default -F _shelfmark shelfmark');
    return lines.filter(line => line !== '');
  };
  assert.deepEqual(asked('du'), ['dump']);
  assert.deepEqual(asked('--vers'), ['--version']);
  assert.deepEqual(asked('dump', '--comp'), ['--compress']);
  assert.deepEqual(asked('dump', '--out', ''), []);
});
