// Finds the pieces of a body, by its length or chunk by chunk (RFC 9112, 7.1), however the network cuts it, and where the
// next request begins. The caller uses the pieces. Chunk extensions are ignored and trailers dropped, but both must be
// well-formed.
import { CHUNKED, HeaderFields, MALFORMED, readFields } from './request-head.js';

/**
 * For all size lines of a body together, so that it cannot consist of extensions; the sizes themselves do not count.
 */
const EXTENSION_BYTES_MAX = 16_384;
const TRAILER_BYTES_MAX = 16_384;
/** A size, and token=value pairs; thirteen digits are exact as a number. */
const SIZE_LINE =
  /^([\da-f]{1,13})((?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"[\t !#-[\]-~\x80-\xff]*"))?)*)\r\n$/i;
const SIZE_DIGITS_MAX = 13;

/** After a body these would contradict how it was just read, and how the connection continues. */
const NOT_BEHIND = ['content-length', 'transfer-encoding', 'connection'];

const LF = 10;

/** Called with each piece, `bytes[from, until)`. */
type OnPiece = (bytes: Buffer, from: number, until: number) => void;

type Step = 'size' | 'data' | 'dataEnd' | 'trailers' | 'done';

export class BodyFraming {
  readonly #onPiece: OnPiece;
  readonly #isChunked: boolean;
  #step: Step;
  /** Bytes of the chunk, or of a body whose length is known, still to come. */
  #remaining: number;
  /** The line that is not complete yet. */
  #line = '';
  #trailers = '';
  #extensionBytes = 0;

  /** @param length in bytes, or `CHUNKED`. */
  constructor(length: number, onPiece: OnPiece) {
    this.#onPiece = onPiece;
    this.#isChunked = length === CHUNKED;
    this.#step = this.#isChunked ? 'size' : length === 0 ? 'done' : 'data';
    this.#remaining = this.#isChunked ? 0 : length;
  }

  get isComplete(): boolean {
    return this.#step === 'done';
  }

  /** Bytes still to come, if known. */
  get remaining(): number | undefined {
    return this.#isChunked ? undefined : this.#remaining;
  }

  /** This many bytes of the chunk, or of a body whose length is known, were used. */
  skip(count: number): void {
    this.#remaining -= count;
    if (this.#remaining === 0) this.#step = this.#isChunked ? 'dataEnd' : 'done';
  }

  /**
   * @returns where the next request begins, the length of `bytes` at most; `MALFORMED` if it is no such body.
   */
  decode(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#step !== 'done') {
      if (this.#step === 'data') {
        const until = Math.min(at + this.#remaining, bytes.length);
        this.#onPiece(bytes, at, until);
        this.skip(until - at);
        at = until;
        continue;
      }
      const lf = bytes.indexOf(LF, at);
      const until = lf < 0 ? bytes.length : lf + 1;
      if (this.#line.length + until - at > this.#lineLengthMax()) return MALFORMED;
      this.#line += bytes.toString('latin1', at, until);
      at = until;
      if (lf >= 0 && !this.#takeLine()) return MALFORMED;
    }
    return at;
  }

  #lineLengthMax(): number {
    if (this.#step === 'dataEnd') return 2;
    return this.#step === 'size'
      ? SIZE_DIGITS_MAX + EXTENSION_BYTES_MAX - this.#extensionBytes + 2
      : TRAILER_BYTES_MAX - this.#trailers.length;
  }

  /** @returns false for a line that is not allowed here. */
  #takeLine(): boolean {
    const line = this.#line;
    this.#line = '';
    if (this.#step === 'dataEnd') {
      this.#step = 'size';
      return line === '\r\n';
    }
    return this.#step === 'size' ? this.#takeSize(line) : this.#takeTrailer(line);
  }

  #takeSize(line: string): boolean {
    const [, digits, extensions = ''] = SIZE_LINE.exec(line) ?? [];
    this.#extensionBytes += extensions.length;
    if (digits === undefined || this.#extensionBytes > EXTENSION_BYTES_MAX) return false;
    this.#remaining = Number.parseInt(digits, 16);
    this.#step = this.#remaining === 0 ? 'trailers' : 'data';
    return true;
  }

  #takeTrailer(line: string): boolean {
    this.#trailers += line;
    if (line !== '\r\n') return true;
    this.#step = 'done';
    const fields = new HeaderFields();
    const reading = { recalled: [], spelledPrefix: undefined, stoppedAt: 0, linesRead: 0 };
    const end = readFields(this.#trailers, 0, fields, reading);
    return end === this.#trailers.length && NOT_BEHIND.every(name => fields[name] === undefined);
  }
}
