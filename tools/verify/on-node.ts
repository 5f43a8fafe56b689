// node dist/tools/verify/on-node.js VERSION [FILTER…]: the tests on another version of Node.js, which npm installs into
// a temporary folder.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [version = '', ...filters] = process.argv.slice(2);
const name = `node-${process.platform}-${process.arch}`;
const directory = mkdtempSync(join(tmpdir(), 'shelfmark-node-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

const perform = (command: string, ...args: readonly string[]): number =>
  spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;

const quiet = ['--no-audit', '--no-fund', '--no-save', '--silent'];
const isInstalled = perform('npm', 'install', '--prefix', directory, ...quiet, `${name}@${version}`) === 0;
process.exitCode = isInstalled
  ? perform(join(directory, 'node_modules', name, 'bin', 'node'), 'dist/tools/run-tests.js', ...filters)
  : 1;
if (!isInstalled) process.stdout.write(`npm could not install ${name}@${version}.\n`);
