// The MIME grammar of a multipart body, in linear time: media types, parts between delimiters, header blocks.
// As liberal as clients need (protocol: batches#requests), but it skips no bytes of a body silently. It has no rules of batches.
// It reads bytes: only heads become text, since the text of a whole body is a large object, which outlives its request in the heap.
import { ServiceError } from '#account';

/** The maximum of lines in a part's MIME or HTTP head, request line included. Clients send fewer than twenty. */
const HEAD_LINES_MAX = 100;

/** The same code in all services. */
export const malformedBatch = (): ServiceError<'InvalidInput'> =>
  new ServiceError<'InvalidInput'>('InvalidInput');

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;
/** Bytes of a line break and a delimiter that are sought. */
const SOUGHT_MAX = 64;

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

const isBlank = (unit: number): boolean =>
  unit === SPACE || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === TAB;

const isLineBreak = (unit: number): boolean => unit === LINE_FEED || unit === CARRIAGE_RETURN;

/** A span of bytes. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

function isAllBlank(bytes: Buffer, from: number, until: number): boolean {
  for (let i = from; i < until; i++) if (!isBlank(bytes[i] ?? 0)) return false;
  return true;
}

/** The start of the line after the one that begins at `line`; there is none at or after `until`. */
export function nextLine(bytes: Buffer, line: number, until: number): number {
  const newline = bytes.indexOf(LINE_FEED, line);
  return newline === -1 || newline >= until ? until : newline + 1;
}

/** Whether the bytes of a span are the first ones of another, too. */
export function isRepeated(bytes: Buffer, { from, until }: Span, { from: at, until: most }: Span): boolean {
  const end = at + until - from;
  return end <= most && bytes.compare(bytes, from, until, at, end) === 0;
}

/** Whether a line is a delimiter, and whether it is the closing one: only blanks may follow the delimiter. */
function delimiterAt(
  bytes: Buffer,
  line: number,
  until: number,
  delimiter: Buffer,
): { readonly next: number; readonly isClosing: boolean } | undefined {
  const end = line + delimiter.length;
  if (end > until || bytes.compare(delimiter, 0, delimiter.length, line, end) !== 0) return undefined;
  const next = nextLine(bytes, line, until);
  if (isAllBlank(bytes, end, next)) return { next, isClosing: false };
  const isClosing = bytes[end] === DASH && bytes[end + 1] === DASH && isAllBlank(bytes, end + 2, next);
  return isClosing ? { next, isClosing } : undefined;
}

/** The line break before a delimiter belongs to the delimiter. */
function withoutLineBreak(bytes: Buffer, from: number, until: number): Span {
  let end = until;
  if (end > from && bytes[end - 1] === LINE_FEED) end--;
  if (end > from && bytes[end - 1] === CARRIAGE_RETURN) end--;
  return { from, until: end };
}

/**
 * The parts of a multipart body; those after the first `limit` are left out. Refuses with InvalidInput
 * a body that does not close, and one with anything but blanks before the first or after the last delimiter.
 */
export function splitMultipart(
  bytes: Buffer,
  { from, until }: Span,
  boundary: string | undefined,
  limit: number,
): readonly Span[] {
  if (boundary === undefined || !BOUNDARY.test(boundary)) throw malformedBatch();
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  // Not for the whole delimiter, which may be as long as the body.
  const sought = Buffer.from(`\n--${boundary}`.slice(0, SOUGHT_MAX), 'latin1');
  const parts: Span[] = [];
  let part: number | undefined;
  for (let line = from; line < until; ) {
    const found = delimiterAt(bytes, line, until, delimiter);
    let behind = line;
    if (found !== undefined) {
      if (part === undefined) {
        if (!isAllBlank(bytes, from, line)) break;
      } else if (parts.length < limit) {
        parts.push(withoutLineBreak(bytes, part, line));
      }
      part = found.next;
      if (found.isClosing) {
        if (isAllBlank(bytes, found.next, until)) return parts;
        break;
      }
      // The line's end may begin the next delimiter.
      behind = found.next - 1;
    }
    const before = bytes.indexOf(sought, behind);
    if (before === -1) break;
    line = before + 1;
  }
  throw malformedBatch();
}

/** The begin and end of the blank line after a head: the head is before it, the content behind. */
export function findHeadEnd(bytes: Buffer, { from, until }: Span): Span {
  let count = 0;
  let line = from;
  let next = nextLine(bytes, line, until);
  for (; line < until && !isAllBlank(bytes, line, next); next = nextLine(bytes, line, until)) {
    if (++count > HEAD_LINES_MAX) throw malformedBatch();
    line = next;
  }
  return { from: line, until: next };
}

/** The lines of a head without their ends. Refuses control characters with InvalidInput. */
export function readLines(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n').map(line => line.trimEnd());
  if (text.endsWith('\n')) lines.pop();
  if (lines.some(line => UNPRINTABLE.test(line))) throw malformedBatch();
  return lines;
}

/** Header lines by their names in lower case, the values of one name joined by ", ". Refuses any other line. */
export function parseHeaders(lines: readonly string[]): Readonly<Record<string, string | undefined>> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    if (!HEADER_NAME.test(name)) throw malformedBatch();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** Without the CR and LF at either end. */
export function trimLineBreaks(bytes: Buffer, span: Span): Span {
  let { from, until } = span;
  while (from < until && isLineBreak(bytes[from] ?? 0)) from++;
  while (until > from && isLineBreak(bytes[until - 1] ?? 0)) until--;
  return { from, until };
}
