// Reads TypeScript sources as text, for rules about their structure: code, imports, the length of
// functions. It is not a parser: it matches braces and classifies them by the words before.

/** After these a slash begins a regular expression, elsewhere it divides. */
const BEFORE_REGEX =
  /(?:[([{,;:=!&|?+\-*%~^<>]|\b(?:return|typeof|case|in|of|void|throw|new|else|do|await|yield))\s*$/;
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\/[a-z]*/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const QUOTED = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y;

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
};

/** Spaces for what is no code, so that places and lines stay what they were. */
const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** The end of a template's text: after its last backtick, or after the `${` of a substitution. */
function templateEnd(source: string, from: number): number {
  let at = from;
  while (at < source.length) {
    if (source[at] === '\\') at += 2;
    else if (source[at] === '`') return at + 1;
    else if (source.startsWith('${', at)) return at + 2;
    else at++;
  }
  return at;
}

/** The source twice, each time with all else made of spaces: its code without the insides of strings and the like, and its comments. */
interface Split {
  readonly code: string;
  readonly comments: string;
}

/** Each rule asks for all sources again. */
const done = new Map<string, Split>();

function split(source: string): Split {
  const known = done.get(source);
  if (known !== undefined) return known;
  const made = splitAnew(source);
  done.set(source, made);
  return made;
}

function splitAnew(source: string): Split {
  let code = '';
  let comments = '';
  let at = 0;
  /** For each open brace: whether a template continues after it. */
  const braces: boolean[] = [];
  const template = (): void => {
    const end = templateEnd(source, at);
    const opens = source.startsWith('${', end - 2) && source[end - 1] === '{';
    code += `${blank(source.slice(at, end - (opens ? 2 : 1)))}${opens ? '${' : '`'}`;
    if (opens) braces.push(true);
    at = end;
  };
  while (at < source.length) {
    const character = source[at] ?? '';
    const inert = character === '/' ? matchAt(COMMENT, source, at) : '';
    const quoted = `'"`.includes(character) ? matchAt(QUOTED, source, at) : '';
    const regex =
      character === '/' && inert === '' && BEFORE_REGEX.test(code) ? matchAt(REGEX, source, at) : '';
    if (inert !== '') code += blank(inert);
    else if (quoted !== '') code += `'${blank(quoted.slice(2))}'`;
    else if (regex !== '') code += `/${blank(regex.slice(2))}/`;
    else code += character;
    if (inert !== '') comments += blank(source.slice(comments.length, at)) + inert;
    at += Math.max(inert.length, quoted.length, regex.length, 1);
    if (inert !== '' || quoted !== '' || regex !== '') continue;
    if (character === '`') template();
    else if (character === '{') braces.push(false);
    else if (character === '}' && braces.pop()) template();
  }
  return { code, comments: comments + blank(source.slice(comments.length)) };
}

/** The source with comments, and the insides of strings, templates and regular expressions, made of spaces. */
export const codeOf = (source: string): string => split(source).code;

/** The source with everything but its comments made of spaces. */
export const commentsOf = (source: string): string => split(source).comments;

/** What a source imports, re-exports or requires, as it names it. */
export function importsOf(source: string): readonly string[] {
  const code = codeOf(source);
  const found: string[] = [];
  for (const { index, 0: words } of code.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*'/g)) {
    const start = index + words.length;
    const end = source.indexOf(source[start - 1] ?? "'", start);
    found.push(source.slice(start, end));
  }
  return found;
}

export interface Block {
  /** The statement up to the brace that opens the block. */
  readonly head: string;
  readonly firstLine: number;
  readonly lines: number;
}

/** What stands before the brace at `open`, back to where its statement begins. */
function headOf(code: string, open: number): string {
  let depth = 0;
  let at = open - 1;
  for (; at >= 0; at--) {
    const character = code[at] ?? '';
    if (')]'.includes(character)) depth++;
    else if ('(['.includes(character)) depth--;
    if (depth <= 0 && ';{}'.includes(character)) break;
  }
  return code.slice(at + 1, open).trim();
}

/** Declarations of types and values: long lists of members are no long functions. */
const NO_FUNCTION =
  /^(?:export\s+)?(?:declare\s+)?(?:abstract\s+)?(?:class|interface|type|namespace)\b|(?:[=:([,?]|\breturn|\bsatisfies|\bas)$/;

/** The blocks of at least this many lines that are functions, or lie in one. */
export function longBlocks(source: string, linesMin: number): readonly Block[] {
  const code = codeOf(source);
  const opened: { readonly at: number; readonly line: number }[] = [];
  const blocks: Block[] = [];
  let line = 1;
  for (let at = 0; at < code.length; at++) {
    const character = code[at];
    if (character === '\n') line++;
    else if (character === '{') opened.push({ at, line });
    else if (character === '}') {
      const open = opened.pop();
      const lines = open === undefined ? 0 : line - open.line + 1;
      if (open === undefined || lines < linesMin) continue;
      const head = headOf(code, open.at);
      const isArrow = head.endsWith('=>');
      if (isArrow || !NO_FUNCTION.test(head)) blocks.push({ head, firstLine: open.line, lines });
    }
  }
  return blocks;
}
