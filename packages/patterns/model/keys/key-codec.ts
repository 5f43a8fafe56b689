// Codecs: how one value becomes text in a key, and back. Ordered codecs keep the order of values in the order of texts; no text of a codec holds a
// character that is forbidden in keys. key.ts joins the parts.
//
// Text: A single escape character cannot keep order. Here each character that is escaped takes the character just below it as prefix, and that
// one is escaped too, so codes are in the order of characters and none begins another:
//
//   U+0000-001F  "0hh        .  .0      >  >0      [  [0      ~            ~0
//   space        "1          /  .1      ?  >1      \  [1      U+007F-009F  ~1hh
//   !            "2
//   "            "3
//   #            "4          everything else stands for itself
//
// Every code begins above `!`, so `!` separates texts and keeps the order of tuples: a tuple comes before all that it begins.

import { type EdmType, GUID, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN } from '../../values/edm.js';
import { Instant, isInstant, TICKS_MAX } from '../../values/instant.js';
import { refuseDefinition, refuseKey } from '../../values/pattern-error.js';
import { bucketOf, bucketText, isBucketCount } from './hash-bucket.js';

/** 1 KiB of UTF-16, as the service's documentation of the data model has it. */
export const KEY_LENGTH_MAX = 512;

/** Below all that escaped texts hold. */
export const SEPARATOR = '!';

/** What no key may hold, and what an address cannot name: half of a surrogate pair. */
const FORBIDDEN = /[/\\#?\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;
const LONE_SURROGATE = /\p{Surrogate}/u;
const ESCAPED = /[\u0000-#./>?[\\~\u007f-\u009f]/g;
const CODE = /"0([01][0-9a-f])|~1([89][0-9a-f]|7f)|"[1-4]|\.[01]|>[01]|\[[01]|~0/g;
const UNEXPLAINED = new RegExp(ESCAPED.source);

const CODES: Readonly<Record<string, string>> = {
  ' ': '"1',
  '!': '"2',
  '"': '"3',
  '#': '"4',
  '.': '.0',
  '/': '.1',
  '>': '>0',
  '?': '>1',
  '[': '[0',
  '\\': '[1',
  '~': '~0',
};
const CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CODES).map(([character, code]) => [code, character]),
);

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const codeOf = (character: string): string =>
  CODES[character] ?? `${character < ' ' ? '"0' : '~1'}${hex(character)}`;

export function escapeKeyText(text: string): string {
  if (LONE_SURROGATE.test(text)) refuseKey('text', 'has half of a surrogate pair', text);
  return text.replace(ESCAPED, codeOf);
}

export function unescapeKeyText(text: string): string {
  if (!UNEXPLAINED.test(text)) return text;
  // What no code explains was not written by escapeKeyText.
  if (UNEXPLAINED.test(text.replace(CODE, '')))
    refuseKey('text', 'is not escaped by codec.text; codec.exact takes keys as they are', text);
  return text.replace(CODE, (code, low?: string, high?: string) => {
    const digits = low ?? high;
    return digits === undefined
      ? (CHARACTERS[code] ?? code)
      : String.fromCharCode(Number.parseInt(digits, 16));
  });
}

/** The first character that a key may not hold, as U+002F. */
export function forbiddenIn(text: string): string | undefined {
  const [found] = FORBIDDEN.exec(text) ?? [];
  return found === undefined
    ? undefined
    : `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Whether the order of the text among others depends on whether they are compared by UTF-16 code unit or by code point: the two differ
 * between characters beyond U+FFFF and those from U+E000 on.
 */
export const hasUncertainOrder = (text: string): boolean => /[\ud800-\uffff]/.test(text);

export const UNCERTAIN_ORDER = 'has characters beyond U+D7FF, whose order is uncertain';

/** The text that comes right after all that begin with this one; undefined where that cannot be said. */
export function successorOf(text: string): string | undefined {
  const last = text.charCodeAt(text.length - 1);
  return last < 0xd7ff ? text.slice(0, -1) + String.fromCharCode(last + 1) : undefined;
}

/** How values of one type, and perhaps of others, become text in a key. */
export interface CodecFor<T> {
  /** As it is written in a definition: `int(6)`. */
  readonly name: string;
  /** Types of properties whose values it takes. */
  readonly edm: readonly EdmType[];
  /** Whether texts are in the order of values, or in the reverse: only then are ranges of keys ranges of values. */
  readonly order: 'up' | 'down' | 'none';
  /** The key can be decoded to the value, so the property is not stored separately. */
  readonly lossless: boolean;
  /** Of every text. */
  readonly width: number | undefined;
  /** What texts are made of: `escaped` ones hold nothing below `"`, `exact` ones are as the value is. */
  readonly text: 'digits' | 'hex' | 'escaped' | 'exact';
  /** What its values may follow: where a partition key begins with that, new rows all go to one end of the table. */
  readonly trend: 'time' | 'count' | 'none';
  /** Every text there is, where these are few: what a query of all buckets asks. */
  readonly all: readonly string[] | undefined;
  /** Throws KeyInvalid. */
  readonly encode: (value: T) => string;
  /** Rows may stand under other texts than that of `encode`: their buckets are being changed by this. */
  readonly rebucketing: Rebucketing | undefined;
  /** Other texts, in addition to that of `encode`, under which rows may have been stored. */
  readonly earlier: (value: T) => readonly string[];
  /** Throws KeyInvalid. */
  readonly decode: (text: string) => unknown;
}

/** Earlier numbers of buckets, with what reads and writes rows that may stand in them: `rebucketing` of shelfmark-patterns/bulk. */
export interface Rebucketing {
  readonly also: readonly number[];
  readonly reads: unknown;
  readonly writes: unknown;
  /** Throws BucketsChanging for a batch, which is of one partition. */
  refuseBatch(entity: string): never;
  /** Throws BucketsChanging for a range behind this part of a key. */
  refuseRange(entity: string, part: string): never;
}

/** How a value of one type becomes text in a key, and back. */
export interface KeyCodec<T> extends CodecFor<T> {
  readonly decode: (text: string) => T;
}

/** A codec whose texts are in the reverse order of values. */
export interface DescendingCodec<T> extends KeyCodec<T> {
  readonly order: 'down';
}

/** A codec, whatever it takes. */
export type AnyKeyCodec = CodecFor<never>;

/** What a hash may be taken of. */
export type Hashable = string | number | bigint | boolean | Instant;

const refuse = (name: string, text: string, reason: string): never => refuseKey(name, reason, text);

const none = (): readonly string[] => [];

type Given<T> = Pick<KeyCodec<T>, 'name' | 'edm' | 'encode' | 'decode'> & Partial<KeyCodec<T>>;

function define<T>(given: Given<T>): KeyCodec<T> {
  const defaults = {
    order: 'up',
    lossless: true,
    width: undefined,
    text: 'digits',
    trend: 'none',
    all: undefined,
    rebucketing: undefined,
    earlier: none,
  } as const;
  return Object.freeze({ ...defaults, ...given });
}

const text: KeyCodec<string> = define({
  name: 'text',
  edm: ['String'],
  text: 'escaped',
  encode: escapeKeyText,
  decode: unescapeKeyText,
});

const exact: KeyCodec<string> = define({
  name: 'exact',
  edm: ['String'],
  text: 'exact',
  encode: value => {
    const character = forbiddenIn(value);
    return character === undefined ? value : refuse('exact', value, `holds ${character}, which no key may`);
  },
  decode: value => value,
});

const lower: KeyCodec<string> = define({
  name: 'lower',
  edm: ['String'],
  text: 'escaped',
  lossless: false,
  encode: value => escapeKeyText(value.normalize('NFC').toLowerCase()),
  decode: unescapeKeyText,
});

/** Values that stand for whole numbers, from the first to the last. `what` they are, for errors. */
interface Whole<T> {
  readonly first: bigint;
  readonly last: bigint;
  readonly what: string;
  /** Undefined for what is none. */
  readonly wholeOf: (value: T) => bigint | undefined;
  readonly of: (whole: bigint) => T;
}

const ALL_DIGITS = /^\d+$/;

/** The digits of what a value is above the first, so that negative ones come first; or below the last, which then comes first. */
function digits<T>(
  given: Omit<Given<T>, 'encode' | 'decode'>,
  { first, last, what, wholeOf, of }: Whole<T>,
): KeyCodec<T> {
  const { name } = given;
  const width = String(last - first).length;
  const isDown = given.order === 'down';
  return define({
    ...given,
    width,
    encode: value => {
      const whole = wholeOf(value);
      if (whole === undefined || whole < first || whole > last)
        return refuse(name, `${value}`, `is not ${what}`);
      return String(isDown ? last - whole : whole - first).padStart(width, '0');
    },
    decode: value => {
      if (value.length !== width || !ALL_DIGITS.test(value)) refuse(name, value, `is not ${width} digits`);
      const whole = isDown ? last - BigInt(value) : first + BigInt(value);
      return whole < first || whole > last ? refuse(name, value, `is not ${what}`) : of(whole);
    },
  });
}

const numbers = (first: bigint, last: bigint, what: string): Whole<number> => ({
  first,
  last,
  what,
  wholeOf: value => (Number.isInteger(value) ? BigInt(value) : undefined),
  of: Number,
});

/** Whole numbers from 0, with zeros before them: what people write into keys by hand. */
function int(width: number): KeyCodec<number> {
  const name = `int(${width})`;
  if (!Number.isInteger(width) || width < 1 || width > 15)
    refuseDefinition(name, 'the width is not from 1 to 15');
  const last = 10 ** width - 1;
  const whole = numbers(0n, BigInt(last), `a whole number from 0 to ${last}`);
  return digits({ name, edm: ['Int32', 'Double'], trend: 'count' }, whole);
}

const int32 = digits(
  { name: 'int32', edm: ['Int32'], trend: 'count' },
  numbers(BigInt(INT32_MIN), BigInt(INT32_MAX), 'an Int32'),
);

const int64 = digits<bigint>(
  { name: 'int64', edm: ['Int64'], trend: 'count' },
  {
    first: INT64_MIN,
    last: INT64_MAX,
    what: 'an Int64',
    wholeOf: value => (typeof value === 'bigint' ? value : undefined),
    of: whole => whole,
  },
);

const bool = digits<boolean>(
  { name: 'bool', edm: ['Boolean'] },
  { first: 0n, last: 1n, what: '0 or 1', wholeOf: BigInt, of: whole => whole === 1n },
);

const TICKS: Whole<Instant> = {
  first: 0n,
  last: TICKS_MAX,
  what: 'a time up to the year 9999',
  wholeOf: ({ ticks }) => ticks,
  of: Instant.fromTicks,
};

const time = digits({ name: 'time', edm: ['DateTime'], trend: 'time' }, TICKS);

const timeDesc = digits(
  { name: 'timeDesc', edm: ['DateTime'], trend: 'time', order: 'down' },
  TICKS,
) as DescendingCodec<Instant>;

const DOUBLE_WIDTH = 16;
const SIGN_BIT = 1n << 63n;
const ALL_BITS = (1n << 64n) - 1n;
const HEX_16 = /^[0-9a-f]{16}$/;

/** Any double but NaN: the bits in 16 hexadecimal digits, those of negative ones inverted. -0 is 0. */
const double: KeyCodec<number> = define({
  name: 'double',
  edm: ['Double', 'Int32'],
  text: 'hex',
  width: DOUBLE_WIDTH,
  encode: value => {
    if (typeof value !== 'number' || Number.isNaN(value)) refuse('double', `${value}`, 'is not a number');
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value === 0 ? 0 : value);
    const bits = view.getBigUint64(0);
    const sorted = bits & SIGN_BIT ? bits ^ ALL_BITS : bits | SIGN_BIT;
    return sorted.toString(16).padStart(DOUBLE_WIDTH, '0');
  },
  decode: value => {
    if (!HEX_16.test(value)) refuse('double', value, 'is not 16 hexadecimal digits');
    const sorted = BigInt(`0x${value}`);
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, sorted & SIGN_BIT ? sorted ^ SIGN_BIT : sorted ^ ALL_BITS);
    return view.getFloat64(0);
  },
});

const HEX_32 = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** 32 hexadecimal digits. */
const guid: KeyCodec<string> = define({
  name: 'guid',
  edm: ['Guid'],
  text: 'hex',
  width: 32,
  encode: value => {
    const spelled = value.toLowerCase();
    return GUID.test(spelled) ? spelled.replaceAll('-', '') : refuse('guid', value, 'is not a GUID');
  },
  decode: value => {
    const groups = HEX_32.exec(value);
    return groups ? groups.slice(1).join('-') : refuse('guid', value, 'is not 32 hexadecimal digits');
  },
});

/** What is hashed: a text that any language can make of the value. */
const hashedText = (value: Hashable): string => (isInstant(value) ? `${value.ticks}` : `${value}`);

/**
 * One of so many buckets, by a hash of the value, to spread what would heat one partition. Rows of earlier counts of buckets are still found if
 * these are named: `hash(16, rebucketing(8))`.
 */
function hash(buckets: number, rebucketing?: Rebucketing): KeyCodec<Hashable> {
  const { also = [] } = rebucketing ?? {};
  const name = `hash(${[buckets, ...also].join(', also ')})`;
  const wrong = [buckets, ...also].find(count => !isBucketCount(count));
  if (wrong !== undefined) refuseDefinition(name, `${wrong} is not a number of buckets from 2 to 10000`);
  const names = [buckets, ...also].flatMap(count =>
    Array.from({ length: count }, (_, i) => bucketText(i, count)),
  );
  return define<Hashable>({
    name,
    edm: ['String', 'Int32', 'Int64', 'Double', 'Boolean', 'DateTime', 'Guid'],
    order: 'none',
    lossless: false,
    width: also.length === 0 ? bucketText(0, buckets).length : undefined,
    all: [...new Set(names)],
    rebucketing,
    encode: value => bucketOf(hashedText(value), buckets),
    earlier: value => also.map(count => bucketOf(hashedText(value), count)),
    decode: value => value,
  });
}

/** How values become text in keys. Without a codec a part takes the one of its property's type. */
export const codec = {
  text,
  exact,
  lower,
  int,
  int32,
  int64,
  double,
  bool,
  guid,
  time,
  timeDesc,
  hash,
} as const;
