// Comments cite what exists: pages and sections of docs/protocol, and other documents of the repository; and that the
// links between pages lead somewhere. Worked examples of signatures are computed again. docs/protocol/README.md defines how citations are written.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix, sep } from 'node:path';
import { describe, test } from 'node:test';
import { commentsOf } from '../support/source-text.js';
import { ROOT } from '../support/spawned-server.js';

const SOURCE_FOLDERS = ['packages', 'test', 'tools', 'demo', 'examples', 'bench'];
const PAGE_LINES_MAX = 400;
/** It has the help of every command. */
const COMMANDS_PAGE = 'docs/cli.md';

interface Text {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

function textsIn(folder: string, ending: string): Text[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .map(name => posix.join(folder, name.split(sep).join('/')))
    .filter(path => path.endsWith(ending) && !path.includes('node_modules'))
    .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Pages that a command writes, and that git leaves out. */
const GENERATED = new Set(readFileSync(join(ROOT, '.gitignore'), 'utf8').match(/^.+\.md$/gm) ?? []);
const SOURCES = SOURCE_FOLDERS.flatMap(folder => textsIn(folder, '.ts'));
const ROOT_PAGES = readdirSync(ROOT).filter(name => name.endsWith('.md'));
const PAGES: readonly Text[] = [
  ...ROOT_PAGES.map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  ...textsIn('docs', '.md').filter(({ path }) => !GENERATED.has(path)),
];
/** The changelog describes the past, and grows. */
const KEPT_PAGES = PAGES.filter(({ path }) => path !== 'CHANGELOG.md');

/** The lines of a page that are prose: what stands between fences is an example. */
const proseOf = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchors of a page's headings, as the sites that show Markdown make them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ +(.+)$/gm)) {
    const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '');
    const anchor = words.trim().replaceAll(' ', '-');
    let name = anchor;
    for (let i = 1; anchors.has(name); i++) name = `${anchor}-${i}`;
    anchors.add(name);
  }
  return anchors;
}

const ANCHORS = new Map(PAGES.map(({ path, text }) => [path, anchorsOf(text)]));

/** Whether a page has the anchor, or no anchor is asked for. */
const leads = (path: string, anchor: string | undefined): boolean =>
  anchor === undefined
    ? ANCHORS.has(path) || GENERATED.has(path) || existsSync(join(ROOT, path))
    : (ANCHORS.get(path)?.has(anchor) ?? false);

/** Comments with each that goes over several lines joined into one. */
const joined = (text: string): string => commentsOf(text).replace(/\n[ \t]*(?:\/\/|\*(?!\/))[ \t]*/g, ' ');

const CITATION = /[(;] ?protocol: ([^)]*)\)?/g;

/** The sections that comments cite, as `page#section`. */
const citationsIn = (text: string): string[] =>
  [...joined(text).matchAll(CITATION)].flatMap(([, list = '']) => list.split(', '));

function isSection(cited: string): boolean {
  const [page = '', anchor] = cited.split('#');
  return /^[a-z-]+(?:#[a-z0-9-]+)?$/.test(cited) && leads(`docs/protocol/${page}.md`, anchor);
}

describe('citations', () => {
  test('of the protocol name a page and a heading that are there', () => {
    const missing = SOURCES.flatMap(({ path, text }) =>
      citationsIn(text)
        .filter(cited => !isSection(cited))
        .map(cited => `${path}: ${cited}`),
    );
    assert.deepEqual(missing, []);
  });

  test('are found where they are', () => {
    const text = `// Why (protocol: a#b,\n//   c#d-e). More (recorded; protocol: f).\nx = '(protocol: no)';\n/** (protocol: g#h) */`;
    assert.deepEqual(citationsIn(text), ['a#b', 'c#d-e', 'f', 'g#h']);
    const cited = new Set(SOURCES.flatMap(source => citationsIn(source.text)));
    assert.ok(cited.size > 80, `only ${cited.size} sections are cited`);
  });

  test('of other documents name those that the repository has', () => {
    const missing = SOURCES.flatMap(({ path, text }) =>
      [...joined(text).matchAll(/([\w./-]+\.md)\b(?:#([\w-]+))?/g)]
        .filter(([, name = '', anchor]) => {
          const beside = posix.join(posix.dirname(path), name);
          return !leads(posix.normalize(name), anchor) && !leads(beside, anchor);
        })
        .map(([name]) => `${path}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  test('in names of tests and other texts name no page that nowhere is', () => {
    const known = new Set([...ANCHORS.keys(), ...GENERATED].map(path => basename(path)));
    const missing = SOURCES.flatMap(({ path, text }) =>
      [...text.matchAll(/([\w-]+\.md)\b(?! \|)/g)]
        .filter(([, name = '']) => !known.has(name))
        .map(([name]) => `${path}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });
});

describe('pages', () => {
  test('link to files and headings that are there', () => {
    const broken = PAGES.flatMap(({ path, text }) =>
      [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)]
        .filter(([, target = '']) => {
          if (/^[a-z]+:/.test(target)) return false;
          const [file = '', anchor] = target.split('#');
          return !leads(file === '' ? path : posix.join(posix.dirname(path), file), anchor);
        })
        .map(([, target]) => `${path}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });

  test('have at most 400 lines', () => {
    const long = KEPT_PAGES.filter(
      ({ path, text }) => path !== COMMANDS_PAGE && text.split('\n').length - 1 > PAGE_LINES_MAX,
    );
    assert.deepEqual(
      long.map(({ path }) => path),
      [],
    );
  });

  test('of the protocol are listed on its first page', () => {
    const listed = PAGES.find(({ path }) => path === 'docs/protocol/README.md')?.text ?? '';
    const missing = PAGES.map(({ path }) => path)
      .filter(path => path.startsWith('docs/protocol/') && !path.endsWith('README.md'))
      .filter(path => !listed.includes(`](${basename(path)})`));
    assert.deepEqual(missing, []);
  });

  test('have worked examples whose signatures hold', () => {
    const text = PAGES.find(({ path }) => path === 'docs/protocol/requests.md')?.text ?? '';
    const key = Buffer.from(/`([A-Za-z0-9+/]{86}==)`/.exec(text)?.[1] ?? '', 'base64');
    const examples = PAGES.filter(({ path }) => path.startsWith('docs/protocol/')).flatMap(page => [
      ...page.text.matchAll(/^\|[^|]+\| `([^`]*↵[^`]*)` \| `([A-Za-z0-9+/=]{44})` \|$/gm),
    ]);
    assert.ok(examples.length > 10, `only ${examples.length} examples`);
    for (const [, signed = '', signature] of examples) {
      const computed = createHmac('sha256', key).update(signed.replaceAll('↵', '\n')).digest('base64');
      assert.equal(computed, signature, signed);
    }
  });
});
