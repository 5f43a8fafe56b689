// Frames on a link between two front ends: a length, a kind, the number of a request and a payload. A request or an answer is JSON for everything except the body,
// which follows it. peer-link.ts and peer-port.ts define the order of frames.

/** A body of 4 MiB and its head, and an answer that repeats it. */
export const FRAME_BYTES_MAX = 16 * 1_048_576;
const LENGTH_BYTES = 4;
/** Kind and number. */
const HEAD_BYTES = 5;

const FRAME_KINDS = ['ping', 'pong', 'request', 'answer', 'refused', 'unknown'] as const;
type FrameKind = (typeof FRAME_KINDS)[number];

export interface Frame {
  readonly kind: FrameKind;
  /** Of the request that it belongs to; 0 for pings and their answers. */
  readonly number: number;
  readonly payload: Buffer;
}

export function encodeFrame(kind: FrameKind, number: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES + HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES + payload.length, 0);
  head.writeUInt8(FRAME_KINDS.indexOf(kind), LENGTH_BYTES);
  head.writeUInt32BE(number, LENGTH_BYTES + 1);
  return Buffer.concat([head, payload]);
}

/** Collects bytes, and returns the whole frames. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Of the incomplete frame, with its length: the number of bytes that it needs. */
  #wanted = LENGTH_BYTES;

  /** @throws RangeError for what cannot be a frame: nothing of the link can be read any more. */
  *add(piece: Buffer): Generator<Frame, void, undefined> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    while (this.#bytes >= this.#wanted) {
      const all = this.#pieces.length === 1 ? (this.#pieces[0] ?? piece) : Buffer.concat(this.#pieces);
      const length = all.readUInt32BE(0);
      if (length < HEAD_BYTES || length > FRAME_BYTES_MAX) throw new RangeError('That is not a frame.');
      const end = LENGTH_BYTES + length;
      const isWhole = all.length >= end;
      const rest = isWhole ? all.subarray(end) : all;
      this.#pieces = [rest];
      this.#bytes = rest.length;
      this.#wanted = isWhole ? LENGTH_BYTES : end;
      if (isWhole) yield frameOf(all.subarray(LENGTH_BYTES, end));
    }
  }
}

function frameOf(bytes: Buffer): Frame {
  const kind = FRAME_KINDS[bytes.readUInt8(0)];
  if (kind === undefined) throw new RangeError('That is not a frame.');
  return { kind, number: bytes.readUInt32BE(1), payload: bytes.subarray(HEAD_BYTES) };
}

/** A value that JSON has, and bytes. */
export function encodePayload(head: unknown, body: Buffer): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, body]);
}

/** @throws RangeError, SyntaxError. The body is memory of its own. */
export function decodePayload(payload: Buffer): { readonly head: unknown; readonly body: Buffer } {
  const end = LENGTH_BYTES + payload.readUInt32BE(0);
  if (end > payload.length) throw new RangeError('That is not a payload.');
  const head: unknown = JSON.parse(payload.toString('utf8', LENGTH_BYTES, end));
  return { head, body: Buffer.from(payload.subarray(end)) };
}

export function encodeClock(milliseconds: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(milliseconds);
  return bytes;
}

export const decodeClock = (payload: Buffer): number => payload.readDoubleBE(0);
