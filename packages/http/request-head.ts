// Parses the head of a request: request line, headers, and how long a body follows. It accepts no more than RFC 9112 allows and
// less than node's own parser does; differential.test.ts lists what it refuses beyond that. The connection reads the bytes, long-head.ts
// those of a head that does not come at once; body-framing.ts finds where a body ends.
import { METHODS } from 'node:http';
import { type FieldReading, HeaderFields, INCOMPLETE, readFields, TOO_MANY } from './header-fields.js';
import { type HostReading, settleHost } from './host.js';

/** Request line and headers together. URLs of 32 KiB must fit, which query languages in them come to. */
export const HEAD_BYTES_MAX = 65_536;
/** The length of a body that comes in chunks. */
export const CHUNKED = -1;

/** The status of a request that is refused before any handler sees it. */
export type Refusal = 400 | 408 | 417 | 431 | 503;

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderFields;
  /** Bytes of the body, or `CHUNKED`. */
  readonly bodyLength: number;
  /** Whether the client would use the connection again. */
  readonly isKept: boolean;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly awaitsContinue: boolean;
  /** HTTP/1.0. */
  readonly isOld: boolean;
  /** Where the body begins, in bytes from the beginning of the text. */
  readonly end: number;
}

/** A head whose request line is read, and the headers that came with it. */
export type PartialHead = Pick<RequestHead, 'method' | 'target' | 'headers' | 'isOld'>;

/** Undefined where more has to come. */
export type HeadFound = RequestHead | Refusal | undefined;

/** How the heads of one connection are read. */
export interface HeadReading extends FieldReading, HostReading {
  /** The head that is not complete, as far as whole lines of it came. */
  partial: PartialHead | undefined;
}

/**
 * Each to itself: a slice of a head is a text that V8 has to look up wherever it names a member, these are known to it. CONNECT
 * asks for a tunnel, which there is none of.
 */
const KNOWN_METHODS: ReadonlyMap<string, string> = new Map(
  METHODS.filter(method => method !== 'CONNECT').map(method => [method, method]),
);
/** Paths, the asterisk, and URLs, whose host is looked at with the Host field; of visible ASCII, everything else is percent-encoded. */
const TARGET = /^(?:\/[!-~]*|\*|[Hh][Tt][Tt][Pp][Ss]?:\/\/[!-~]+)$/;
/** What a request line may be cut off in. */
const CUT_METHOD = /^[A-Z-]{0,32}$/;
const CUT_TARGET = /^[!-~]*$/;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const KEEP_ALIVE = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i;
/** No body is as long as fifteen digits say, and all of these are exact as a number. */
const LENGTH = /^\d{1,15}$/;
const CONTINUE = /^100-continue$/i;

/** What follows the target. */
const VERSION = ' HTTP/1.1\r\n';
const OLD_VERSION = ' HTTP/1.0\r\n';
const VERSION_LENGTH = VERSION.length;

const SLASH = 47;

/** `MALFORMED` below stands for lengths that are none, or are given twice in different ways: the way to smuggle requests. */
const MALFORMED = -2;

function bodyLengthOf(headers: HeaderFields, isOld: boolean): number {
  const length = headers['content-length'];
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined)
    return length === undefined && !isOld && encoding.toLowerCase() === 'chunked' ? CHUNKED : MALFORMED;
  if (length === undefined) return 0;
  return LENGTH.test(length) ? Number(length) : MALFORMED;
}

const hasHost = ({ headers, target, isOld }: PartialHead, reading: HeadReading): boolean =>
  (headers.host === reading.knownHost && target.charCodeAt(0) === SLASH) ||
  settleHost(headers, target, isOld, reading);

/**
 * Reads the headers of a head from `from` on.
 *
 * @returns undefined where more has to come; `reading` then knows where to go on.
 */
export function readHeaders(text: string, from: number, begun: PartialHead, reading: HeadReading): HeadFound {
  const { method, target, headers, isOld } = begun;
  const end = readFields(text, from, headers, reading);
  if (end === INCOMPLETE) reading.partial = begun;
  if (end <= 0) return end === INCOMPLETE ? undefined : end === TOO_MANY ? 431 : 400;
  const bodyLength = bodyLengthOf(headers, isOld);
  if (bodyLength === MALFORMED || !hasHost(begun, reading)) return 400;
  // Clients of HTTP/1.0 expect nothing, and close unless they say otherwise.
  const { connection, expect } = headers;
  const awaitsContinue = expect !== undefined && !isOld;
  if (awaitsContinue && !CONTINUE.test(expect)) return 417;
  const isKept =
    connection === undefined ? !isOld : !CLOSE.test(connection) && (!isOld || KEEP_ALIVE.test(connection));
  return { method, target, headers, bodyLength, isKept, awaitsContinue, isOld, end };
}

/**
 * @param text the bytes that came so far, a character each, without empty lines before them.
 * @returns undefined where more has to come; what is there by then is well-formed.
 */
export function parseRequestHead(text: string, reading: HeadReading): HeadFound {
  const methodEnd = text.indexOf(' ');
  if (methodEnd < 0) return CUT_METHOD.test(text) ? undefined : 400;
  const method = KNOWN_METHODS.get(text.slice(0, methodEnd));
  if (method === undefined) return 400;
  const targetEnd = text.indexOf(' ', methodEnd + 1);
  if (targetEnd < 0) return CUT_TARGET.test(text.slice(methodEnd + 1)) ? undefined : 400;
  const target = text.slice(methodEnd + 1, targetEnd);
  if (!TARGET.test(target)) return 400;
  const version = text.slice(targetEnd, targetEnd + VERSION_LENGTH);
  const isOld = version === OLD_VERSION;
  if (!isOld && version !== VERSION)
    return VERSION.startsWith(version) || OLD_VERSION.startsWith(version) ? undefined : 400;
  const begun = { method, target, headers: new HeaderFields(), isOld };
  return readHeaders(text, targetEnd + VERSION_LENGTH, begun, reading);
}
