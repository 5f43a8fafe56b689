// The envelope of POST /$batch: multipart body -> the requests in it (table-rest.md 10.1, 10.2).
// The rules between operations (count, partition, duplicates) and the grammar of targets and bodies are left to others.
import { TableError } from '#tables';
import {
  boundaryOf,
  mediaTypeOf,
  parseHeaders,
  readHead,
  splitMultipart,
  trimLineBreaks,
} from './multipart.js';

/** A request inside of a batch. */
export interface BatchPart {
  /** As sent, in upper case from every client. */
  readonly method: string;
  /** As sent: an absolute URL or a path, still encoded. */
  readonly target: string;
  /** Of the HTTP request, not of the MIME part; names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Without the line breaks around it. */
  readonly body: Buffer;
  /** From the HTTP headers; a Content-ID of the MIME part is not echoed and not read (table-rest.md 10.5). */
  readonly contentId: string | undefined;
}

export type BatchRequest =
  | { readonly kind: 'changeset'; readonly parts: readonly BatchPart[] }
  | { readonly kind: 'query'; readonly part: BatchPart };

/** Parts after these are not looked at: ten times what a changeset may hold is refused whatever follows. */
export const BATCH_PARTS_MAX = 1000;

const METHOD = /^[A-Za-z]+$/;
const VERSION = /^HTTP\/\d\.\d$/;

/** `METHOD target HTTP/1.1`. What is between the first and the last blank is the target, also if it has blanks itself. */
function parseRequestLine(line: string): { readonly method: string; readonly target: string } {
  const methodEnd = line.indexOf(' ');
  const versionStart = line.lastIndexOf(' ') + 1;
  const method = line.slice(0, Math.max(methodEnd, 0));
  const target = line.slice(methodEnd, versionStart).trim();
  if (!METHOD.test(method) || target === '' || !VERSION.test(line.slice(versionStart)))
    throw new TableError('InvalidInput');
  return { method, target };
}

/** Content-Length is not read: clients leave it out or get it wrong. */
function parsePart(bytes: Buffer): BatchPart {
  const mime = readHead(bytes);
  if (mediaTypeOf(parseHeaders(mime.lines)['content-type']) !== 'application/http')
    throw new TableError('InvalidInput');
  const { lines, rest } = readHead(trimLineBreaks(mime.rest));
  const { method, target } = parseRequestLine(lines[0] ?? '');
  const headers = parseHeaders(lines.slice(1));
  return { method, target, headers, body: trimLineBreaks(rest), contentId: headers['content-id'] };
}

/**
 * What a batch asks for: one changeset of writes, possibly empty, or one GET. Refuses with MediaTypeNotSupported what
 * is not multipart/mixed, with InvalidInput an envelope that is broken, cut off or holds any other mixture.
 */
export function parseBatch(contentType: string | undefined, body: Buffer): BatchRequest {
  if (mediaTypeOf(contentType) !== 'multipart/mixed') throw new TableError('MediaTypeNotSupported');
  const [section, ...others] = splitMultipart(body, boundaryOf(contentType), 2);
  if (!section || others.length > 0) throw new TableError('InvalidInput');
  const { lines, rest } = readHead(section);
  const type = parseHeaders(lines)['content-type'];
  if (mediaTypeOf(type) === 'multipart/mixed') {
    const parts = splitMultipart(rest, boundaryOf(type), BATCH_PARTS_MAX).map(parsePart);
    if (parts.some(part => part.method === 'GET')) throw new TableError('InvalidInput');
    return { kind: 'changeset', parts };
  }
  const part = parsePart(section);
  if (part.method !== 'GET') throw new TableError('InvalidInput');
  return { kind: 'query', part };
}
