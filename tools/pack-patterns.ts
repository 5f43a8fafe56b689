// Packs the pattern library as the package `shelfmark-patterns`: the compiled modules, the same as CommonJS modules,
// its manifest, its pages and the licence, in a folder of their own. Prints the path of the tarball, which is in the
// folder that the first argument names, or in the current one.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENTRIES, patternsReference } from './reference.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiled = join(root, 'dist', 'packages', 'patterns');
// A folder of this run's own: tests pack concurrently.
const work = mkdtempSync(join(root, 'dist', 'pack-patterns-'));
const staged = join(work, 'shelfmark-patterns');
const target = resolve(process.argv[2] ?? '.');

const sources = join(root, 'packages', 'patterns');

/** Compiled from existing sources, those of moved files are still in dist; internals.ts is for tests. */
const isPublished = (name: string): boolean =>
  /\.(?:js|d\.ts)$/.test(name) &&
  !/\.test\.|^testing[/\\]|^internals\./.test(name) &&
  existsSync(join(sources, name.replace(/\.(?:js|d\.ts)$/, '.ts')));

/**
 * The same sources as CommonJS modules, for programs that `require`, with matching types: a manifest of their own
 * identifies them to Node and the compiler.
 */
function compileCommonJs(target: string): void {
  const config = join(work, 'tsconfig.json');
  const compilerOptions = {
    module: 'commonjs',
    moduleResolution: 'bundler',
    verbatimModuleSyntax: false,
    incremental: false,
    tsBuildInfoFile: null,
    sourceMap: false,
    rootDir: sources,
    outDir: target,
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  const files = ENTRIES.map(entry => join(sources, `${entry}.ts`));
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
  );
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', config], {
    stdio: 'inherit',
  });
  writeFileSync(join(target, 'package.json'), '{ "type": "commonjs" }\n');
}

/** Puts the package's files into the staging folder. */
function stage(): void {
  mkdirSync(staged, { recursive: true });
  for (const name of readdirSync(compiled, { recursive: true, encoding: 'utf8' }).filter(isPublished))
    cpSync(join(compiled, name), join(staged, name), { recursive: true });
  compileCommonJs(join(staged, 'commonjs'));
  cpSync(join(sources, 'package.json'), join(staged, 'package.json'));
  cpSync(join(root, 'docs', 'patterns'), join(staged, 'docs'), { recursive: true });
  writeFileSync(join(staged, 'docs', 'reference.md'), patternsReference(compiled));
  // The pages are siblings in the repository, and below their index here.
  const readme = readFileSync(join(staged, 'docs', 'README.md'), 'utf8');
  writeFileSync(join(staged, 'README.md'), readme.replaceAll(/\]\((?=[\w-]+\.md)/g, '](docs/'));
  rmSync(join(staged, 'docs', 'README.md'));
  cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
}

/** Makes the tarball; returns its file name. */
function pack(): string {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
  const [packed]: { filename: string }[] = JSON.parse(
    execFileSync('npm', words, { cwd: staged, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  if (packed === undefined) throw new Error('npm packed nothing.');
  return packed.filename;
}

try {
  stage();
  process.stdout.write(`${join(target, pack())}\n`);
} finally {
  rmSync(work, { recursive: true });
}
