// The output buffer of an answer: a string while it is short, one buffer when it is long.
// The formatters append texts and pieces of stored text, all of them ASCII.

/** Up to this length an answer is a string, written together with its headers; a buffer needs a write of its own. */
const TEXT_BYTES_MAX = 65_536;

/** For shorter pieces a loop is faster than a call of `copy`. */
const LOOP_BYTES_MAX = 64;
const LOOP_UNITS_MAX = 24;
/**
 * Pieces are copied in words of this many bytes, as doubles: ASCII never makes a NaN. It takes an eighth of the time of
 * a copy by bytes.
 */
const WORD = 8;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;

/** A text that is written many times. */
export class Piece {
  readonly text: string;
  #isUsed = false;
  #words: DataView | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The bytes in whole words, created when the text is used again. */
  get words(): DataView | undefined {
    if (this.#isUsed) this.#words ??= wordsOf(this.text);
    this.#isUsed = true;
    return this.#words;
  }
}

function wordsOf(text: string): DataView {
  const bytes = Buffer.allocUnsafe(text.length + WORD);
  bytes.write(text, 'latin1');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

export interface Output {
  text(text: string): void;
  piece(piece: Piece): void;
  /** Copies a piece of stored text. */
  bytes(bytes: Buffer, from: number, until: number): void;
  /**
   * Copies bytes if a JSON string can contain all of them unescaped; otherwise, or if it saves nothing, writes nothing
   * and returns false.
   */
  plain(bytes: Buffer, from: number, until: number): boolean;
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

  plain(): boolean {
    return false;
  }

  end(): string {
    return this.#text;
  }
}

/** Free space before an answer for its head, so that both are one piece to the system. */
const HEAD_ROOM = 1024;

/** Memory of an answer, as bytes and for words. */
interface Memory {
  readonly bytes: Buffer;
  readonly view: DataView;
}

function allocate(size: number): Memory {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer, 0, size) };
}

/**
 * Buffers of one size for answers: a new buffer for each answer would make V8 collect more often, and the system clear
 * its memory each time.
 */
class Pool {
  readonly size: number;
  readonly #kept: Memory[] = [];
  readonly #max: number;

  constructor(size: number, max: number) {
    this.size = size;
    this.#max = max;
  }

  take(): Memory {
    return this.#kept.pop() ?? allocate(this.size);
  }

  keep(memory: Memory): void {
    if (this.#kept.length < this.#max) this.#kept.push(memory);
  }
}

const SMALL = new Pool(0x4_0000, 4);
/** For a page of a thousand rows of a kilobyte or two. */
const LARGE = new Pool(0x20_0000, 2);
/** The memory in use, by the bodies that are views of it. */
const lent = new WeakMap<Buffer, Memory>();

/** Returns memory to the pool that it came from, if it came from one. */
function keep(memory: Memory): void {
  const { length } = memory.bytes;
  if (length === SMALL.size) SMALL.keep(memory);
  else if (length === LARGE.size) LARGE.keep(memory);
}

/** The body with a head before it, in the memory that both are released with; undefined if there is no room. The head is ASCII. */
export function withHead(head: string, body: Buffer): Buffer | undefined {
  const memory = lent.get(body);
  if (memory === undefined || head.length > HEAD_ROOM) return undefined;
  const from = HEAD_ROOM - head.length;
  memory.bytes.write(head, from, 'latin1');
  return memory.bytes.subarray(from, HEAD_ROOM + body.length);
}

/** Releases the memory of a body that was sent; the body must not be read afterwards. A body that is not released is garbage-collected. */
export function releaseBuffer(body: Buffer): void {
  const memory = lent.get(body);
  if (memory === undefined) return;
  lent.delete(body);
  keep(memory);
}

const NO_MEMORY = new ArrayBuffer(0);

class ByteOutput implements Output {
  #memory = SMALL.take();
  #bytes = this.#memory.bytes;
  #view = this.#memory.view;
  /** Where the next piece goes. */
  #length = HEAD_ROOM;
  /** The memory that was last copied from: asking a buffer for it costs as much as copying a hundred bytes. */
  #source: Buffer | undefined;
  #sourceMemory: ArrayBufferLike = NO_MEMORY;
  #sourceStart = 0;

  text(text: string): void {
    const until = this.#length + text.length;
    if (until > this.#bytes.length) this.#grow(until);
    if (text.length > LOOP_UNITS_MAX) this.#bytes.write(text, this.#length, 'latin1');
    else writeShort(text, this.#bytes, this.#length);
    this.#length = until;
  }

  piece(piece: Piece): void {
    const { words, text } = piece;
    if (words === undefined) {
      this.text(text);
      return;
    }
    const at = this.#length;
    const until = at + text.length;
    if (until + WORD > this.#bytes.length) this.#grow(until + WORD);
    copyWords(words, text.length, this.#view, at);
    this.#length = until;
  }

  bytes(bytes: Buffer, from: number, until: number): void {
    const end = this.#length + until - from;
    if (end > this.#bytes.length) this.#grow(end);
    if (until - from > LOOP_BYTES_MAX) this.#copy(bytes, from, until);
    else copyShort(bytes, from, until, this.#bytes, this.#length);
    this.#length = end;
  }

  /** As a buffer's `copy` does, without its checks. */
  #copy(bytes: Buffer, from: number, until: number): void {
    if (bytes !== this.#source) {
      this.#source = bytes;
      this.#sourceMemory = bytes.buffer;
      this.#sourceStart = bytes.byteOffset;
    }
    this.#bytes.set(new Uint8Array(this.#sourceMemory, this.#sourceStart + from, until - from), this.#length);
  }

  plain(bytes: Buffer, from: number, until: number): boolean {
    const end = this.#length + until - from;
    if (end > this.#bytes.length) this.#grow(end);
    if (!copyPlain(bytes, from, until, this.#bytes, this.#length)) return false;
    this.#length = end;
    return true;
  }

  end(): Buffer | string {
    const memory = this.#memory;
    const body = memory.bytes.subarray(HEAD_ROOM, this.#length);
    if (body.length <= TEXT_BYTES_MAX) {
      const text = body.toString('latin1');
      keep(memory);
      return text;
    }
    if (memory.bytes.length <= LARGE.size) lent.set(body, memory);
    return body;
  }

  #grow(length: number): void {
    const grown = length <= LARGE.size ? LARGE.take() : allocate(length + (length >> 1));
    const outgrown = this.#memory;
    outgrown.bytes.copy(grown.bytes, HEAD_ROOM, HEAD_ROOM, this.#length);
    this.#memory = grown;
    this.#bytes = grown.bytes;
    this.#view = grown.view;
    keep(outgrown);
  }
}

function writeShort(text: string, target: Buffer, at: number): void {
  for (let i = 0; i < text.length; i++) target[at + i] = text.charCodeAt(i);
}

/** Up to a word more than the length, in source and target. */
function copyWords(source: DataView, length: number, target: DataView, at: number): void {
  for (let i = 0; i < length; i += WORD) target.setFloat64(at + i, source.getFloat64(i, true), true);
}

function copyShort(source: Buffer, from: number, until: number, target: Buffer, at: number): void {
  const distance = at - from;
  for (let i = from; i < until; i++) target[i + distance] = source[i] ?? 0;
}

/** Up to the first character that JSON has to escape, or that is not ASCII; false if there is one. */
function copyPlain(source: Buffer, from: number, until: number, target: Buffer, at: number): boolean {
  const distance = at - from;
  for (let i = from; i < until; i++) {
    const byte = source[i] ?? 0;
    if (byte < SPACE || byte > TILDE || byte === QUOTE || byte === BACKSLASH) return false;
    target[i + distance] = byte;
  }
  return true;
}

/** `size` is an estimate of the length, if there is one; a wrong estimate costs only time. */
export const openOutput = (size = Number.POSITIVE_INFINITY): Output =>
  size > TEXT_BYTES_MAX ? new ByteOutput() : new TextOutput();
