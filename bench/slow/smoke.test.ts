// The benchmark itself, run briefly: every workload of Shelfmark, bare node:http and raw LMDB on a small table, without
// the network. Figures from such a short run mean nothing; the test is that it measures, checks answers and cleans up.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { wrkVersion } from '../load/wrk.js';
import { WORKLOADS } from '../subjects/subject.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const SMALL = ['--rows', '200', '--runs', '1', '--connections', '4', '--megabytes', '4'];

const bench = (...args: readonly string[]) =>
  spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });

test('every workload, as a table', () => {
  const options = ['--seconds', '0.2', '--subjects', 'shelfmark,bare,lmdb', '--generator', 'built-in'];
  const { status, stdout, stderr } = bench(...SMALL, ...options);
  assert.equal(status, 0, stderr);
  for (const workload of WORKLOADS) assert.match(stdout, new RegExp(`^${workload} +\\d`, 'm'));
  assert.match(stdout, /^ready +\d/m);
});

test('ratios as JSON, by wrk', { skip: wrkVersion() === undefined && 'wrk is not installed' }, () => {
  const options = ['--seconds', '1', '--subjects', 'shelfmark,bare', '--only', 'point-get,insert', '--json'];
  const { status, stdout, stderr } = bench(...SMALL, ...options, '--generator', 'wrk');
  assert.equal(status, 0, stderr);
  const { workloads } = JSON.parse(stdout) as {
    workloads: { workload: string; ratios: { bare?: number } }[];
  };
  assert.deepEqual(
    workloads.map(({ workload, ratios }) => [workload, (ratios.bare ?? 0) > 0]),
    [
      ['point-get', true],
      ['insert', false],
    ],
  );
});

test('an option that does not exist', () => {
  const { status, stderr } = bench('--nonsense');
  assert.equal(status, 1);
  assert.match(stderr, /'--nonsense'[\s\S]*npm run bench/);
});
