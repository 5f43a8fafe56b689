// Runs node's test runner on every compiled test, or on those whose path holds one of the arguments.
// Those in folders `at-length` take longer, and are run only where SHELFMARK_LONG says so.
// Node 20 knows no globs and newer ones no directories, so the files are found here.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv.slice(2);

const files = ['bench', 'demo', 'examples', 'packages', 'test', 'tools']
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

/** What these packages do is pure, so their tests cannot disturb each other; to start a process for each would take longer than they do. */
const PURE = /^packages[/\\](?:wire|tables|queues|service|patterns)[/\\]/;

/** The files, with those of pure packages in one file for each core that imports them. */
function gather(): readonly string[] {
  const pure = files.filter(file => PURE.test(relative(dist, file)));
  const count = availableParallelism();
  if (wanted.length > 0 || pure.length <= count) return files;
  const gathered = Array.from({ length: count }, (_, core) => {
    const path = join(dist, `pure-${core}.gathered.js`);
    const share = pure.filter((_, index) => index % count === core);
    writeFileSync(path, share.map(file => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(''));
    return path;
  });
  return [...gathered, ...files.filter(file => !pure.includes(file))];
}

// Node leaves one core to itself, which of two is half; a test that hangs must fail.
const options = ['--test', `--test-concurrency=${availableParallelism()}`, '--test-timeout=240000'];
const { status } = spawnSync(process.execPath, [...options, ...gather()], { stdio: 'inherit' });
process.exit(status ?? 1);
