// The pattern library as its users get it: packed, installed next to the official client into an empty folder,
// type-checked with the strictest settings, and run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { serve } from 'shelfmark';
import { importsOf } from '../support/source-text.js';
import { ROOT, runToEnd } from '../support/spawned-server.js';
import { SHAPES_PROGRAM } from './shapes-program.js';

const run = promisify(execFile);

/** A fenced block of a page. */
interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of a page under a heading, up to the next one. */
function blocksUnder(page: string, heading: string): readonly Block[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** A program that uses `require`, typed by the rules of Node 16, as in an older project. */
const COMMONJS = `
import tables = require('@azure/data-tables');
import patterns = require('shelfmark-patterns');
import filters = require('shelfmark-patterns/filters');

const { codec, entity, key, open, t } = patterns;
const Film = entity('Film', {
  version: 1,
  table: 'Films',
  props: { genre: t.string(), at: t.instant(), title: t.string() },
  partition: p => key(p.genre),
  row: p => key(p.at.as(codec.timeDesc)),
});
async function main(): Promise<void> {
  const client = tables.TableServiceClient.fromConnectionString(process.argv[2] ?? '', { allowInsecureConnection: true });
  await client.createTable('Films');
  const films = open({ tables: client }).repo(Film);
  // Values and errors of the other copy of the library, which an ES module of the same program would have.
  const other = await import('shelfmark-patterns');
  const at = other.Instant.parse('1959-12-25');
  await films.create({ genre: 'drama', at, title: 'Ben' });
  const thrown: unknown = await films.create({ genre: 'drama', at, title: 'Ben' }).catch((error: unknown) => error);
  const found = await films.get({ genre: 'drama', at });
  console.log(JSON.stringify({
    title: found?.value.title,
    areTwo: other.PatternError !== patterns.PatternError,
    codes: [patterns, other].map(({ PatternError }) => (PatternError.is(thrown, 'AlreadyExists') ? thrown.code : 'none')),
    filter: filters.explainFilter("PartitionKey eq 'a'").class,
  }));
}
void main();
`;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly scripts?: Record<string, string>;
  readonly exports: Record<string, unknown>;
}

describe('the package of the pattern library', () => {
  let folder = '';
  let tarball = '';
  const app = (): string => join(folder, 'app');
  const installed = (): string => join(app(), 'node_modules', 'shelfmark-patterns');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shelfmark-patterns-package-'));
    const { stdout } = await run(process.execPath, [join(ROOT, 'dist', 'tools', 'pack-patterns.js'), folder]);
    tarball = stdout.trim();
    await mkdir(app());
    await writeFile(join(app(), 'package.json'), '{ "private": true, "type": "module" }');
    // A program with large values and log books also has the client of blobs.
    const { devDependencies }: Manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const blobs = `@azure/storage-blob@${devDependencies?.['@azure/storage-blob']}`;
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball, blobs], {
      cwd: app(),
    });
  });
  after(() => rm(folder, { recursive: true }));

  /** Compiles a program next to the package and runs it against a server; returns its output. */
  async function compileAndRun(file: string, source: string, options: object): Promise<unknown> {
    await writeFile(join(app(), file), source);
    const compilerOptions = {
      strict: true,
      // Checks the package's own declarations too.
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules', '@types')],
      ...options,
    };
    const config = join(app(), `tsconfig.${file}.json`);
    await writeFile(config, JSON.stringify({ compilerOptions, files: [file] }));
    const tsc = [join(ROOT, 'node_modules', '.bin', 'tsc')] as const;
    const compiled = await runToEnd(['-p', config], { command: tsc });
    assert.deepEqual([compiled.code, compiled.stdout], [0, '']);
    const server = await serve({ data: undefined });
    const program = [process.execPath, join(app(), file.replace(/ts$/, 'js'))] as const;
    const { code, stdout, stderr } = await runToEnd([server.connectionString()], {
      command: program,
      cwd: app(),
    });
    await server.close();
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout);
  }

  test('holds what runs, its pages, and neither tests nor sources', async () => {
    const names = await readdir(installed(), { recursive: true });
    const expected =
      /^(?:README\.md|LICENSE|docs|docs[/\\][\w-]+\.md|(?:commonjs[/\\])?(?:package\.json|[a-z]+(?:[/\\][a-z]+)*|(?:[a-z]+[/\\])*[a-z0-9-]+\.(?:js|d\.ts)))$/;
    assert.deepEqual(
      names.filter(name => !expected.test(name)),
      [],
    );
    assert(names.includes('index.js') && names.includes('index.d.ts') && !names.includes('testing'));
  });

  test('depends on the official client and nothing else', async () => {
    const manifest: Manifest = JSON.parse(await readFile(join(installed(), 'package.json'), 'utf8'));
    const own: Manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    assert.equal(manifest.version, own.version);
    assert.equal(manifest.dependencies, undefined);
    assert.equal(manifest.scripts, undefined);
    const peers = Object.keys(manifest.peerDependencies);
    for (const peer of peers) assert.match(peer, /^@azure\//);
    const names = await readdir(installed(), { recursive: true });
    for (const name of names.filter(each => /\.(?:js|d\.ts)$/.test(each)))
      for (const from of importsOf(await readFile(join(installed(), name), 'utf8')))
        assert(/^(?:\.\.?\/|node:)/.test(from) || peers.includes(from), `${name} imports ${from}.`);
  });

  test('has every entry of its manifest, imported and required', async () => {
    const manifest: Manifest = JSON.parse(await readFile(join(installed(), 'package.json'), 'utf8'));
    const entries = Object.keys(manifest.exports).map(entry => `shelfmark-patterns${entry.slice(1)}`);
    const own = entries.filter(entry => !entry.endsWith('.json'));
    assert(own.length > 16, own.join());
    const program = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
for (const entry of ${JSON.stringify(own)}) {
  const [imported, required] = [await import(entry), require(entry)].map(each => Object.keys(each).filter(name => name !== 'default').sort().join());
  if (imported === '' || imported !== required) throw new Error(entry + ': ' + imported + '; ' + required);
}
`;
    await writeFile(join(app(), 'entries.mjs'), program);
    await run(process.execPath, ['entries.mjs'], { cwd: app() });
  });

  test('has shapes, log books, secrets and signatures, which are typed, and run against a server', async () => {
    const printed = await compileAndRun('shapes.ts', SHAPES_PROGRAM, {
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      module: 'nodenext',
      target: 'es2023',
    });
    assert.deepEqual(printed, {
      wide: 2,
      large: 100_000,
      series: 210,
      logbook: ['north'],
      encryption: ['ciphertext', 'Ann Jones'],
      sas: [1, 0],
    });
  });

  test('is required by CommonJS programs, whose types are those of CommonJS', async () => {
    const printed = await compileAndRun('film.cts', COMMONJS, { module: 'node16', target: 'es2022' });
    assert.deepEqual(printed, {
      title: 'Ben',
      areTwo: true,
      codes: ['AlreadyExists', 'AlreadyExists'],
      filter: 'partition-scan',
    });
  });

  test('runs as its first page shows, pasted into an empty folder', async () => {
    const page = await readFile(join(installed(), 'README.md'), 'utf8');
    const [install, config, program, start, ...others] = blocksUnder(page, 'Quick start');
    assert(install && config && program && start);
    assert.deepEqual(
      [install, config, program, start].map(({ language }) => language),
      ['sh', 'json', 'ts', 'sh'],
    );
    assert.deepEqual(others, []);
    const pasted = join(folder, 'pasted');
    await mkdir(pasted);
    const shell = (script: string, cwd: string, env: NodeJS.ProcessEnv = {}) =>
      run('bash', ['-euo', 'pipefail', '-c', script], { cwd, env: { ...process.env, ...env } });
    // The package is not in the registry where it is tested.
    await shell(install.text.replace('shelfmark-patterns', tarball), pasted, {
      npm_config_prefer_offline: 'true',
    });
    const staff = join(pasted, 'staff');
    await writeFile(join(staff, 'tsconfig.json'), config.text);
    await writeFile(join(staff, 'staff.ts'), program.text);
    const server = await serve({ data: undefined });
    try {
      const env = { AZURE_STORAGE_CONNECTION_STRING: server.connectionString() };
      const { stdout } = await shell(start.text, staff, env);
      const [, ...said] = /It prints `([^`]+)` and `([^`]+)`/.exec(page) ?? [];
      assert.deepEqual(stdout.trim().split('\n'), said);
      await assert.rejects(shell('node staff.js', staff, env), /AlreadyExists/);
    } finally {
      await server.close();
    }
  });
});
