// Lines of `name: value`, from text to an object: of a head, and of the trailers behind a body in chunks. Strict where parsers
// that differ would let one request hide in another: no space before the colon, no folded lines, no line that does not end with
// CR LF, no control character but a tab.
import { detachedString } from '#base';

/** Values by name, in an object without a prototype, so that no name that a client sends means anything; it is as fast as one with. */
export class HeaderFields {
  [name: string]: string | undefined;
}
Reflect.deleteProperty(HeaderFields.prototype, 'constructor');
Object.setPrototypeOf(HeaderFields.prototype, null);

/** A line that was found well-formed. */
export interface FieldLine {
  /** With the end of the line. */
  readonly text: string;
  readonly name: string;
  readonly value: string;
  /** The name as the client spelled it, where it has capitals and the listener asked for the spelling of such names. */
  readonly spelling: string | undefined;
}

/** How the heads of one connection are read. */
export interface FieldReading {
  /** The lines of its last head, by their index: most come again and need not be parsed. Updated. */
  readonly recalled: FieldLine[];
  /** Names that begin so, in lower case, keep their spelling too, under `:` and the name. */
  readonly spelledPrefix: string | undefined;
  /** Of a head that is not complete: where the line begins that is to be read again. */
  stoppedAt: number;
  /** How many lines stand before it; 0 for a new head. */
  linesRead: number;
}

/** What `readFields` returns instead of a position. */
export const INCOMPLETE = 0;
export const MALFORMED = -1;
export const TOO_MANY = -2;

const FIELDS_MAX = 2_000;
/** Clients send ten or fifteen. */
const RECALLED_MAX = 32;
/** Not recalled: behind a proxy the next head may be another client's, whose guess would be compared with this one. */
const SECRET = 'authorization';
/** Nearly all heads end within so many bytes. Lines of others are not recalled: a connection that rests would keep them. */
export const SHORT_TEXT = 4_096;

/**
 * Name, colon and value (RFC 9110, 5.5): the value has no control characters but tabs inside, and neither begins nor ends with a space
 * or a tab. After blanks none may follow, so that a long run of them is looked at once.
 */
const LINE =
  /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(?![ \t])((?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)[ \t]*\r\n$/;
/** What a line, or the empty one, may begin with. */
const CUT_LINE = /^(?:\r?|[!#$%&'*+.^_`|~\w-]*|[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*\r?)$/;

/** Of these the first counts, of others all do: so node has it. */
const SINGULAR: ReadonlySet<string> = new Set(
  (
    'age authorization content-type etag expires from if-modified-since if-unmodified-since last-modified ' +
    'location max-forwards proxy-authorization referer retry-after server user-agent'
  ).split(' '),
);
/** No request has it, and of all headers it alone would have to be a list. */
const DROPPED = 'set-cookie';

/** Names as they were spelled, to names in lower case. Clients spell theirs always alike. */
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

/** Not even with the same value: two lengths are two opinions about where a body ends, two hosts about whom it is for. */
const ONCE: ReadonlySet<string> = new Set(['content-length', 'host']);

/** @returns false for what must not come twice. */
function addRepeated(into: HeaderFields, name: string, before: string, value: string): boolean {
  if (ONCE.has(name)) return false;
  if (!SINGULAR.has(name)) into[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  return true;
}

/** @returns false where the line makes the head ambiguous. */
function add(into: HeaderFields, { name, value, spelling }: FieldLine): boolean {
  const before = into[name];
  if (before !== undefined) return addRepeated(into, name, before, value);
  if (name !== DROPPED) into[name] = value;
  // No name that a client sends begins with a colon.
  if (spelling !== undefined) into[`:${name}`] = spelling;
  return true;
}

/** @returns the line from `from`; `INCOMPLETE` or `MALFORMED`. */
function readLine(text: string, from: number, prefix: string | undefined): FieldLine | number {
  const until = text.indexOf('\n', from) + 1;
  if (until === 0) return CUT_LINE.test(text.slice(from)) ? INCOMPLETE : MALFORMED;
  // It may be recalled for as long as the connection lasts, and the request is not to be kept with it.
  const line = detachedString(text.slice(from, until));
  const [, spelling, value] = LINE.exec(line) ?? [];
  if (spelling === undefined || value === undefined) return MALFORMED;
  const name = SPELLINGS.get(spelling) ?? learn(spelling);
  const kept = prefix && spelling !== name && name.startsWith(prefix) ? spelling : undefined;
  return { text: line, name, value, spelling: kept };
}

/** The next reading goes on here. */
function stop(reading: FieldReading, at: number, count: number): typeof INCOMPLETE {
  reading.stoppedAt = at;
  reading.linesRead = count;
  return INCOMPLETE;
}

/**
 * Reads lines up to the empty one.
 *
 * @param text bytes, a character each.
 * @returns where the text goes on behind the empty line; `INCOMPLETE` where more has to come, see `reading`; `MALFORMED`; `TOO_MANY`.
 */
export function readFields(text: string, from: number, into: HeaderFields, reading: FieldReading): number {
  const { recalled, spelledPrefix, linesRead } = reading;
  let at = from;
  for (let count = linesRead; ; count++) {
    let line: FieldLine | number | undefined = recalled[count];
    // Slices compare several times as fast as `startsWith` does.
    if (line === undefined || text.slice(at, at + line.text.length) !== line.text) {
      if (text.startsWith('\r\n', at)) return at + 2;
      line = readLine(text, at, spelledPrefix);
      if (typeof line === 'number') return line === INCOMPLETE ? stop(reading, at, count) : line;
      if (count === FIELDS_MAX) return TOO_MANY;
      if (line.name !== SECRET && count < RECALLED_MAX && text.length <= SHORT_TEXT) recalled[count] = line;
    }
    if (!add(into, line)) return MALFORMED;
    at += line.text.length;
  }
}
