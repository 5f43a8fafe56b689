// Every example of docs/patterns and of comments in the pattern library: type-checked as a user's program would be, and run against a server of its own. A fault is reported with the line of the page.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TableServiceClient } from '@azure/data-tables';
import { type RunningServer, serve } from 'shelfmark';
import * as patterns from '#patterns';
import { ROOT, runToEnd } from '../../support/spawned-server.js';
import { commentsOf, programOf } from './doc-example.js';

const SOURCES = join(ROOT, 'packages', 'patterns');
const PAGES = join(ROOT, 'docs', 'patterns');
// Below the repository, so that programs import what its packages export.
const BUILD = join(ROOT, 'dist', 'examples');

const OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2023',
  types: ['node'],
  skipLibCheck: true,
};

interface Program {
  run(client: TableServiceClient, connectionString: string): Promise<void>;
}

describe('the examples of the documentation', async () => {
  const pages = (await readdir(PAGES)).filter(name => name.endsWith('.md') && name !== 'reference.md').sort();
  const programs = new Map<string, string>();
  for (const page of pages) {
    const program = programOf(await readFile(join(PAGES, page), 'utf8'));
    if (program !== undefined) programs.set(page.replace(/\.md$/, ''), program);
  }
  const names = Object.keys(patterns);
  for (const file of await readdir(SOURCES, { recursive: true })) {
    if (!file.endsWith('.ts') || file.includes('.test.')) continue;
    const program = programOf(commentsOf(await readFile(join(SOURCES, file), 'utf8')), names);
    if (program !== undefined) programs.set(`comments-of-${basename(file, '.ts')}`, program);
  }
  let folder = '';
  let server: RunningServer | undefined;

  before(async () => {
    await mkdir(BUILD, { recursive: true });
    folder = await mkdtemp(join(BUILD, 'pages-'));
    for (const [page, program] of programs) await writeFile(join(folder, `${page}.ts`), program);
    const files = [...programs.keys()].map(page => `${page}.ts`);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files }));
    server = await serve({ data: undefined });
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true });
  });

  test('are programs that the compiler accepts', async () => {
    const command = [join(ROOT, 'node_modules', '.bin', 'tsc')] as const;
    const { code, stdout } = await runToEnd(['-p', folder], { command });
    assert.deepEqual([code, stdout], [0, '']);
  });

  test('stand also in comments of the sources', () => {
    const inComments = [...programs.keys()].filter(name => name.startsWith('comments-of-'));
    assert(inComments.length > 0);
  });

  test('stand on pages that the index names', async () => {
    const index = await readFile(join(PAGES, 'README.md'), 'utf8');
    assert.deepEqual(
      pages.filter(page => page !== 'README.md' && !index.includes(`(${page})`)),
      [],
    );
  });

  for (const page of programs.keys())
    test(`${page} does what it says`, async () => {
      assert(server);
      const program: Program = await import(pathToFileURL(join(folder, `${page}.js`)).href);
      const client = TableServiceClient.fromConnectionString(server.connectionString(), {
        allowInsecureConnection: true,
      });
      await program.run(client, server.connectionString());
      for await (const { name } of client.listTables())
        if (name !== undefined) await client.deleteTable(name);
    });
});
