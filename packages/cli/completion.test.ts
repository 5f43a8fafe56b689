// What is offered for an unfinished line, by the script in a real bash.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../../bin/shelfmark.js', import.meta.url));

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
  assert.deepEqual(asked('serve', '--durability', ''), ['full', 'none']);
  assert.deepEqual(asked('account', 'r'), ['rotate', 'remove']);
  assert.deepEqual(asked('account', 'add', '--key'), ['--key-file']);
  assert.deepEqual(asked('completion', 'z'), ['zsh']);
  assert.deepEqual(asked('serve', '--queuePort'), [], 'an option that the help hides');
});
