// Reads the requests inside a multipart body: each part is a MIME head, a request line, headers and a body (protocol: batches#requests). The service
// decides which parts a batch may have.
import {
  findHeadEnd,
  isRepeated,
  malformedBatch,
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
    throw malformedBatch();
  return { method, target };
}

type Headers = BatchPart['headers'];

/** What stands before the body of a part. */
interface PartHead extends RequestLine {
  readonly headers: Headers;
  /** In the whole body. */
  readonly span: Span;
}

/** In a head as it was sent: a line whose colon has no blank after it. */
const WITHOUT_BLANK = /^[^:\n]*:(?! )/m;
/** The first of a delimiter. */
const DASH = 0x2d;

/**
 * How tolerant a service is: Azure Tables accept blanks before the first delimiter and headers without a blank after the colon, blobs do not
 * (protocol: batches#requests, blob-requests#batches).
 */
type Leniency = 'lenient' | 'strict';

/**
 * Reads the parts of one body. Most parts have the head of the one before them, byte for byte, which is read once. Other heads are the same
 * except for a key or a number, and equal header lines give the same object.
 */
export class PartReader {
  readonly #bytes: Buffer;
  readonly #isStrict: boolean;
  readonly #headers = new Map<string, Headers>();
  /** The last one that was read and ends with a blank line. */
  #head: PartHead | undefined;

  constructor(bytes: Buffer, leniency: Leniency) {
    this.#bytes = bytes;
    this.#isStrict = leniency === 'strict';
  }

  get whole(): Span {
    return { from: 0, until: this.#bytes.length };
  }

  split(span: Span, boundary: string | undefined, limit: number): readonly Span[] {
    if (this.#isStrict && this.#bytes[span.from] !== DASH) throw malformedBatch();
    return splitMultipart(this.#bytes, span, boundary, limit);
  }

  /** The headers at the beginning of a span, and the span after the blank line. */
  mimeHead(span: Span): { readonly headers: Headers; readonly rest: Span } {
    const end = findHeadEnd(this.#bytes, span);
    return { headers: this.#headersOf(span.from, end.from), rest: { from: end.until, until: span.until } };
  }

  /** Content-Length is not read: clients leave it out or get it wrong. */
  part(span: Span): BatchPart {
    const known = this.#head;
    const head =
      known !== undefined && isRepeated(this.#bytes, known.span, span) ? known : this.#readHead(span);
    const bodyFrom = span.from + head.span.until - head.span.from;
    const { from, until } = trimLineBreaks(this.#bytes, { from: bodyFrom, until: span.until });
    const { method, target, headers } = head;
    return {
      method,
      target,
      headers,
      body: this.#bytes.subarray(from, until),
      contentId: headers['content-id'],
    };
  }

  #readHead(span: Span): PartHead {
    const mime = this.mimeHead(span);
    if (mediaTypeOf(mime.headers['content-type']) !== 'application/http') throw malformedBatch();
    const http = trimLineBreaks(this.#bytes, mime.rest);
    const end = findHeadEnd(this.#bytes, http);
    const headersAt = nextLine(this.#bytes, http.from, end.from);
    const { method, target } = parseRequestLine(readLines(this.#text(http.from, headersAt))[0] ?? '');
    const headers = this.#headersOf(headersAt, end.from);
    const head: PartHead = { method, target, headers, span: { from: span.from, until: end.until } };
    if (end.until < http.until) this.#head = head;
    return head;
  }

  #headersOf(from: number, until: number): Headers {
    const text = this.#text(from, until);
    const known = this.#headers.get(text);
    if (known !== undefined) return known;
    if (this.#isStrict && WITHOUT_BLANK.test(text)) throw malformedBatch();
    const headers = parseHeaders(readLines(text));
    this.#headers.set(text, headers);
    return headers;
  }

  #text(from: number, until: number): string {
    return this.#bytes.toString('utf8', from, until);
  }
}
