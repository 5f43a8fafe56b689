// The examples of a page of documentation as a program: all its blocks of TypeScript, one after the other, each line where it stands on the page. What a comment
// claims at a line's end is asserted: `// => value`, and `// throws Code`.

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
export function commentsOf(source: string): string {
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
export function programOf(page: string, names: readonly string[] = []): string | undefined {
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
