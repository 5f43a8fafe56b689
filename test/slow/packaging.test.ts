// The package as its users get it: packed, installed into an empty folder, and run there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { importsOf } from '../support/source-text.js';
import { ROOT, runToEnd, spawnServer } from '../support/spawned-server.js';

const run = promisify(execFile);

/** A user's program: a server in its own process, one entity written and read with only what Node has. */
const PROGRAM = `
import { createHmac } from 'node:crypto';
import { type RunningServer, serve } from 'shelfmark';

const server: RunningServer = await serve({ data: process.argv[2] });

async function call(method: string, path: string, body?: string): Promise<unknown> {
  const url = new URL(server.tableEndpoint + path);
  const date = new Date().toUTCString();
  const text = date + '\\n/' + server.account.name + url.pathname;
  const signature = createHmac('sha256', Buffer.from(server.account.key, 'base64')).update(text).digest('base64');
  const response = await fetch(url, {
    method,
    headers: {
      'x-ms-date': date,
      'x-ms-version': '2019-02-02',
      Authorization: 'SharedKeyLite ' + server.account.name + ':' + signature,
      Accept: 'application/json;odata=nometadata',
      'Content-Type': 'application/json',
    },
    ...(body === undefined ? {} : { body }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

await call('POST', '/Tables', '{"TableName":"books"}');
await call('POST', '/books', '{"PartitionKey":"p","RowKey":"r","title":"Walden"}');
console.log(JSON.stringify(await call('GET', "/books(PartitionKey='p',RowKey='r')")));
await server.close();
`;

/** The packages that a compiled file imports by name. */
const importedPackages = (source: string): string[] =>
  importsOf(source)
    .filter(name => !/^[.#]/.test(name))
    .map(name => {
      const [first = '', second = ''] = name.split('/');
      return first.startsWith('@') ? posix.join(first, second) : first;
    });

describe('the package', () => {
  let folder = '';
  let files: readonly string[] = [];
  const app = (): string => join(folder, 'app');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shelfmark-package-'));
    const { stdout } = await run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      {
        cwd: ROOT,
      },
    );
    const [packed]: { filename: string; files: { path: string }[] }[] = JSON.parse(stdout);
    assert(packed);
    files = packed.files.map(({ path }) => path);
    await mkdir(app());
    await writeFile(join(app(), 'package.json'), '{ "private": true, "type": "module" }');
    const tarball = join(folder, packed.filename);
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: app() });
  });
  after(() => rm(folder, { recursive: true }));

  test('holds what runs, and neither tests nor sources', () => {
    const expected =
      /^(?:package\.json|README\.md|LICENSE|bin\/(?:package\.json|shelfmark\.js)|dist\/packages\/.+\.(?:js|d\.ts)|dist\/packages\/explorer\/site\/.+)$/;
    assert.deepEqual(
      files.filter(file => !expected.test(file)),
      [],
    );
    assert.deepEqual(
      files.filter(file => /\.test\./.test(file)),
      [],
    );
    assert(files.includes('dist/packages/server/index.js'));
    assert(files.includes('dist/packages/server/index.d.ts'));
  });

  test('imports nothing that its users would not have', async () => {
    const installed = join(app(), 'node_modules', 'shelfmark');
    const manifest: { dependencies: Record<string, string> } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    );
    const known = new Set([...Object.keys(manifest.dependencies), ...builtinModules]);
    // The explorer's page is a bundle.
    for (const file of files.filter(name => name.endsWith('.js') && !name.includes('/site/')))
      for (const name of importedPackages(await readFile(join(installed, file), 'utf8')))
        assert(name.startsWith('node:') || known.has(name), `${file} imports ${name}.`);
  });

  test('installs the command', async () => {
    const { stdout } = await run('npx', ['--no-install', 'shelfmark', '--version'], { cwd: app() });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    const command = [process.execPath, join(app(), 'node_modules', '.bin', 'shelfmark')] as const;
    const data = join(folder, 'data');
    const server = await spawnServer(['serve', '--table-port', '0', '--data', data], { command, cwd: app() });
    assert.equal(server.place, `data in ${data}`);
    const line = '{"PartitionKey":"p","RowKey":"r","n@odata.type":"Edm.Int64","n":"7"}\n';
    await writeFile(join(app(), 'books.jsonl'), line);
    const env = {
      ...process.env,
      SHELFMARK_FROM: server.connectionString,
      SHELFMARK_TO: server.connectionString,
    };
    const tool = (...args: readonly string[]) =>
      run('npx', ['--no-install', 'shelfmark', ...args], { cwd: app(), env });
    await tool('load', '--table', 'books', 'books.jsonl');
    const dumped = await tool('dump', '--table', 'books', '--out', '-', '--format', 'csv');
    assert.match(dumped.stdout, /^PartitionKey,RowKey,Timestamp,n,n@type\np,r,[^,]+,7,Int64\n$/);
    assert.equal((await server.stop('SIGTERM')).code, 0);
    assert.notDeepEqual(await readdir(data), []);
  });

  test('is also a library, with its types', async () => {
    await writeFile(join(app(), 'program.ts'), PROGRAM);
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    };
    const settings = JSON.stringify({ compilerOptions, files: ['program.ts'] });
    await writeFile(join(app(), 'tsconfig.json'), settings);
    const tsc = [join(ROOT, 'node_modules', '.bin', 'tsc')] as const;
    const compiled = await runToEnd(['-p', app()], { command: tsc });
    assert.deepEqual([compiled.code, compiled.stdout], [0, '']);
    const program = [process.execPath, join(app(), 'program.js')] as const;
    const { code, stdout, stderr } = await runToEnd([join(folder, 'library')], {
      command: program,
      cwd: app(),
    });
    assert.deepEqual([code, stderr], [0, '']);
    const { Timestamp, ...entity }: Record<string, string> = JSON.parse(stdout);
    assert(Timestamp);
    assert.deepEqual(entity, { PartitionKey: 'p', RowKey: 'r', title: 'Walden' });
  });
});
