// Runs node's test runner on every compiled test, or on those whose path holds one of the arguments.
// Those in folders `at-length` take longer, and are run only where SHELFMARK_LONG says so.
// Node 20 knows no globs and newer ones no directories, so the files are found here.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv.slice(2);

const files = ['bench', 'demo', 'packages', 'test', 'tools']
  .filter(folder => existsSync(join(dist, folder)))
  .flatMap(folder =>
    readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' }).map(name =>
      join(dist, folder, name),
    ),
  )
  .filter(file => file.endsWith('.test.js'))
  .filter(file => process.env.SHELFMARK_LONG !== undefined || !file.includes('at-length'))
  .filter(file => wanted.length === 0 || wanted.some(part => relative(dist, file).includes(part)))
  .sort();

if (files.length === 0) {
  process.stderr.write(`No test matches ${wanted.join(', ')}.\n`);
  process.exit(1);
}
// Node leaves one core to itself, which of two is half; a test that hangs must fail.
const options = ['--test', `--test-concurrency=${availableParallelism()}`, '--test-timeout=240000'];
const { status } = spawnSync(process.execPath, [...options, ...files], { stdio: 'inherit' });
process.exit(status ?? 1);
