// What pages and comments name in backticks exists: paths, options, npm scripts and names in code. A rename that forgets a page fails here.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commentsOf } from '../support/source-text.js';
import { ROOT } from '../support/spawned-server.js';

/** Names of other programs and of Azure, and examples. */
const FOREIGN = new Set(
  `TMPDIR endBefore srh srq empid_ email_ empid_000199_2012 rev2 LoginArchive20260105 structuredClone perf bootstrap faketime azblob highlevel aborter retrypolicy
  CryptographyClient StaffMember k3m9p0aa x99 cryptography native_transport_max_threads _without_linearizable_reads partition_size_warn_threshold bti paxos_state_purging
  system_views max_partition_size top_partitions _bytes --source-container --paxos-only --no-concurrent-array-buffer-sweeping manifest.json staff.ts t.json
  bench/.peers packages/store-NAME docs/patterns/reference.md`.split(/\s+/),
);
const FENCED = /^ *```[\s\S]*?^ *```/gm;
const PATH = /^[\w.@#-]*(?:\/[\w.@-]+)*\/?$/;
const NAMES_A_FILE = /\.(?:tsx?|js|md|json|mjs|cjs)$|^(?:packages|test|tools|bench|docs|demo|examples)\//;
const NAME = /^[A-Za-z_$][\w$]*(?:\.[\w$]+)*(?:\(.*\))?$/;

/** Strings stay: they hold options, metrics and scripts. */
function withoutComments(source: string): string {
  const comments = commentsOf(source).split('\n');
  return source
    .split('\n')
    .map((line, at) => line.replace(comments[at]?.trim() ?? '', ''))
    .join('\n');
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n');
const textOf = (file: string): string => {
  try {
    return readFileSync(join(ROOT, file), 'utf8');
  } catch {
    return ''; // Removed, and not yet committed.
  }
};
const ofKind = (pattern: RegExp) =>
  files.filter(file => pattern.test(file)).map(file => ({ file, text: textOf(file) }));
const sources = ofKind(/\.tsx?$/);
/** History, and a page of other programs' settings. */
const OTHERS = ['CHANGELOG.md', 'docs/programs.md'];
const pages = ofKind(/\.md$/).filter(({ file }) => !OTHERS.includes(file));
const code = [
  ...sources.map(({ text }) => withoutComments(text)),
  ...ofKind(/\.(?:json|js|py|c|yaml)$|^\.ci\//).map(({ text }) => text),
  ...pages.flatMap(({ text }) => text.match(FENCED) ?? []),
].join('\n');
const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
const scripts = Object.keys(
  (JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> }).scripts,
);

/** A part of a path is what run-tests takes. */
const isFile = (path: string): boolean => {
  const source = path
    .replace(/\/$/, '')
    .replace(/^dist\//, '')
    .replace(/\.js$/, '.ts');
  return files.some(file => [path, source].some(name => `/${file}`.includes(`/${name}`)));
};
const isWord = (word: string): boolean =>
  FOREIGN.has(word) ||
  words.has(word) ||
  [/^shelfmark_/, /^shelfmark_cassandra_/].some(prefix => words.has(word.replace(prefix, ''))) ||
  /^\d*$/.test(word);
const isOption = (option: string): boolean => {
  const property = option.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return FOREIGN.has(option) || code.includes(option) || words.has(property);
};

/** What does not exist of a text between backticks. */
function missingIn(quoted: string): readonly string[] {
  if (FOREIGN.has(quoted)) return [];
  const [, script] = /^npm run (?:--silent )?([\w:-]+)/.exec(quoted) ?? [];
  if (script !== undefined && !scripts.includes(script)) return [quoted];
  const options = (quoted.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []).filter(option => !isOption(option));
  if (options.length > 0) return options;
  if (PATH.test(quoted) && NAMES_A_FILE.test(quoted)) return isFile(quoted) ? [] : [quoted];
  if (!NAME.test(quoted)) return [];
  const names = quoted.replace(/\(.*$/, '').split('.');
  return names.every(isWord) ? [] : [quoted];
}

test('what pages and comments name in backticks exists', () => {
  const prose = [
    ...pages.map(({ file, text }) => ({ file, text: text.replace(FENCED, '') })),
    ...sources.map(({ file, text }) => ({ file, text: commentsOf(text) })),
  ];
  const missing = prose.flatMap(({ file, text }) =>
    [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, quoted = '']) =>
      missingIn(quoted).map(name => `${file}: ${name}`),
    ),
  );
  assert.deepEqual(missing, []);
});
