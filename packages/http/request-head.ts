// Parses the head of a request: request line, header fields, and the length of the body that follows. It accepts no
// more than RFC 9112 allows and less than Node's own parser does; differential.test.ts lists what it refuses beyond
// that. It is strict where differing parsers would let one request hide in another: no space before a colon, no folded
// lines, no line that does not end with CR LF, no control character except a tab. Trailers after a chunked body follow
// the same rules. The connection reads the bytes, long-head.ts those of a head that arrives in parts; body-framing.ts
// finds where a body ends.
import { METHODS } from 'node:http';
import { detachedString } from '#base';
import { type HostReading, settleHost } from './host.js';

/**
 * Values by name, in an object without a prototype, so that no name from a client means anything; it is as fast as one
 * with.
 */
export class HeaderFields {
  [name: string]: string | undefined;
}
Reflect.deleteProperty(HeaderFields.prototype, 'constructor');
Object.setPrototypeOf(HeaderFields.prototype, null);

/** A well-formed line. */
export interface FieldLine {
  /** Including the end of the line. */
  readonly text: string;
  readonly name: string;
  readonly value: string;
  /** The name as the client spelled it, if it has capitals and the listener asked for the spelling of such names. */
  readonly spelling: string | undefined;
}

/** How the header lines of one connection are read. */
interface FieldReading {
  /** The lines of its last head, by their index: most come again and need no parsing. Updated. */
  readonly recalled: FieldLine[];
  /** Names with this prefix, in lower case, also keep their spelling, under `:` and the name. */
  readonly spelledPrefix: string | undefined;
  /** For an incomplete head: where the line begins that must be read again. */
  stoppedAt: number;
  /** How many lines come before it; 0 for a new head. */
  linesRead: number;
}

/** What `readFields` returns instead of a position. */
const INCOMPLETE = 0;
export const MALFORMED = -1;

const FIELDS_MAX = 2_000;
/** Clients send ten or fifteen. */
const RECALLED_MAX = 32;
/** Not recalled: behind a proxy the next head may be another client's, whose guess would be compared with this one. */
const SECRET = 'authorization';
/**
 * Nearly all heads end within this many bytes. Lines of longer ones are not recalled: an idle connection would keep
 * them.
 */
export const SHORT_TEXT = 4_096;

/**
 * Name, colon and value (RFC 9110, 5.5): the value has no control characters except tabs inside, and neither begins nor
 * ends with a space or a tab. No blank may follow blanks, so that a long run of them is matched once.
 */
const LINE =
  /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(?![ \t])((?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)[ \t]*\r\n$/;
/** Possible beginnings of a line, or of the empty one. */
const CUT_LINE = /^(?:\r?|[!#$%&'*+.^_`|~\w-]*|[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*\r?)$/;

/** For these the first one counts, for all others every one: Node's behaviour. */
const SINGULAR: ReadonlySet<string> = new Set(
  (
    'age authorization content-type etag expires from if-modified-since if-unmodified-since last-modified ' +
    'location max-forwards proxy-authorization referer retry-after server user-agent'
  ).split(' '),
);
/** From names as spelled to names in lower case. Clients spell theirs consistently. */
const SPELLINGS = new Map<string, string>();
const SPELLINGS_MAX = 1_024;
const REMEMBERED_LENGTH_MAX = 64;

function learn(spelling: string): string {
  const name = spelling.toLowerCase();
  if (spelling.length > REMEMBERED_LENGTH_MAX) return name;
  if (SPELLINGS.size >= SPELLINGS_MAX) SPELLINGS.clear();
  SPELLINGS.set(detachedString(spelling), detachedString(name));
  return name;
}

/**
 * Not even with the same value: two lengths are ambiguous about where a body ends, two hosts about whose request it is.
 */
const ONCE: ReadonlySet<string> = new Set(['content-length', 'host']);

/** @returns false for a header that must not be repeated. */
function addRepeated(into: HeaderFields, name: string, before: string, value: string): boolean {
  if (ONCE.has(name)) return false;
  if (!SINGULAR.has(name)) into[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  return true;
}

/** @returns the line from `from`; `INCOMPLETE` or `MALFORMED`. */
function readLine(text: string, from: number, prefix: string | undefined): FieldLine | number {
  const until = text.indexOf('\n', from) + 1;
  if (until === 0) return CUT_LINE.test(text.slice(from)) ? INCOMPLETE : MALFORMED;
  // It may be recalled for as long as the connection lasts, and must not retain the request.
  const line = detachedString(text.slice(from, until));
  const [, spelling, value] = LINE.exec(line) ?? [];
  if (spelling === undefined || value === undefined) return MALFORMED;
  const name = SPELLINGS.get(spelling) ?? learn(spelling);
  const kept = prefix && spelling !== name && name.startsWith(prefix) ? spelling : undefined;
  return { text: line, name, value, spelling: kept };
}

/** The next reading continues here. */
function stop(reading: FieldReading, at: number, count: number): typeof INCOMPLETE {
  reading.stoppedAt = at;
  reading.linesRead = count;
  return INCOMPLETE;
}

/**
 * Reads lines up to the empty one.
 *
 * @param text bytes, a character each.
 * @returns the position after the empty line; `INCOMPLETE` if more has to arrive, see `reading`; `MALFORMED`, also for
 * too many lines.
 */
export function readFields(text: string, from: number, into: HeaderFields, reading: FieldReading): number {
  const { recalled, spelledPrefix, linesRead } = reading;
  let at = from;
  for (let count = linesRead; ; count++) {
    let line: FieldLine | number | undefined = recalled[count];
    // Comparing slices is several times as fast as `startsWith`.
    if (line === undefined || text.slice(at, at + line.text.length) !== line.text) {
      if (text.startsWith('\r\n', at)) return at + 2;
      line = readLine(text, at, spelledPrefix);
      if (typeof line === 'number') return line === INCOMPLETE ? stop(reading, at, count) : line;
      if (count === FIELDS_MAX) return MALFORMED;
      if (line.name !== SECRET && count < RECALLED_MAX && text.length <= SHORT_TEXT) recalled[count] = line;
    }
    const { name, value, spelling } = line;
    const before = into[name];
    if (before === undefined) {
      into[name] = value;
      // No name from a client begins with a colon.
      if (spelling !== undefined) into[`:${name}`] = spelling;
    } else if (!addRepeated(into, name, before, value)) return MALFORMED;
    at += line.text.length;
  }
}

/** Request line and headers together. URLs of 32 KiB must fit, since query languages need them. */
export const HEAD_BYTES_MAX = 65_536;
/** The length of a body that comes in chunks. */
export const CHUNKED = -1;

/**
 * The status of a request that is refused before any handler sees it. For a head that is too long clients expect 400, the
 * answer of http.sys, and not 431.
 */
export type Refusal = 400 | 408 | 417 | 503;

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderFields;
  /** Bytes of the body, or `CHUNKED`. */
  readonly bodyLength: number;
  /** Whether the client would reuse the connection. */
  readonly isKept: boolean;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly awaitsContinue: boolean;
  /** HTTP/1.0. */
  readonly isOld: boolean;
  /** Where the body begins, in bytes from the beginning of the text. */
  readonly end: number;
}

/** A head whose request line is read, and the headers so far. */
export type PartialHead = Pick<RequestHead, 'method' | 'target' | 'headers' | 'isOld'>;

/** Undefined if more has to arrive. */
export type HeadFound = RequestHead | Refusal | undefined;

/** How the heads of one connection are read. */
export interface HeadReading extends FieldReading, HostReading {
  /** The incomplete head, as far as whole lines of it have arrived. */
  partial: PartialHead | undefined;
}

/**
 * Detached strings: V8 has to look up a slice of a head each time it names a member, these are known to it. CONNECT
 * asks for a tunnel, which this server does not offer.
 */
const KNOWN_METHODS: ReadonlyMap<string, string> = new Map(
  METHODS.filter(method => method !== 'CONNECT').map(method => [method, method]),
);
/**
 * Paths, the asterisk, and URLs, whose host is checked with the Host field; visible ASCII only, everything else is
 * percent-encoded.
 */
const TARGET = /^(?:\/[!-~]*|\*|[Hh][Tt][Tt][Pp][Ss]?:\/\/[!-~]+)$/;
/** What a request line may be cut off in. */
const CUT_METHOD = /^[A-Z-]{0,32}$/;
const CUT_TARGET = /^[!-~]*$/;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const KEEP_ALIVE = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i;
/** Fifteen digits exceed any body, and are exact as a number. */
const LENGTH = /^\d{1,15}$/;
const CONTINUE = /^100-continue$/i;

/** What follows the target. */
const VERSION = ' HTTP/1.1\r\n';
const OLD_VERSION = ' HTTP/1.0\r\n';
const VERSION_LENGTH = VERSION.length;

const SLASH = 47;

/** For invalid lengths, or contradicting ones: the way to smuggle requests. */
const NO_LENGTH = -2;

function bodyLengthOf(headers: HeaderFields, isOld: boolean): number {
  const length = headers['content-length'];
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined)
    return length === undefined && !isOld && encoding.toLowerCase() === 'chunked' ? CHUNKED : NO_LENGTH;
  if (length === undefined) return 0;
  return LENGTH.test(length) ? Number(length) : NO_LENGTH;
}

/**
 * Reads the headers of a head from `from` on.
 *
 * @returns undefined if more has to arrive; `reading` then knows where to continue.
 */
export function readHeaders(text: string, from: number, begun: PartialHead, reading: HeadReading): HeadFound {
  const { method, target, headers, isOld } = begun;
  const end = readFields(text, from, headers, reading);
  if (end === INCOMPLETE) reading.partial = begun;
  if (end <= 0) return end === INCOMPLETE ? undefined : 400;
  const bodyLength = bodyLengthOf(headers, isOld);
  const isKnownHost = headers.host === reading.knownHost && target.charCodeAt(0) === SLASH;
  if (bodyLength === NO_LENGTH || !(isKnownHost || settleHost(begun, reading))) return 400;
  // Clients of HTTP/1.0 expect nothing, and close by default.
  const { connection, expect } = headers;
  const awaitsContinue = expect !== undefined && !isOld;
  if (awaitsContinue && !CONTINUE.test(expect)) return 417;
  const isKept =
    connection === undefined ? !isOld : !CLOSE.test(connection) && (!isOld || KEEP_ALIVE.test(connection));
  return { method, target, headers, bodyLength, isKept, awaitsContinue, isOld, end };
}

/**
 * @param text the bytes so far, a character each, without leading empty lines.
 * @returns undefined if more has to arrive; what is there by then is well-formed.
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
