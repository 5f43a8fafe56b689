// The compiled tests, and which of them share a process. Those in folders `slow` take longer, and run only if
// SHELFMARK_LONG is set. Node 20 supports no globs and newer versions no directories, so the files are found here.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['bench', 'demo', 'examples', 'packages', 'test', 'tools'];

/** The compiler keeps the output of a source file that has been moved or removed since. */
const isCurrent = (file: string): boolean =>
  existsSync(join(dist, '..', relative(dist, file).replace(/\.js$/, '.ts')));

const compiled = (): readonly string[] =>
  FOLDERS.filter(folder => existsSync(join(dist, folder))).flatMap(folder =>
    readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' })
      .map(name => join(dist, folder, name))
      .filter(file => file.endsWith('.js') && isCurrent(file)),
  );

/** The source path of a compiled file. */
export const sourceOf = (file: string): string =>
  relative(dist, file).split(sep).join('/').replace(/\.js$/, '.ts');

/** All tests, or those whose path contains one of the names. Throws an Error with the names that match none. */
export function testFiles(
  names: readonly string[],
  isLong = process.env.SHELFMARK_LONG !== undefined,
): readonly string[] {
  const filters = names.map(name => name.replace(/\.ts$/, ''));
  const files = compiled()
    .filter(file => file.endsWith('.test.js'))
    .filter(file => isLong || !file.includes('/slow/'))
    .filter(file => filters.length === 0 || filters.some(part => relative(dist, file).includes(part)))
    .sort();
  // Among several, one that matches nothing would go unnoticed, such as the old name of a moved file.
  const unmatched = filters.filter(part => !files.some(file => relative(dist, file).includes(part)));
  if (files.length === 0 || unmatched.length > 0) throw new Error(`No test matches ${unmatched.join(', ')}.`);
  return files;
}

/** The files that import it, directly or indirectly: a test may be declared by a function of another file. */
export function importersOf(file: string, files: readonly string[]): readonly string[] {
  const found = new Set([file]);
  const sources = compiled().map(path => ({ path, imports: importsOf(path) }));
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { path, imports } of sources) if (imports.some(each => found.has(each))) found.add(path);
  }
  return files.filter(each => found.has(each));
}

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/\b(?:from|import) ?\(?'(\.[^']*)'/g)].map(([, name = '']) =>
    resolve(dirname(file), name),
  );

/** In test/overload/, files whose tests are all skipped without SHELFMARK_LONG, so that they can run next to others. */
const SKIPPING: readonly string[] =
  process.env.SHELFMARK_LONG === undefined
    ? ['disk-full', 'full-contents', 'idle-connections', 'logged-disk', 'refusals', 'stalled-disk', 'stop']
    : [];

/**
 * Folders of tests that cannot disturb each other, because each has servers, stores, directories and tables of its own.
 * A kind shares one process for each core: starting a process for each file, and loading the clients there, would cost
 * more than most files do.
 */
const SHARING: Readonly<Record<string, readonly string[]>> = {
  clients: ['test/patterns/', 'test/scenarios/'],
  engine: ['packages/http/', 'packages/store-lmdb/'],
  models: [
    'bench/',
    'demo/',
    'test/simulation/',
    'test/queues/',
    'test/fuzz/',
    'test/crash/',
    'test/structure/',
    ...SKIPPING.map(name => `test/overload/${name}.`),
  ],
  pure: ['packages/', 'test/support/', 'tools/'],
};

/**
 * Files of these folders that start processes and wait for them, change their own process, or measure its code, its
 * memory or its children.
 */
const ALONE: readonly string[] = [
  'packages/cli/locked-directory.',
  'packages/cli/tune-heap.',
  'packages/cli/store-task/',
  'packages/store-lmdb/exclusive-writers.',
  'packages/store-lmdb/lmdb-store.',
  'packages/store-lmdb/processes.',
  'packages/store-lmdb/wal/write-ahead-log.',
  'test/crash/crash.',
  'test/scenarios/command.',
  'test/scenarios/secrets.',
  'test/simulation/contents/',
  'test/structure/path-budget.',
];

const isIn = (file: string, paths: readonly string[]): boolean => {
  const path = relative(dist, file).split(sep).join('/');
  return paths.some(each => path.startsWith(each));
};

/** The kind of files that the file shares processes with. */
const kindOf = (file: string): string | undefined =>
  isIn(file, ALONE) ? undefined : Object.keys(SHARING).find(kind => isIn(file, SHARING[kind] ?? []));

/** Fewer of a kind are not worth it, and a selected one runs alone. */
const GATHERED_MIN = 10;
/** Another run may take place at the same time. */
const nameOf = (kind: string, core: number): string =>
  join(dist, `${kind}-${core}-${process.pid}.gathered.js`);
process.once('exit', () => {
  for (const kind of Object.keys(SHARING))
    for (let core = 0; core < availableParallelism(); core += 1) rmSync(nameOf(kind, core), { force: true });
});

/**
 * The files, with those of each kind that shares processes in one file for each core that imports them; those that may
 * take long stay separate.
 */
export function gather(files: readonly string[], isWhole: boolean): readonly string[] {
  if (!isWhole && process.env.SHELFMARK_LONG !== undefined) return files;
  const count = availableParallelism();
  const kinds = Object.keys(SHARING)
    .map(kind => ({ kind, sharing: files.filter(file => kindOf(file) === kind) }))
    .filter(({ sharing }) => sharing.length >= GATHERED_MIN);
  const gathered = kinds.flatMap(({ kind, sharing }) =>
    Array.from({ length: count }, (_, core) => {
      const path = nameOf(kind, core);
      const share = sharing.filter((_, index) => index % count === core);
      writeFileSync(
        path,
        share.map(file => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(''),
      );
      return path;
    }),
  );
  const shared = new Set(kinds.flatMap(({ sharing }) => sharing));
  const alone = files.filter(file => !shared.has(file));
  const gone = !isWhole ? [] : ALONE.filter(path => !alone.some(file => isIn(file, [path])));
  if (gone.length > 0) throw new Error(`No test is at ${gone.join(', ')}: its file has another name now.`);
  // Files that wait for other processes come first: at the end nothing would run next to them.
  return [...alone, ...gathered];
}
