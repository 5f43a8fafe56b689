// The benchmark itself, run briefly: every workload of Shelfmark, bare node:http and raw LMDB on a small table, without
// the network. Figures from such a short run mean nothing; the test is that it measures, verifies and cleans up.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

const bench = (...args: readonly string[]) =>
  spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });

test('a comparison', () => {
  const small = ['--rows', '200', '--runs', '1', '--seconds', '0.05', '--connections', '4', '--no-record'];
  const { status, stdout, stderr } = bench(...small, '--subjects', 'shelfmark,bare,lmdb');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^200 rows/);
  for (const workload of ['insert', 'merge', 'transaction', 'filter']) {
    assert.match(stdout, new RegExp(`^${workload} .* shelfmark .*\\n +lmdb .* x `, 'm'));
  }
  for (const workload of ['point-get', 'range']) {
    assert.match(stdout, new RegExp(`^${workload} .* shelfmark .*\\n +bare .* x .*\\n +lmdb .* x`, 'm'));
  }
  assert.match(stdout, /^ready with the rows/m);
});

test('the Queue service', () => {
  const small = ['--queues', '150', '--rows', '200', '--runs', '1', '--seconds', '0.1', '--no-record'];
  const { status, stdout, stderr } = bench(...small, '--subjects', 'shelfmark');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^put +shelfmark /m);
  assert.match(stdout, /^get \+ delete +shelfmark /m);
  assert.match(stdout, /^150 +shelfmark /m);
  assert.match(stdout, /^15 messages expired and were reclaimed/m);
});

test('scans of whole tables', () => {
  const { status, stdout, stderr } = bench(
    '--scans',
    '200',
    '--runs',
    '1',
    '--no-record',
    '--subjects',
    'shelfmark,lmdb',
  );
  assert.equal(status, 0, stderr);
  for (const shape of ['narrow', 'wide']) {
    for (const match of ['none', 'one in 1,000', 'all']) {
      assert.match(stdout, new RegExp(`^200 +${shape} +${match} +shelfmark `, 'm'));
    }
    assert.match(stdout, new RegExp(`^200 +${shape} +\\(walk\\) +lmdb `, 'm'));
    assert.match(stdout, new RegExp(`^200 +${shape} +\\(walk\\) +engine `, 'm'));
  }
});

test("the mixed load, and the machine's behaviour during it", () => {
  const small = ['--minutes', '0.02', '--rate', '200', '--rows', '200', '--connections', '4', '--no-record'];
  const { status, stdout, stderr } = bench(...small);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^mixed load .* <= 20 ms /m);
  assert.match(stdout, /^ {2}undisturbed: \d/m);
  assert.match(stdout, /^the machine, mixed load: .* pauses?, .* sentinels?, .* of a processor each\)$/m);
});

test('an option that does not exist', () => {
  const { status, stderr } = bench('--nonsense');
  assert.equal(status, 1);
  assert.match(stderr, /'--nonsense'[\s\S]*npm run bench/);
});
