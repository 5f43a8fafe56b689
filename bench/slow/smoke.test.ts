// The benchmark itself, run briefly: every workload of Shelfmark, bare node:http and raw LMDB on a small table, without
// the network. Figures from such a short run mean nothing; the test is that it measures, checks answers and cleans up.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hasWrk } from '../load/wrk.js';
import { WORKLOADS } from '../subjects/subject.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const SMALL = ['--rows', '200', '--runs', '1', '--seconds', '1'];

const bench = (args: readonly string[], env = process.env) =>
  spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env });

test('every workload, as a table, by autocannon', () => {
  const options = [...SMALL, '--subjects', 'shelfmark,bare,lmdb'];
  // Without a path there is no wrk.
  const { status, stdout, stderr } = bench(options, { ...process.env, PATH: '' });
  assert.equal(status, 0, stderr);
  for (const workload of WORKLOADS) assert.match(stdout, new RegExp(`^${workload} +\\S+ +\\d`, 'm'));
  assert.match(stdout, /^ready +ms +\d/m);
});

test('ratios as JSON, by wrk', { skip: !hasWrk() && 'wrk is not installed' }, () => {
  const options = [...SMALL, '--subjects', 'shelfmark,bare', '--only', 'point-get,insert', '--json'];
  const { status, stdout, stderr } = bench(options);
  assert.equal(status, 0, stderr);
  const [get, insert] = JSON.parse(stdout);
  assert(get.ratios.bare > 0);
  assert.deepEqual([insert.workload, insert.ratios], ['insert', {}]);
});
