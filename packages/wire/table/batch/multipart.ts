// The MIME grammar of a multipart body, in linear time: media types, parts between delimiters, header blocks.
// As liberal as clients need (protocol: batches#requests), but it skips no bytes of a body silently. It has no rules of batches.
// A body is a text with one character for each byte, so that offsets in both are equal.
import { TableError } from '#tables';

/** The maximum of lines in a part's MIME or HTTP head, request line included. Clients send fewer than twenty. */
const HEAD_LINES_MAX = 100;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

const PARAMETER = /;\s*([^=;\s]+)\s*=\s*(?:"([^"]*)"|([^;]*))/g;
const BOUNDARY = /^[ -~]+$/;
/** Control characters: they could forge a line where a header is echoed. */
const UNPRINTABLE = /[^\t -~\u0080-\uffff]/;
const NON_ASCII = /[\u0080-\u00ff]/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The media type without its parameters, in lower case; empty if there is none. */
export const mediaTypeOf = (contentType = ''): string =>
  contentType.split(';', 1).join('').trim().toLowerCase();

/** The boundary that a Content-Type names: other parameters may stand before it, quotes around it. */
export function boundaryOf(contentType = ''): string | undefined {
  for (const [, name = '', quoted, bare = ''] of contentType.matchAll(PARAMETER)) {
    if (name.toLowerCase() === 'boundary') return quoted ?? bare.trim();
  }
  return undefined;
}

const isBlank = (unit: number): boolean =>
  unit === SPACE || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === TAB;

const isLineBreak = (unit: number): boolean => unit === LINE_FEED || unit === CARRIAGE_RETURN;

/** A span of a text. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

function isAllBlank(text: string, from: number, until: number): boolean {
  for (let i = from; i < until; i++) if (!isBlank(text.charCodeAt(i))) return false;
  return true;
}

/** The start of the line after the one that begins at `line`; there is none at or after `until`. */
export function nextLine(text: string, line: number, until: number): number {
  const newline = text.indexOf('\n', line);
  return newline === -1 || newline >= until ? until : newline + 1;
}

/** Whether a line is a delimiter, and whether it is the closing one: only blanks may follow the delimiter. */
function delimiterAt(
  text: string,
  line: number,
  next: number,
  delimiter: string,
): 'between' | 'closing' | undefined {
  const end = line + delimiter.length;
  if (end > next) return undefined;
  if (isAllBlank(text, end, next)) return 'between';
  return text.startsWith('--', end) && isAllBlank(text, end + 2, next) ? 'closing' : undefined;
}

/** The line break before a delimiter belongs to the delimiter. */
function withoutLineBreak(text: string, from: number, until: number): Span {
  let end = until;
  if (end > from && text.charCodeAt(end - 1) === LINE_FEED) end--;
  if (end > from && text.charCodeAt(end - 1) === CARRIAGE_RETURN) end--;
  return { from, until: end };
}

/**
 * The parts of a multipart body; those after the first `limit` are left out. Refuses with InvalidInput
 * a body that does not close, and one with anything but blanks before the first or after the last delimiter.
 */
export function splitMultipart(
  text: string,
  { from, until }: Span,
  boundary: string | undefined,
  limit: number,
): readonly Span[] {
  if (boundary === undefined || !BOUNDARY.test(boundary)) throw new TableError('InvalidInput');
  const delimiter = `--${boundary}`;
  const parts: Span[] = [];
  let part: number | undefined;
  // Searches for lines that begin with dashes instead of the whole delimiter, which may be as long as the body.
  for (let line = from; line < until; ) {
    const next = text.startsWith(delimiter, line) ? nextLine(text, line, until) : line;
    const found = next > line ? delimiterAt(text, line, next, delimiter) : undefined;
    if (found !== undefined) {
      if (part === undefined) {
        if (!isAllBlank(text, from, line)) break;
      } else if (parts.length < limit) {
        parts.push(withoutLineBreak(text, part, line));
      }
      part = next;
      if (found === 'closing') {
        if (isAllBlank(text, next, until)) return parts;
        break;
      }
    }
    const before = text.indexOf('\n--', line);
    if (before === -1) break;
    line = before + 1;
  }
  throw new TableError('InvalidInput');
}

/** The begin and end of the blank line after a head: the head is before it, the content behind. */
export function findHeadEnd(text: string, { from, until }: Span): Span {
  let count = 0;
  let line = from;
  let next = nextLine(text, line, until);
  for (; line < until && !isAllBlank(text, line, next); next = nextLine(text, line, until)) {
    if (++count > HEAD_LINES_MAX) throw new TableError('InvalidInput');
    line = next;
  }
  return { from: line, until: next };
}

/** The lines of a head without their ends, from the bytes' UTF-8. Refuses control characters with InvalidInput. */
export function readLines(bytes: string): readonly string[] {
  if (bytes === '') return [];
  const text = NON_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
  const lines = text.split('\n').map(line => line.trimEnd());
  if (text.endsWith('\n')) lines.pop();
  if (lines.some(line => UNPRINTABLE.test(line))) throw new TableError('InvalidInput');
  return lines;
}

/** Header lines by their names in lower case, the values of one name joined by ", ". Refuses any other line. */
export function parseHeaders(lines: readonly string[]): Readonly<Record<string, string | undefined>> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    if (!HEADER_NAME.test(name)) throw new TableError('InvalidInput');
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** Without the CR and LF at either end. */
export function trimLineBreaks(text: string, span: Span): Span {
  let { from, until } = span;
  while (from < until && isLineBreak(text.charCodeAt(from))) from++;
  while (until > from && isLineBreak(text.charCodeAt(until - 1))) until--;
  return { from, until };
}
