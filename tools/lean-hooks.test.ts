// Unhandled errors, and nested tests, fail a file in which node:test follows no promises.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const hooks = new URL('lean-hooks.js', import.meta.url).href;

/** Runs the text as a test file in a process; returns its exit code and report. */
function run(text: string): { readonly code: number | null; readonly report: string } {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const lines = `import { describe, it, test } from 'node:test';\n${text}`;
  const file = `data:text/javascript,${encodeURIComponent(lines)}`;
  const args = [
    '--import',
    hooks,
    '--test-reporter=tap',
    '--input-type=module',
    '--eval',
    `await import(${JSON.stringify(file)})`,
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  return { code: status, report: stdout };
}

test('an unhandled error fails the file, and is reported', () => {
  const { code, report } = run(`test('a', async () => {
    setTimeout(() => { throw new Error('thrown alone'); }, 1);
    await new Promise(done => setTimeout(done, 50));
  });`);
  assert.equal(code, 1);
  assert.match(report, /thrown alone/);
});

test('a test stays in its suite, and a failure in it fails the file', () => {
  const { code, report } = run(`describe('outer', () => {
    it('inner', async t => { await null; await t.test('innermost', () => { throw new Error('found'); }); });
  });`);
  assert.equal(code, 1);
  assert.match(report, /^# Subtest: outer\n {4}# Subtest: inner\n {8}# Subtest: innermost\n/m);
});
