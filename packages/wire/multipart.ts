// The MIME grammar of a multipart body, in bytes and in linear time: media types, parts between delimiters, header blocks.
// As liberal as clients need (table-rest.md 10.2), but nothing of a body is skipped in silence. Knows nothing of batches.
import { TableError } from '#tables';

/** Of a part's MIME or HTTP head, request line included. Clients send fewer than twenty. */
const HEAD_LINES_MAX = 100;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

const PARAMETER = /;\s*([^=;\s]+)\s*=\s*(?:"([^"]*)"|([^;]*))/g;
const BOUNDARY = /^[ -~]+$/;
/** Control characters: they could forge a line where a header is echoed. */
const UNPRINTABLE = /[^\t -~\u0080-\uffff]/;
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

const isBlank = (byte: number | undefined): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;

function isAllBlank(bytes: Buffer, from: number, until: number): boolean {
  for (let i = from; i < until; i++) if (!isBlank(bytes[i])) return false;
  return true;
}

/** The start of the line after the one that begins at `line`. */
function nextLine(bytes: Buffer, line: number): number {
  const newline = bytes.indexOf(LINE_FEED, line);
  return newline === -1 ? bytes.length : newline + 1;
}

/** Whether a line delimits parts, and whether it is the last that does: it holds the delimiter and nothing else but blanks. */
function delimiterAt(
  bytes: Buffer,
  line: number,
  next: number,
  delimiter: Buffer,
): 'between' | 'closing' | undefined {
  const end = line + delimiter.length;
  if (bytes[line] !== DASH || end > next || bytes.compare(delimiter, 0, delimiter.length, line, end) !== 0)
    return undefined;
  if (isAllBlank(bytes, end, next)) return 'between';
  const isClosing = bytes[end] === DASH && bytes[end + 1] === DASH && isAllBlank(bytes, end + 2, next);
  return isClosing ? 'closing' : undefined;
}

/** The line break before a delimiter belongs to the delimiter. */
function withoutLineBreak(bytes: Buffer, from: number, until: number): Buffer {
  let end = until;
  if (end > from && bytes[end - 1] === LINE_FEED) end--;
  if (end > from && bytes[end - 1] === CARRIAGE_RETURN) end--;
  return bytes.subarray(from, end);
}

/**
 * The parts of a multipart body, as views into it; those after the first `limit` are left out. Refuses with InvalidInput
 * a body that does not close, and one with anything but blanks before the first or after the last delimiter.
 */
export function splitMultipart(
  bytes: Buffer,
  boundary: string | undefined,
  limit: number,
): readonly Buffer[] {
  if (boundary === undefined || !BOUNDARY.test(boundary)) throw new TableError('InvalidInput');
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  const parts: Buffer[] = [];
  let from: number | undefined;
  for (let line = 0, next = 0; line < bytes.length; line = next) {
    next = nextLine(bytes, line);
    const found = delimiterAt(bytes, line, next, delimiter);
    if (found === undefined) continue;
    if (from === undefined) {
      if (!isAllBlank(bytes, 0, line)) break;
    } else if (parts.length < limit) {
      parts.push(withoutLineBreak(bytes, from, line));
    }
    from = next;
    if (found === 'between') continue;
    if (isAllBlank(bytes, next, bytes.length)) return parts;
    break;
  }
  throw new TableError('InvalidInput');
}

export interface Head {
  /** Without their ends. */
  readonly lines: readonly string[];
  /** What follows the blank line. */
  readonly rest: Buffer;
}

/** The lines up to a blank one, or all of them. Refuses control characters and too many lines with InvalidInput. */
export function readHead(bytes: Buffer): Head {
  let count = 0;
  let line = 0;
  let next = nextLine(bytes, line);
  for (; line < bytes.length && !isAllBlank(bytes, line, next); next = nextLine(bytes, line)) {
    if (++count > HEAD_LINES_MAX) throw new TableError('InvalidInput');
    line = next;
  }
  const lines = bytes
    .toString('utf8', 0, line)
    .split('\n', count)
    .map(text => text.trimEnd());
  if (lines.some(text => UNPRINTABLE.test(text))) throw new TableError('InvalidInput');
  return { lines, rest: bytes.subarray(next) };
}

/** Header lines by their names in lower case, the values of one name joined by ", ". Refuses what is no header. */
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
export function trimLineBreaks(bytes: Buffer): Buffer {
  let [from, until] = [0, bytes.length];
  while (from < until && (bytes[from] === LINE_FEED || bytes[from] === CARRIAGE_RETURN)) from++;
  while (until > from && (bytes[until - 1] === LINE_FEED || bytes[until - 1] === CARRIAGE_RETURN)) until--;
  return bytes.subarray(from, until);
}
