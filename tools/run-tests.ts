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

/** The compiler leaves in place what it made of a source file that has been moved or removed since. */
const isCurrent = (file: string): boolean =>
  existsSync(join(dist, '..', relative(dist, file).replace(/\.js$/, '.ts')));

const files = ['bench', 'demo', 'examples', 'packages', 'test', 'tools']
  .filter(folder => existsSync(join(dist, folder)))
  .flatMap(folder =>
    readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' }).map(name =>
      join(dist, folder, name),
    ),
  )
  .filter(file => file.endsWith('.test.js') && isCurrent(file))
  .filter(file => process.env.SHELFMARK_LONG !== undefined || !file.includes('at-length'))
  .filter(file => wanted.length === 0 || wanted.some(part => relative(dist, file).includes(part)))
  .sort();

// One of several that matches nothing would go unnoticed, most of all where a file has another name now.
const unmatched = wanted.filter(part => !files.some(file => relative(dist, file).includes(part)));
if (files.length === 0 || unmatched.length > 0) {
  process.stderr.write(`No test matches ${unmatched.join(', ')}.\n`);
  process.exit(1);
}

/**
 * Tests that cannot disturb each other: of packages that are pure, of the server by requests as values, of models and judges, and of the pattern
 * library; servers, stores and tables are each test's own. To start a process for each, and to load the clients there, would take longer than they do.
 */
const SHARING = {
  pure: /^packages[/\\](?:base|account|store|wire|tables|queues|patterns)[/\\]/,
  server: /^packages[/\\]server[/\\]/,
  models:
    /^demo[/\\]|^test[/\\](?:simulation|queues|fuzz[/\\](?:direct|texts|tokens))[/\\]|^test[/\\]crash[/\\](?:history|tick|ledger)\./,
  patterns: /^test[/\\]patterns[/\\]/,
} as const;

/** The files, with those of each kind that shares processes in one file for each core that imports them. */
function gather(): readonly string[] {
  if (wanted.length > 0) return files;
  const count = availableParallelism();
  const gathered = Object.entries(SHARING).flatMap(([kind, pattern]) => {
    const sharing = files.filter(file => pattern.test(relative(dist, file)));
    if (sharing.length === 0) throw new Error(`No test is of those that share: ${pattern}.`);
    return Array.from({ length: count }, (_, core) => {
      const path = join(dist, `${kind}-${core}.gathered.js`);
      const share = sharing.filter((_, index) => index % count === core);
      writeFileSync(
        path,
        share.map(file => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(''),
      );
      return path;
    });
  });
  const alone = files.filter(
    file => !Object.values(SHARING).some(pattern => pattern.test(relative(dist, file))),
  );
  return [...gathered, ...alone];
}

// Node leaves one core to itself, which of two is half; a test that hangs must fail.
const options = ['--test', `--test-concurrency=${availableParallelism()}`, '--test-timeout=240000'];
const { status } = spawnSync(process.execPath, [...options, ...gather()], { stdio: 'inherit' });
process.exit(status ?? 1);
