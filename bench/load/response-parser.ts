// Parses the HTTP/1.1 answers of a connection, in order. Minimal: bodies are framed by Content-Length or
// chunks, as those of every server measured are; anything else is an error. Headers stay one text.

export interface Response {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly body: Buffer;
}

export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse';
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})[ \r]/;
const CONTENT_LENGTH = /\r\nContent-Length:[ \t]*(\d+)[ \t]*\r\n/i;
const CHUNKED = /\r\nTransfer-Encoding:[ \t]*chunked[ \t]*\r\n/i;
const CHUNK_SIZE = /^([0-9a-f]{1,8})(?:;.*)?$/i;
const EMPTY = Buffer.alloc(0);

/** Answers that have no body whatever their headers say. */
const isBodiless = (status: number): boolean => status === 204 || status === 304 || status < 200;

interface Framed {
  readonly body: Buffer;
  /** Where the next answer begins. */
  readonly end: number;
}

/** A chunked body that begins at `from`; if it is incomplete, the number of bytes that are needed at least. */
function readChunks(bytes: Buffer, from: number): Framed | number {
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    if (lineEnd < 0) return bytes.length + 1;
    const match = CHUNK_SIZE.exec(bytes.toString('latin1', at, lineEnd));
    if (!match) throw new MalformedResponse('A chunk has no size.');
    const size = Number.parseInt(match[1] ?? '', 16);
    const start = lineEnd + LINE_END.length;
    const end = start + size;
    if (bytes.length < end + LINE_END.length) return end + LINE_END.length;
    if (bytes.indexOf(LINE_END, end) !== end)
      throw new MalformedResponse('A chunk does not end where it says.');
    at = end + LINE_END.length;
    if (size === 0)
      return { body: chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks), end: at };
    chunks.push(bytes.subarray(start, end));
  }
}

function readBody(bytes: Buffer, from: number, status: number, head: string): Framed | number {
  if (isBodiless(status)) return { body: EMPTY, end: from };
  const length = CONTENT_LENGTH.exec(head);
  if (length) {
    const end = from + Number(length[1]);
    return bytes.length < end ? end : { body: bytes.subarray(from, end), end };
  }
  if (CHUNKED.test(head)) return readChunks(bytes, from);
  throw new MalformedResponse(`A body without an end: ${head}`);
}

export class ResponseParser {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** With fewer bytes no answer is complete. */
  #needed = 1;

  /** The chunk must not change afterwards. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /**
   * The next answer that is complete; its body is a view of what was pushed.
   *
   * @throws MalformedResponse
   */
  next(): Response | undefined {
    if (this.#bytes < this.#needed) return undefined;
    const [first = EMPTY] = this.#chunks;
    const bytes = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#keep(bytes);
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) {
      this.#needed = bytes.length + 1;
      return undefined;
    }
    const from = headEnd + HEAD_END.length;
    const head = bytes.toString('latin1', 0, from);
    const status = Number(STATUS_LINE.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new MalformedResponse(`Not an answer: ${head.slice(0, 80)}`);
    const framed = readBody(bytes, from, status, head);
    if (typeof framed === 'number') {
      this.#needed = framed;
      return undefined;
    }
    this.#keep(bytes.subarray(framed.end));
    return { status, head, body: framed.body };
  }

  #keep(bytes: Buffer): void {
    this.#chunks = bytes.length === 0 ? [] : [bytes];
    this.#bytes = bytes.length;
    this.#needed = 1;
  }
}
