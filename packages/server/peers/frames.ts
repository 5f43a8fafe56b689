// Frames on a link between two front ends: the lengths of two parts, a message as JSON, and the body of its request or its answer.
// peer-link.ts and peer-port.ts define their order.
import type { WireRequest, WireResponse } from '#base';
import type { Carried, ForwardedRequest, Outcome } from './forwarded.js';

/** A body of 4 MiB and its head, and an answer that repeats it. */
export const FRAME_BYTES_MAX = 16 * 1_048_576;
const LENGTHS_BYTES = 8;
const EMPTY = Buffer.alloc(0);

export interface Asking extends Omit<ForwardedRequest, 'request'> {
  readonly kind: 'request';
  readonly number: number;
  readonly request: Omit<WireRequest, 'body'>;
  /** Of the process that is meant, as it was seen to have it. */
  readonly lease: string;
  /** By the clock of that process, in milliseconds: afterwards it does not begin with it. */
  readonly until: number;
}

/** What became of the request with this number. */
type Told = { readonly number: number } & (
  | Exclude<Outcome, Carried>
  | {
      readonly kind: 'answered';
      readonly response: Omit<WireResponse, 'body'>;
      readonly refused: Carried['refused'];
    }
);

export type Message =
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong'; readonly clock: number }
  | Asking
  | Told;

export interface Frame {
  readonly message: Message;
  /** Memory of its own. */
  readonly body: Buffer;
}

export function encodeFrame(message: Message, body: Buffer = EMPTY): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return Buffer.concat([lengths, text, body]);
}

/** Collects bytes, and returns the whole frames. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The number of bytes that the incomplete frame needs. */
  #wanted = LENGTHS_BYTES;

  /**
   * The link is between programs of ours that share a secret: messages are not checked.
   *
   * @throws RangeError, SyntaxError for what cannot be a frame: nothing of the link can be read any more.
   */
  *add(piece: Buffer): Generator<Frame, void, undefined> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    while (this.#bytes >= this.#wanted) {
      const all = this.#pieces.length === 1 ? (this.#pieces[0] ?? piece) : Buffer.concat(this.#pieces);
      const textEnd = LENGTHS_BYTES + all.readUInt32BE(0);
      const end = textEnd + all.readUInt32BE(4);
      if (end > FRAME_BYTES_MAX) throw new RangeError('That is not a frame.');
      const isWhole = all.length >= end;
      const rest = isWhole ? all.subarray(end) : all;
      this.#pieces = [rest];
      this.#bytes = rest.length;
      this.#wanted = isWhole ? LENGTHS_BYTES : end;
      if (!isWhole) continue;
      const message: Message = JSON.parse(all.toString('utf8', LENGTHS_BYTES, textEnd));
      yield { message, body: Buffer.from(all.subarray(textEnd, end)) };
    }
  }
}
