// Where the text of an answer is collected: a string while it is short, one buffer where it is long.
// All of it is ASCII, and so are the pieces of stored text; which pieces, and in which order, is the formatters' matter.

/** Up to here an answer is a string: it leaves in one write with its headers, a buffer in a write of its own. */
const TEXT_BYTES_MAX = 65_536;

/** Shorter pieces are copied by a loop sooner than a call of `copy` is made ready. */
const LOOP_BYTES_MAX = 64;
const LOOP_UNITS_MAX = 24;

/** A text that may be written again and again. */
export class Piece {
  readonly text: string;
  #isUsed = false;
  #bytes: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Made when they are asked for again. */
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
  /** All that was written, and nothing may be written after it. */
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

/** Memory that answers are put together in, for one after the other: with new memory for each V8 would collect more often. */
const MEMORY_BYTES = 0x40000;
const MEMORIES_MAX = 4;
const memories: Buffer[] = [];
/** By the bodies that are views of them. */
const lent = new WeakMap<Buffer, Buffer>();

function keep(memory: Buffer): void {
  if (memories.length < MEMORIES_MAX) memories.push(memory);
}

/** To be told of a body that has left: nobody may look at it again. One of which nobody tells is the collector's. */
export function releaseBuffer(body: Buffer): void {
  const memory = lent.get(body);
  if (memory === undefined) return;
  lent.delete(body);
  keep(memory);
}

class ByteOutput implements Output {
  #bytes = memories.pop() ?? Buffer.allocUnsafeSlow(MEMORY_BYTES);
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
    if (until - from > LOOP_BYTES_MAX) bytes.copy(this.#bytes, this.#length, from, until);
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
    if (memory.length === MEMORY_BYTES) lent.set(body, memory);
    return body;
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(length + (length >> 1));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

function writeShort(text: string, target: Buffer, at: number): void {
  for (let i = 0; i < text.length; i++) target[at + i] = text.charCodeAt(i);
}

function copyShort(source: Buffer, from: number, until: number, target: Buffer, at: number): void {
  const distance = at - from;
  for (let i = from; i < until; i++) target[i + distance] = source[i] ?? 0;
}

/** `size` is a guess of the characters to come, if there is one; a bad one costs time only. */
export const openOutput = (size = Number.POSITIVE_INFINITY): Output =>
  size > TEXT_BYTES_MAX ? new ByteOutput() : new TextOutput();
