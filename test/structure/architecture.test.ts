// The structure that ARCHITECTURE.md draws and the project's rules that no linter knows: allowed imports, sizes, names,
// comments. An exception is a line in this file, with its reason.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, sep } from 'node:path';
import { describe, test } from 'node:test';
import { codeOf, importsOf, longBlocks } from '../support/source-text.js';
import { ROOT } from '../support/spawned-server.js';
import { DIRECTIONS, ENGINES, faultsOf, REGISTRY, ROOMS, roomOf, SERVICES, TESTING } from './rooms.js';

interface Source {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly code: string;
  /** Tests, their fixtures, and the conformance suite: they run where the development packages are. */
  readonly isTest: boolean;
}

const FOLDERS = ['packages', 'test', 'tools', 'demo', 'examples', 'bench'] as const;
const TEST = new RegExp(
  `\\.test\\.(?:fixture\\.)?ts$|^test/|^packages/[^/]+/conformance/|/(?:${TESTING}|slow)/`,
);

function sourcesIn(folder: string): Source[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter(name => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map(name => {
      const path = posix.join(folder, name.split(sep).join('/'));
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, code: codeOf(text), isTest: TEST.test(path) };
    });
}

const SOURCES = FOLDERS.flatMap(sourcesIn);
const PACKAGES = SOURCES.filter(({ path }) => path.startsWith('packages/'));
const packageOf = ({ path }: Source): string => path.split('/')[1] ?? '';

/** Packages from outside, and the files that may import them. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  lmdb: /^packages\/store-lmdb\//,
  'cassandra-driver': /^packages\/store-cassandra\/session\//,
  commander: /^packages\/cli\//,
  'csv-parse': /^packages\/data-tools\/formats\/csv\.ts$/,
  'hyparquet-writer': /^packages\/data-tools\/formats\/parquet\.ts$/,
  // Only its types.
  hyparquet: /^packages\/(?:data-tools\/formats\/parquet\.ts$|explorer\/page\/blobs\/)/,
  pino: /^packages\/server\/observe\/log\.ts$/,
  saxes: /^packages\/wire\/shared\/xml\.ts$/,
  jose: /^packages\/server\/auth\/bearer\.ts$/,
  '@azure/core-rest-pipeline': /^packages\/(?:patterns|explorer)\//,
  '@azure/data-tables': /^packages\/(?:patterns|explorer)\//,
  // Of the patterns only types, which no declaration shows: most programs have neither package.
  '@azure/storage-blob': /^packages\/(?:explorer\/page\/|patterns\/transport\/blob-container\.ts$)/,
  '@azure/storage-queue': /^packages\/(?:explorer\/page\/|patterns\/transport\/queue-requests\.ts$)/,
  '@preact/signals': /^packages\/explorer\/page\//,
  lucide: /^packages\/explorer\/page\//,
  preact: /^packages\/explorer\/page\//,
  'preact/hooks': /^packages\/explorer\/page\//,
  'node:net': /^packages\/http\/|^packages\/cli\/(?:cluster\/serve-cluster|locked-directory)\.ts$/,
  'node:tls':
    /^packages\/(?:http\/listen|cli\/options\/read-tls|server\/peers\/peer-socket|store-cassandra\/session\/access)\.ts$/,
  // For the names of methods and statuses, and for requests of the data tools; its server is the explorer's only.
  'node:http': /^packages\/(?:http\/|data-tools\/source\/transport\.ts$|explorer\/server\/)/,
  'node:https': /^packages\/(?:data-tools\/source\/transport\.ts$|explorer\/server\/)/,
};

/** What packages without I/O may use of Node: bytes. */
const PURE_PACKAGES: ReadonlySet<string> = new Set([
  'base',
  'store',
  'account',
  'tables',
  'queues',
  'blobs',
  'wire',
]);
const PURE_MODULES: ReadonlySet<string> = new Set(['node:buffer']);
/** The one file that computes MD5 of bodies. */
const DIGEST = 'packages/blobs/body/receive.ts';

/** Folders that all others know by one file; the HTTP server is a package, with its own. */
const DOORS: Readonly<Record<string, string>> = {
  'packages/store-lmdb/pages': 'tree-reader.js',
  'packages/store-lmdb/wal': 'index.js',
};

/** Every breach of a rule, as `path: what`. */
function breaches(sources: readonly Source[], rule: (source: Source) => readonly string[]): string[] {
  return sources.flatMap(source => rule(source).map(what => `${source.path}: ${what}`));
}

/** Positions of a pattern in the code, as `line: text`. */
function findings({ text, code }: Source, pattern: RegExp, where = code): string[] {
  const lines = text.split('\n');
  return [...where.matchAll(pattern)].map(({ index }) => {
    const line = where.slice(0, index).split('\n').length;
    return `${line}: ${lines[line - 1]?.trim()}`;
  });
}

/** The engines without the server, for commands that serve nothing. */
const ENGINES_FACE = '#server/engines';
/** What the package does not publish. */
const PARTS_FACE = '#server/parts';
/** Only the classes of filters, without a client: the data tools explain filters with them. */
const FILTERS_FACE = '#patterns/filters';
/** A lock without the data tools, for the server's command. */
const LOCK_FACE = '#data-tools/take-name';
/** Parts of the data tools without anything of Node, for the explorer's page. */
const PAGE_FACES: ReadonlySet<string> = new Set([
  '#data-tools/explain',
  '#data-tools/formats',
  '#data-tools/line',
  '#data-tools/write',
]);
/** Entry points of packages for the tests of other packages. */
const FOR_TESTS: ReadonlySet<string> = new Set([
  '#base/testing',
  '#base/testing/random-runs',
  '#base/testing/until',
  '#store/conformance',
  '#account/testing',
  '#tables/testing',
]);

describe('imports', () => {
  test('packages are those that have a place in the order', () => {
    assert.deepEqual([...new Set(PACKAGES.map(packageOf))].sort(), Object.keys(DIRECTIONS).sort());
  });

  test('go one way between packages, and by their aliases', () => {
    const rule = (source: Source): string[] =>
      importsOf(source.text)
        .filter(name => name.startsWith('#'))
        .filter(name => {
          const [target = '', rest] = name.slice(1).split('/');
          const isForTests = source.isTest && FOR_TESTS.has(name);
          const isFace =
            name === ENGINES_FACE ||
            name === PARTS_FACE ||
            name === FILTERS_FACE ||
            name === LOCK_FACE ||
            PAGE_FACES.has(name) ||
            SERVICES.some(({ faces }) => faces.includes(name));
          return (
            !DIRECTIONS[packageOf(source)]?.includes(target) || (rest !== undefined && !isForTests && !isFace)
          );
        });
    assert.deepEqual(breaches(PACKAGES, rule), []);
  });

  test('name engines in one file', () => {
    const rule = (source: Source): string[] =>
      source.path === REGISTRY ? [] : importsOf(source.text).filter(name => ENGINES.has(name.slice(1)));
    assert.deepEqual(breaches(PACKAGES, rule), []);
  });

  test('stay in the package where they are relative, and name a file', () => {
    const rule = (source: Source): string[] =>
      importsOf(source.text)
        .filter(name => name.startsWith('.'))
        .filter(name => {
          const target = posix.join(dirname(source.path), name);
          return !target.startsWith(`packages/${packageOf(source)}/`) || !target.endsWith('.js');
        });
    assert.deepEqual(breaches(PACKAGES, rule), []);
  });

  test('go one way between the folders of a package', () => {
    const found = Object.entries(ROOMS).flatMap(([name, rooms]) => {
      const folder = `${name}/`;
      const below = (path: string): string => path.slice(folder.length);
      const programs = SOURCES.filter(({ path, isTest }) => !isTest && path.startsWith(folder));
      const rule = (source: Source): string[] => {
        const room = roomOf(rooms, below(source.path));
        const targets = importsOf(source.text)
          .filter(each => each.startsWith('.'))
          .map(each => posix.join(dirname(source.path), each).replace(/\.js$/, '.ts'))
          .filter(path => path.startsWith(folder))
          .map(below);
        return targets.filter(target => {
          const targetRoom = roomOf(rooms, target);
          return targetRoom !== room && !rooms[room]?.includes(targetRoom);
        });
      };
      const folders = new Set(programs.map(({ path }) => roomOf(rooms, below(path))));
      const unknown = [...folders].filter(room => !(room in rooms)).map(room => `${name}: no entry ${room}`);
      const empty = Object.keys(rooms).filter(room => !folders.has(room));
      return [
        ...faultsOf(rooms).map(fault => `${name}: ${fault}`),
        ...unknown,
        ...empty.map(room => `${name}: nothing in ${room}`),
        ...breaches(programs, rule),
      ];
    });
    assert.deepEqual(found, []);
  });

  test('enter what is read with care by its door', () => {
    const rule = (source: Source): string[] =>
      importsOf(source.text).filter(name => {
        const target = posix.join(dirname(source.path), name);
        const folder = dirname(target);
        const door = DOORS[folder];
        return door !== undefined && !source.path.startsWith(`${folder}/`) && target !== `${folder}/${door}`;
      });
    const programs = PACKAGES.filter(({ isTest }) => !isTest);
    assert.deepEqual(breaches(programs, rule), []);
  });

  test('keep the services apart, and what they share free of them', () => {
    const rule = (source: Source): string[] =>
      SERVICES.filter(({ mayName }) => !mayName.test(source.path)).flatMap(({ faces }) =>
        importsOf(source.text).filter(name => faces.includes(name)),
      );
    const programs = PACKAGES.filter(({ isTest }) => !isTest);
    assert.deepEqual(breaches(programs, rule), []);
  });

  test('from outside have one owner each', () => {
    const rule = (source: Source): string[] =>
      importsOf(source.text)
        .filter(name => !name.startsWith('.') && !name.startsWith('#'))
        .filter(name => {
          const owner = OWNERS[name];
          return owner ? !owner.test(source.path) : !name.startsWith('node:');
        });
    const programs = PACKAGES.filter(({ isTest }) => !isTest);
    assert.deepEqual(breaches(programs, rule), []);
  });

  test('leave the HTTP server ignorant of the services behind it', () => {
    const http = PACKAGES.filter(source => packageOf(source) === 'http');
    const rule = (source: Source): string[] => findings(source, /azure|x-ms|\(protocol: /gi, source.text);
    assert.deepEqual(breaches(http, rule), []);
  });

  test('bring no I/O into store, domains and wire', () => {
    const pure = PACKAGES.filter(source => !source.isTest && PURE_PACKAGES.has(packageOf(source)));
    const rule = (source: Source): string[] =>
      importsOf(source.text)
        .filter(name => name.startsWith('node:') && !PURE_MODULES.has(name))
        .filter(name => !(source.path === DIGEST && name === 'node:crypto'));
    assert.deepEqual(breaches(pure, rule), []);
  });

  test('leave the clock and chance to the code that starts a server', () => {
    // The wall clock is read in one place in the server and one in the library, and passed in from there; `Instant.now`
    // is for applications.
    const isDoor = ({ path }: Source): boolean =>
      ['base/time.ts', 'patterns/concurrency/surroundings.ts', 'patterns/values/instant.ts'].includes(
        path.slice('packages/'.length),
      );
    const checked = PACKAGES.filter(source => !source.isTest && !isDoor(source));
    const inner = checked.filter(
      source => PURE_PACKAGES.has(packageOf(source)) || ['server', 'patterns'].includes(packageOf(source)),
    );
    const rule = (source: Source): string[] =>
      findings(source, /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/g);
    assert.deepEqual(breaches(inner, rule), []);
  });
});

const FILES_MAX = 20;
const LINES_MAX = 400;
const TEST_LINES_MAX = 800;
const FUNCTION_LINES_MAX = 60;
/** Of a component, whose markup has a line for each attribute. */
const COMPONENT_LINES_MAX = 90;
/** The bodies of suites contain tests, and are as long as these are together. */
const SUITE = /\bdescribe\w*\(|\(suite: Suite\)/;

describe('sizes', () => {
  test('folders have at most 20 files, without the tests beside them', () => {
    const counts = new Map<string, number>();
    for (const { path } of SOURCES.filter(source => !/\.test\.ts$/.test(source.path)))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const full = [...counts].filter(([, count]) => count > FILES_MAX);
    assert.deepEqual(full, []);
  });

  test('files have at most 400 lines, tests 800', () => {
    const rule = ({ text, isTest }: Source): string[] => {
      const lines = text.split('\n').length - 1;
      return lines > (isTest ? TEST_LINES_MAX : LINES_MAX) ? [`${lines} lines`] : [];
    };
    assert.deepEqual(breaches(SOURCES, rule), []);
  });

  test('functions have at most 60 lines, components 90', () => {
    const rule = ({ path, text, isTest }: Source): string[] =>
      longBlocks(text, (path.endsWith('.tsx') ? COMPONENT_LINES_MAX : FUNCTION_LINES_MAX) + 1)
        .filter(({ head }) => !(isTest && SUITE.test(head)))
        .map(({ head, firstLine, lines }) => `${firstLine}: ${lines} lines: ${head.slice(0, 60)}`);
    assert.deepEqual(breaches(SOURCES, rule), []);
  });
});

describe('style', () => {
  const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test)?(?:\.fixture)?\.tsx?$/;
  const BANNED_NAME =
    /\b(?:class|interface|type)\s+(?:I[A-Z][a-z]\w*|\w*(?:Manager|Helpers?|Utils?|Base|Impl|Data|Info|Handler|Factory))\b/g;

  test('file names are kebab-case', () => {
    const rule = ({ path }: Source): string[] => (KEBAB_CASE.test(basename(path)) ? [] : ['not kebab-case']);
    assert.deepEqual(breaches(SOURCES, rule), []);
  });

  test('every file opens with a comment', () => {
    const rule = ({ text }: Source): string[] =>
      /^(?:#!.*\n)?(?:\/\/ \S|\/\*)/.test(text) ? [] : ['no comment at the top'];
    assert.deepEqual(breaches(SOURCES, rule), []);
  });

  test('no default exports, no enums, no `any`', () => {
    const rule = (source: Source): string[] =>
      findings(source, /\bexport\s+default\b|\benum\s+\w|(?:[:<|&]|=>|\bas|\bextends)\s*any\b|,\s*any\s*>/g);
    assert.deepEqual(breaches(SOURCES, rule), []);
  });

  test('no names that say nothing', () => {
    assert.deepEqual(
      breaches(SOURCES, source => findings(source, BANNED_NAME)),
      [],
    );
  });

  test('nothing is left to do', () => {
    const rule = (source: Source): string[] =>
      findings(source, /\b(?:TO\x44O|FI\x58ME|XX\x58)\b/g, source.text);
    assert.deepEqual(breaches(SOURCES, rule), []);
  });
});
