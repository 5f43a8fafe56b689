// A reference of everything that a package exports, from the compiler's declarations: each name with its comment and
// its declaration. The compiler's output is regular enough to be read line by line.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Declared {
  readonly name: string;
  readonly kind: 'class' | 'function' | 'const' | 'interface' | 'type';
  /** The text of the comment before it; empty if there is none. */
  readonly comment: string;
  /** All declarations of the name: a function may have several. */
  readonly code: string;
}

const START = /^export (?:declare )?(?:abstract )?(class|function|const|interface|type) (\w+)/;
const EXPORT = /^export (?:type )?\{([^}]*)\} from '\.\/([\w/-]+)\.js';$/gm;

/** The text of `/** … *\/` without its stars. */
const commentText = (comment: string): string =>
  comment
    .replace(/^\s*\/\*\*|\*\/\s*$/g, '')
    .split('\n')
    .map(line => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();

/** The end of the declaration that begins at the line: the first line at which all brackets are closed. */
function endOf(lines: readonly string[], from: number): number {
  let depth = 0;
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? '').replace(/'[^']*'|"[^"]*"|`[^`]*`|=>/g, '').replace(/\/\*.*?\*\//g, '');
    if (!/^\s*(?:\/?\*|\/\/)/.test(line))
      for (const character of line) {
        if ('{([<'.includes(character)) depth++;
        if ('})]>'.includes(character)) depth--;
      }
    if (depth === 0 && /[;}]\s*$/.test(line)) return at;
  }
  return lines.length - 1;
}

/** What a file of declarations exports. */
export function declarationsIn(text: string): readonly Declared[] {
  const lines = text.split('\n').filter(line => !line.startsWith('//# '));
  const found = new Map<string, Declared>();
  let comment: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('/**')) {
      const end = lines.findIndex((each, index) => index >= at && each.includes('*/'));
      comment = lines.slice(at, end + 1);
      at = end;
      continue;
    }
    const [, kind, name] = START.exec(line) ?? [];
    const end = endOf(lines, at);
    if (kind !== undefined && name !== undefined) {
      const code = lines
        .slice(at, end + 1)
        .join('\n')
        .replace(/^export (?:declare )?/, '');
      const known = found.get(name);
      found.set(name, {
        name,
        kind: kind as Declared['kind'],
        comment: known?.comment || commentText(comment.join('\n')),
        code: known === undefined ? code : `${known.code}\n${code}`,
      });
    }
    if (line !== '') comment = [];
    at = Math.max(at, kind === undefined ? at : end);
  }
  return [...found.values()];
}

/** The entries of the pattern library, as its manifest has them. */
export const ENTRIES = [
  'index',
  'audit',
  'bulk',
  'copies',
  'encryption',
  'fan-out',
  'filters',
  'flows',
  'indexes',
  'joins',
  'lists',
  'mixed',
  'sas',
  'large',
  'logbook',
  'rolling',
  'series',
  'wide',
] as const;

/** What an entry of the package exports, by the files in which it is declared. */
export function exportedBy(entry: string): ReadonlyMap<string, readonly Declared[]> {
  const files = new Map<string, readonly Declared[]>();
  const text = readFileSync(entry, 'utf8');
  const own = declarationsIn(text);
  if (own.length > 0) files.set(basename(entry, '.d.ts'), own);
  for (const [, names = '', file = ''] of text.matchAll(EXPORT)) {
    const wanted = names.split(',').map(name => name.trim().replace(/^type /, ''));
    const all = declarationsIn(readFileSync(join(dirname(entry), `${file}.d.ts`), 'utf8'));
    const known = files.get(file) ?? [];
    files.set(file, [...known, ...all.filter(({ name }) => wanted.includes(name))]);
  }
  return files;
}

/** The page. Its blocks are declarations and no examples, so they are not marked as such. */
export function formatReference(title: string, files: ReadonlyMap<string, readonly Declared[]>): string {
  const sections = [...files].flatMap(([file, declared]) => [
    `## ${file}`,
    ...declared.map(({ name, comment, code }) =>
      [
        `### ${name}`,
        ...(comment === '' ? [] : [comment.replaceAll('```ts\n', '```typescript\n')]),
        `\`\`\`typescript\n${code}\n\`\`\``,
      ].join('\n\n'),
    ),
  ]);
  return `${[`# ${title}`, 'Written from the comments of the source: do not edit.', ...sections].join('\n\n')}\n`;
}

/** The page of the pattern library, entry by entry. `folder` is where it was compiled. */
export const patternsReference = (folder: string): string =>
  ENTRIES.map(entry => {
    const name = entry === 'index' ? 'shelfmark-patterns' : `shelfmark-patterns/${entry}`;
    return formatReference(`Reference of ${name}`, exportedBy(join(folder, `${entry}.d.ts`)));
  }).join('\n');

/** `npm run docs:patterns` writes the page. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const page = join(root, 'docs', 'patterns', 'reference.md');
  writeFileSync(page, patternsReference(join(root, 'dist', 'packages', 'patterns')));
  process.stdout.write(`${page}\n`);
}
