// Parses the envelope of POST /$batch: multipart body -> the requests in it (protocol: batches#rules, batches#requests).
// The rules between operations (count, partition, duplicates) and the grammar of targets and bodies are checked elsewhere.
import { TableError } from '#tables';
import {
  boundaryOf,
  findHeadEnd,
  mediaTypeOf,
  nextLine,
  parseHeaders,
  readLines,
  type Span,
  splitMultipart,
  trimLineBreaks,
} from './multipart.js';

/** A request inside a batch. */
export interface BatchPart {
  /** As sent, in upper case from every client. */
  readonly method: string;
  /** As sent: an absolute URL or a path, still encoded. */
  readonly target: string;
  /** Of the HTTP request, not of the MIME part; names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Without the line breaks around it. */
  readonly body: Buffer;
  /** From the HTTP headers; a Content-ID of the MIME part is not echoed and not read (protocol: batches#parts). */
  readonly contentId: string | undefined;
}

export type BatchRequest =
  | { readonly kind: 'changeset'; readonly parts: readonly BatchPart[] }
  | { readonly kind: 'query'; readonly part: BatchPart };

/** The maximum of parts that are parsed: ten times the operations of a changeset, which is refused in any case. */
export const BATCH_PARTS_MAX = 1000;

const METHOD = /^[A-Za-z]+$/;
const VERSION = /^HTTP\/\d\.\d$/;

type RequestLine = Pick<BatchPart, 'method' | 'target'>;

/** `METHOD target HTTP/1.1`. The target is between the first and the last blank, and may contain blanks. */
function parseRequestLine(line: string): RequestLine {
  const methodEnd = line.indexOf(' ');
  const versionStart = line.lastIndexOf(' ') + 1;
  const method = line.slice(0, Math.max(methodEnd, 0));
  const target = line.slice(methodEnd, versionStart).trim();
  if (!METHOD.test(method) || target === '' || !VERSION.test(line.slice(versionStart)))
    throw new TableError('InvalidInput');
  return { method, target };
}

type Headers = BatchPart['headers'];

/**
 * Reads the parts of one body. Parsed heads are cached for the body: the parts of a batch have the same
 * heads except for a key or a number, and equal heads give the same object.
 */
class PartReader {
  readonly #bytes: Buffer;
  /** One character for each byte. */
  readonly #text: string;
  readonly #headers = new Map<string, Headers>();
  /** The checked MIME headers of the previous part. */
  #mimeHeaders: Headers | undefined;
  #requestLine: string | undefined;
  #request: RequestLine | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#text = bytes.toString('latin1');
  }

  get whole(): Span {
    return { from: 0, until: this.#text.length };
  }

  split(span: Span, boundary: string | undefined, limit: number): readonly Span[] {
    return splitMultipart(this.#text, span, boundary, limit);
  }

  /** The headers at the beginning of a span, and the span after the blank line. */
  mimeHead(span: Span): { readonly headers: Headers; readonly rest: Span } {
    const end = findHeadEnd(this.#text, span);
    return { headers: this.#headersOf(span.from, end.from), rest: { from: end.until, until: span.until } };
  }

  /** Content-Length is not read: clients leave it out or get it wrong. */
  part(span: Span): BatchPart {
    const mime = this.mimeHead(span);
    if (mime.headers !== this.#mimeHeaders) {
      if (mediaTypeOf(mime.headers['content-type']) !== 'application/http')
        throw new TableError('InvalidInput');
      this.#mimeHeaders = mime.headers;
    }
    const http = trimLineBreaks(this.#text, mime.rest);
    const end = findHeadEnd(this.#text, http);
    const headersAt = nextLine(this.#text, http.from, end.from);
    const { method, target } = this.#requestOf(this.#text.slice(http.from, headersAt));
    const headers = this.#headersOf(headersAt, end.from);
    const { from, until } = trimLineBreaks(this.#text, { from: end.until, until: http.until });
    const body = this.#bytes.subarray(from, until);
    return { method, target, headers, body, contentId: headers['content-id'] };
  }

  #headersOf(from: number, until: number): Headers {
    const text = this.#text.slice(from, until);
    const known = this.#headers.get(text);
    if (known !== undefined) return known;
    const headers = parseHeaders(readLines(text));
    this.#headers.set(text, headers);
    return headers;
  }

  #requestOf(line: string): RequestLine {
    if (this.#request !== undefined && line === this.#requestLine) return this.#request;
    this.#request = parseRequestLine(readLines(line)[0] ?? '');
    this.#requestLine = line;
    return this.#request;
  }
}

/**
 * The contents of a batch: one changeset of writes, possibly empty, or one GET. Refuses other types than multipart/mixed with
 * MediaTypeNotSupported, and an envelope that is malformed, cut off or has other parts with InvalidInput.
 */
export function parseBatch(contentType: string | undefined, body: Buffer): BatchRequest {
  if (mediaTypeOf(contentType) !== 'multipart/mixed') throw new TableError('MediaTypeNotSupported');
  const reader = new PartReader(body);
  const [section, ...others] = reader.split(reader.whole, boundaryOf(contentType), 2);
  if (!section || others.length > 0) throw new TableError('InvalidInput');
  const { headers, rest } = reader.mimeHead(section);
  const type = headers['content-type'];
  if (mediaTypeOf(type) === 'multipart/mixed') {
    const parts = reader.split(rest, boundaryOf(type), BATCH_PARTS_MAX).map(span => reader.part(span));
    if (parts.some(part => part.method === 'GET')) throw new TableError('InvalidInput');
    return { kind: 'changeset', parts };
  }
  const part = reader.part(section);
  if (part.method !== 'GET') throw new TableError('InvalidInput');
  return { kind: 'query', part };
}
