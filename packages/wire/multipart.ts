// The MIME grammar of a multipart body, in bytes and in linear time: media types, parts between delimiters, header blocks.
// As liberal as clients need (table-rest.md 10.2), but nothing of a body is skipped in silence. Knows nothing of batches.
import { TableError } from '#tables';

/** Clients send fewer than twenty. */
const HEADER_COUNT_MAX = 100;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;
const DELETE = 0x7f;

const PARAMETER = /;\s*([^=;\s]+)\s*=\s*(?:"([^"]*)"|([^;]*))/g;
const PRINTABLE = /^[\x20-\x7e]+$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export interface MediaType {
  /** In lower case, empty if there is none. */
  readonly type: string;
  readonly boundary: string | undefined;
}

/** The parts of a Content-Type that matter here; other parameters may stand before the boundary, quotes around it. */
export function parseMediaType(contentType = ''): MediaType {
  const type = contentType.split(';', 1).join('').trim().toLowerCase();
  for (const [, name = '', quoted, bare = ''] of contentType.matchAll(PARAMETER)) {
    if (name.toLowerCase() === 'boundary') return { type, boundary: quoted ?? bare.trim() };
  }
  return { type, boundary: undefined };
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
  if (boundary === undefined || !PRINTABLE.test(boundary)) throw new TableError('InvalidInput');
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

export interface Headers {
  /** Names in lower case; of a header sent twice, the values joined by ", ". */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What follows the blank line. */
  readonly rest: Buffer;
}

/** Text of a line without its end. A control character in it could forge a line where the text is echoed. */
export function readLine(bytes: Buffer, line: number, next: number): string {
  const content = withoutLineBreak(bytes, line, next);
  for (const byte of content)
    if ((byte < SPACE && byte !== TAB) || byte === DELETE) throw new TableError('InvalidInput');
  return content.toString('utf8').trimEnd();
}

/** Header lines up to a blank one or the end, where the body is empty. Refuses what is no header with InvalidInput. */
export function readHeaders(bytes: Buffer): Headers {
  const headers = new Map<string, string>();
  let line = 0;
  for (let count = 0; line < bytes.length; count++) {
    const next = nextLine(bytes, line);
    const text = readLine(bytes, line, next);
    line = next;
    if (text === '') break;
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    if (!HEADER_NAME.test(name) || count >= HEADER_COUNT_MAX) throw new TableError('InvalidInput');
    const value = text.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return { headers: Object.fromEntries(headers), rest: bytes.subarray(line) };
}

/** The first line that is not blank, and what follows it. */
export function readFirstLine(bytes: Buffer): { readonly text: string; readonly rest: Buffer } {
  const content = trimLineBreaks(bytes);
  const next = nextLine(content, 0);
  return { text: readLine(content, 0, next), rest: content.subarray(next) };
}

/** Without the CR and LF at either end. */
export function trimLineBreaks(bytes: Buffer): Buffer {
  let [from, until] = [0, bytes.length];
  while (from < until && (bytes[from] === LINE_FEED || bytes[from] === CARRIAGE_RETURN)) from++;
  while (until > from && (bytes[until - 1] === LINE_FEED || bytes[until - 1] === CARRIAGE_RETURN)) until--;
  return bytes.subarray(from, until);
}
