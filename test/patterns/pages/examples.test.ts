// Every example of docs/patterns and of comments in the pattern library: type-checked as a user's program would be, and run against a server of its own. All blocks of a page are one program, each line where it
// stands on the page, so that a fault is reported with the page's line. What a comment claims at a line's end is asserted: `// => value`, and `// throws Code`.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TableServiceClient } from '@azure/data-tables';
import { type RunningServer, serve } from 'shelfmark';
import * as patterns from '#patterns';
import { ROOT, runToEnd } from '../../support/spawned-server.js';

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

const FENCE = /^```(\w*)/;
const IMPORT = /^import (type )?\{([^}]*)\} from '([^']+)';$/;
const CLAIM = /^(\s*)(.+?);? \/\/ => (.+)$/;
const REFUSAL = /^(\s*)(.+?);? \/\/ throws (\w+)$/;
const DECLARATION = /^(?:const|let) (\w+)(?::[^=]+)? = /;

/** The lines of a page, with those that are no example emptied. */
function codeLines(markdown: string): string[] {
  let language: string | undefined;
  return markdown.split('\n').map(line => {
    const [fence, name] = FENCE.exec(line) ?? [];
    if (fence === undefined) return language === 'ts' ? line : '';
    language = language === undefined ? name : undefined;
    return '';
  });
}

/** Imports of all blocks as one line: a page may name what it uses again. */
function hoisted(lines: readonly string[]): string {
  const modules = new Map<string, Map<string, boolean>>();
  for (const line of lines) {
    const [, isTypes, names = '', from = ''] = IMPORT.exec(line) ?? [];
    for (const each of names.split(',').map(name => name.trim())) {
      if (each === '') continue;
      const isType = isTypes !== undefined || each.startsWith('type ');
      const name = each.replace(/^type /, '');
      const known = modules.get(from) ?? new Map<string, boolean>();
      known.set(name, isType && (known.get(name) ?? true));
      modules.set(from, known);
    }
  }
  return [...modules]
    .map(([from, names]) => {
      const list = [...names].map(([name, isType]) => (isType ? `type ${name}` : name));
      return `import { ${list.join(', ')} } from '${from}';`;
    })
    .join(' ');
}

function asserted(line: string): string {
  const [, indent = '', statement, value] = CLAIM.exec(line) ?? [];
  if (statement !== undefined) {
    const [, name] = DECLARATION.exec(statement) ?? [];
    return name === undefined
      ? `${indent}assert.deepEqual(${statement}, ${value});`
      : `${indent}${statement}; assert.deepEqual(${name}, ${value});`;
  }
  const [, space = '', refused, code] = REFUSAL.exec(line) ?? [];
  return refused === undefined
    ? line
    : `${space}await assert.rejects(async () => (${refused}), { name: 'PatternError', code: '${code}' });`;
}

/** The comments of a source as a page: what is not in them is left out. */
function commentsOf(source: string): string {
  let isComment = false;
  return source
    .split('\n')
    .map(line => {
      if (/^\s*\/\*\*/.test(line)) isComment = !line.includes('*/');
      else if (isComment && line.includes('*/')) isComment = false;
      else if (isComment) return line.replace(/^\s*\* ?/, '');
      return '';
    })
    .join('\n');
}

/** Of the names that the package exports, those that the examples use: examples in comments need not import them. */
function imported(lines: readonly string[], names: readonly string[]): string {
  const words = new Set(lines.join('\n').match(/\w+/g));
  const used = names.filter(name => words.has(name));
  return used.length === 0 ? '' : `import { ${used.join(', ')} } from '#patterns';`;
}

/**
 * The program of a page: a module whose `run` is the examples. `client` is a TableServiceClient of an account of its own, which `connectionString` names.
 * Undefined for a page without examples. `names` are there without being imported.
 */
function programOf(page: string, names: readonly string[] = []): string | undefined {
  const lines = codeLines(page);
  if (lines.every(line => line === '')) return undefined;
  const imports = hoisted(lines).replaceAll("'shelfmark-patterns", "'#patterns");
  const own = "import assert from 'node:assert/strict'; import * as tables from '@azure/data-tables';";
  const run =
    'export async function run(client: tables.TableServiceClient, connectionString: string): Promise<void> {';
  const given = names.length === 0 ? '' : 'const { TableServiceClient } = tables; void TableServiceClient;';
  const head = `${own} ${imported(lines, names)} ${imports} ${run} void [client, assert]; process.env.AZURE_STORAGE_CONNECTION_STRING = connectionString; ${given}`;
  const body = lines.map(line => (IMPORT.test(line) ? '' : asserted(line)));
  // The first line is a title, or the first of a comment, so the head has it to itself.
  return [head, ...body.slice(1), '}', ''].join('\n');
}

interface Program {
  run(client: TableServiceClient, connectionString: string): Promise<void>;
}

describe('the examples of the documentation', async () => {
  const pages = (await readdir(PAGES)).filter(name => name.endsWith('.md') && name !== 'reference.md').sort();
  const programs = new Map<string, string>();
  const sources: string[] = [];
  const add = (name: string, text: string, given?: readonly string[]): void => {
    const program = programOf(text, given);
    if (program === undefined) return;
    programs.set(name, program);
    sources.push(codeLines(text).join('\n'));
  };
  for (const page of pages) add(page.replace(/\.md$/, ''), await readFile(join(PAGES, page), 'utf8'));
  const names = Object.keys(patterns);
  for (const file of await readdir(SOURCES, { recursive: true })) {
    if (!file.endsWith('.ts') || file.includes('.test.')) continue;
    const comments = commentsOf(await readFile(join(SOURCES, file), 'utf8'));
    add(`comments-of-${basename(file, '.ts')}`, comments, names);
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

  test('assert all that they claim', () => {
    const countIn = (texts: Iterable<string>, what: RegExp): number =>
      [...texts].reduce((sum, text) => sum + (text.match(what)?.length ?? 0), 0);
    const claims = countIn(sources, / \/\/ (=>|throws \w+$)/gm);
    assert(claims > 50);
    assert.equal(countIn(programs.values(), /\bassert\.(deepEqual|rejects)\(/g), claims);
    assert.equal(countIn(programs.values(), / \/\/ (=>|throws)/g), 0);
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
