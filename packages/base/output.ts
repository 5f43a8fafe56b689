// The output buffer of an answer: a string while it is short, one buffer when it is long.
// The formatters append texts and pieces of stored text, all of them ASCII.

/** Up to this length an answer is a string, written together with its headers; a buffer needs a write of its own. */
const TEXT_BYTES_MAX = 65_536;

/** For shorter pieces a loop is faster than a call of `copy`. */
const LOOP_BYTES_MAX = 64;
const LOOP_UNITS_MAX = 24;

/** A text that is written many times. */
export class Piece {
  readonly text: string;
  #isUsed = false;
  #bytes: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The bytes, made at the first use. */
  get bytes(): Buffer | undefined {
    if (this.#isUsed) this.#bytes ??= Buffer.from(this.text, 'latin1');
    this.#isUsed = true;
    return this.#bytes;
  }
}

export interface Output {
  text(text: string): void;
  piece(piece: Piece): void;
  /** Copies a piece of stored text. */
  bytes(bytes: Buffer, from: number, until: number): void;
  /** The whole output; nothing may be written after it. */
  end(): Buffer | string;
}

class TextOutput implements Output {
  #text = '';

  text(text: string): void {
    this.#text += text;
  }

  piece({ text }: Piece): void {
    this.#text += text;
  }

  bytes(bytes: Buffer, from: number, until: number): void {
    this.#text += bytes.toString('latin1', from, until);
  }

  end(): string {
    return this.#text;
  }
}

/** Buffers of one size for answers: with a new buffer for each answer V8 would collect more often, and the system would clear its memory each time. */
class Pool {
  readonly size: number;
  readonly #kept: Buffer[] = [];
  readonly #max: number;

  constructor(size: number, max: number) {
    this.size = size;
    this.#max = max;
  }

  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.size);
  }

  keep(memory: Buffer): void {
    if (this.#kept.length < this.#max) this.#kept.push(memory);
  }
}

const SMALL = new Pool(0x4_0000, 4);
/** For a page of a thousand rows of a kilobyte or two. */
const LARGE = new Pool(0x20_0000, 2);
/** The buffers in use, by the bodies that are views of them. */
const lent = new WeakMap<Buffer, Buffer>();

/** Returns a buffer to the pool that it came from, if it came from one. */
function keep(memory: Buffer): void {
  if (memory.length === SMALL.size) SMALL.keep(memory);
  else if (memory.length === LARGE.size) LARGE.keep(memory);
}

/** Releases the buffer of a body that was sent; the body must not be read afterwards. A body that is not released is garbage-collected. */
export function releaseBuffer(body: Buffer): void {
  const memory = lent.get(body);
  if (memory === undefined) return;
  lent.delete(body);
  keep(memory);
}

class ByteOutput implements Output {
  #bytes = SMALL.take();
  #length = 0;

  text(text: string): void {
    const until = this.#length + text.length;
    if (until > this.#bytes.length) this.#grow(until);
    if (text.length > LOOP_UNITS_MAX) this.#bytes.write(text, this.#length, 'latin1');
    else writeShort(text, this.#bytes, this.#length);
    this.#length = until;
  }

  piece(piece: Piece): void {
    const { bytes } = piece;
    if (bytes === undefined) this.text(piece.text);
    else this.bytes(bytes, 0, bytes.length);
  }

  bytes(bytes: Buffer, from: number, until: number): void {
    const end = this.#length + until - from;
    if (end > this.#bytes.length) this.#grow(end);
    // As `copy` does it, without its checks.
    if (until - from > LOOP_BYTES_MAX)
      this.#bytes.set(new Uint8Array(bytes.buffer, bytes.byteOffset + from, until - from), this.#length);
    else copyShort(bytes, from, until, this.#bytes, this.#length);
    this.#length = end;
  }

  end(): Buffer | string {
    const memory = this.#bytes;
    const body = memory.subarray(0, this.#length);
    if (this.#length <= TEXT_BYTES_MAX) {
      const text = body.toString('latin1');
      keep(memory);
      return text;
    }
    if (memory.length <= LARGE.size) lent.set(body, memory);
    return body;
  }

  #grow(length: number): void {
    const grown = length <= LARGE.size ? LARGE.take() : Buffer.allocUnsafeSlow(length + (length >> 1));
    const outgrown = this.#bytes;
    outgrown.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    keep(outgrown);
  }
}

function writeShort(text: string, target: Buffer, at: number): void {
  for (let i = 0; i < text.length; i++) target[at + i] = text.charCodeAt(i);
}

function copyShort(source: Buffer, from: number, until: number, target: Buffer, at: number): void {
  const distance = at - from;
  for (let i = from; i < until; i++) target[i + distance] = source[i] ?? 0;
}

/** `size` is an estimate of the length, if there is one; a wrong estimate costs only time. */
export const openOutput = (size = Number.POSITIVE_INFINITY): Output =>
  size > TEXT_BYTES_MAX ? new ByteOutput() : new TextOutput();
