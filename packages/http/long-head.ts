// Reads heads that are long, or arrive in several packets, and keeps what has arrived. Each packet is read from the
// first incomplete line, so its cost does not depend on how much came before it. request-head.ts has the content of a
// head.
import { GrowingBytes } from './growing-bytes.js';
import { NO_HOST } from './host.js';
import { type ListenerContext, UnknownBytes } from './listener-context.js';
import {
  HEAD_BYTES_MAX,
  type HeadFound,
  type HeadReading,
  type PartialHead,
  parseRequestHead,
  readHeaders,
} from './request-head.js';

export const CR = 13;
const LF = 10;

/** For a connection that has read nothing yet. */
export const newReading = (
  spelledPrefix: string | undefined,
  ownHost: HeadReading['ownHost'],
): HeadReading => ({
  recalled: [],
  spelledPrefix,
  stoppedAt: 0,
  linesRead: 0,
  partial: undefined,
  knownHost: NO_HOST,
  ownHost,
});

/** The next head is a new one. */
function endReading(reading: HeadReading): void {
  reading.partial = undefined;
  reading.linesRead = 0;
}

/** Drops the lines that were read from the text, and recalls none: an idle connection would keep them. */
function goOn(bytes: Buffer, reading: HeadReading, partial: PartialHead): HeadFound {
  const from = reading.stoppedAt;
  const rest: HeadReading = { ...reading, recalled: [] };
  const text = bytes.toString('latin1', from, HEAD_BYTES_MAX + 1);
  const head = readHeaders(text, 0, partial, rest);
  reading.stoppedAt = from + rest.stoppedAt;
  reading.linesRead = rest.linesRead;
  return typeof head === 'object' ? { ...head, end: from + head.end } : head;
}

/**
 * @param bytes of the head so far.
 * @returns undefined if the head is incomplete; `reading` then knows where to continue.
 */
export function readLongHead(bytes: Buffer, reading: HeadReading): HeadFound {
  const head = reading.partial
    ? goOn(bytes, reading, reading.partial)
    : parseRequestHead(bytes.toString('latin1', 0, HEAD_BYTES_MAX + 1), reading);
  const isTooLong = typeof head === 'object' ? head.end > HEAD_BYTES_MAX : bytes.length > HEAD_BYTES_MAX;
  if (head !== undefined || isTooLong) endReading(reading);
  return isTooLong && typeof head !== 'number' ? 400 : head;
}

/** What has arrived of an incomplete head. Its caller is unknown, so it may be evicted when memory is short. */
export class IncompleteHead {
  readonly #bytes: GrowingBytes;
  readonly #reading: HeadReading;
  readonly #held: UnknownBytes;

  constructor(bytes: Buffer, reading: HeadReading, context: ListenerContext, evict: () => void) {
    this.#bytes = new GrowingBytes(0, bytes);
    this.#reading = reading;
    this.#held = new UnknownBytes(context, { evict });
    this.#held.hold(bytes.length);
  }

  get bytes(): Buffer {
    return this.#bytes.view();
  }

  /** Without the end of another line it is still incomplete. */
  append(bytes: Buffer): HeadFound {
    this.#bytes.append(bytes);
    this.#held.hold(this.#bytes.length);
    const mayEnd = bytes.includes(LF) || this.#bytes.length > HEAD_BYTES_MAX;
    return mayEnd ? readLongHead(this.bytes, this.#reading) : undefined;
  }

  /** It is complete, or no longer awaited. */
  release(): void {
    this.#held.hold(0);
    endReading(this.#reading);
  }
}

/** @returns how many of the bytes are empty lines: clients may leave some before a request (RFC 9112, 2.2). */
export function emptyLinesEnd(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
  return at;
}
