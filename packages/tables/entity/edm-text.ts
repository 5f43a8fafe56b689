// The text of EDM values: the JSON literal in which each is stored and answered, and the reading of typed text.
// Literals are ASCII: everything else is escaped, as Azure does (protocol: json#writing). Names of properties use the same escapes.
import { formatDateTime, parseDateTime, parseGuid } from '#base';
import type { EdmType, EdmValue, Property } from './edm.js';

const NEEDS_ESCAPE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;
const ESCAPED = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

const escapeUnit = (unit: string): string =>
  SHORT_ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The inside of a JSON string: without the quotes, ASCII only. */
export function escapeText(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replace(ESCAPED, escapeUnit) : text;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** A finite double as .NET Framework writes it: 15 digits if they read back, else the shortest that do (protocol: json#doubles). */
export function formatDouble(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return Object.is(value, -0) ? '-0.0' : `${value}.0`;
  // Between these bounds both rules give JavaScript's text: fifteen digits that read back are the shortest that do.
  if (size >= 1e-4 && size < 1e15) return `${value}`;
  const precise = value.toPrecision(15);
  const reads = Number(precise) === value;
  const [mantissa = '', exponentText = '0'] = (
    reads ? Number(value).toExponential(14) : value.toExponential()
  ).split('e');
  const negative = mantissa.startsWith('-');
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '');
  const exponent = Number(exponentText);
  const sign = negative ? '-' : '';
  if (exponent >= (reads ? 15 : 17) || exponent <= -5) return sign + inExponentForm(digits, exponent);
  return sign + inPlainForm(digits, exponent);
}

function inExponentForm(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits[0]}${fraction}E${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function inPlainForm(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** The JSON literal of a value, as stored and answered. */
export function formatLiteral(property: EdmValue): string {
  switch (property.type) {
    case 'Edm.String':
      return `"${escapeText(property.value)}"`;
    case 'Edm.Int32':
    case 'Edm.Boolean':
      return String(property.value);
    case 'Edm.Int64':
      return `"${property.value}"`;
    case 'Edm.Double':
      return Number.isFinite(property.value) ? formatDouble(property.value) : `"${property.value}"`;
    case 'Edm.DateTime':
      return `"${formatDateTime(property.value)}"`;
    case 'Edm.Guid':
      return `"${property.value}"`;
    case 'Edm.Binary':
      return `"${property.value.toString('base64')}"`;
  }
}

const INTEGER = /^[+-]?\d+$/;
const DOUBLE = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
/** Its length must be a multiple of four; groups in the expression would make it slow. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const NOT_FINITE: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['INF', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-INF', Number.NEGATIVE_INFINITY],
]);

function parseInt32(text: string): number | undefined {
  const value = INTEGER.test(text) ? Number(text) : Number.NaN;
  return value >= -0x80000000 && value <= 0x7fffffff ? value : undefined;
}

function parseInt64(text: string): bigint | undefined {
  if (!INTEGER.test(text) || text.length > 25) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** A double must be finite unless its text is NaN or Infinity: 1e999 is out of range. */
function parseDouble(text: string): number | undefined {
  const named = NOT_FINITE.get(text);
  if (named !== undefined) return named;
  const value = DOUBLE.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

function parseBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

export const parseBinary = (text: string): Buffer | undefined =>
  text.length % 4 === 0 && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;

const QUOTE = 0x22;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_Z = 0x5a;

/**
 * Whether a JSON number is already the text that `formatDouble` gives its value: no more than fifteen digits, a fraction
 * that does not end in zero, no exponent, and not so small that it needs one. False negatives are possible.
 */
function isShortDecimal(text: string): boolean {
  if (text.length > 16 || text.charCodeAt(text.length - 1) === ZERO) return false;
  let dot = -1;
  let firstDigit = -1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > NINE) return false;
    if (unit === DOT) dot = i;
    else if (firstDigit < 0 && unit > ZERO) firstDigit = i;
  }
  // Three zeros behind the point at most: 0.000123.
  return dot >= 0 && firstDigit >= 0 && firstDigit - dot <= 4;
}

/** Whether an integer's text is canonical: without a plus sign, zeros before it, or a minus before zero. */
function isShortestInteger(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first === ZERO) return text.length === 1;
  return first === MINUS ? text.charCodeAt(1) !== ZERO : first > ZERO;
}

/** Whether a time's text is canonical: in UTC, with seconds, and without zeros at the end of a fraction. */
function isStoredTime(text: string): boolean {
  const last = text.length - 1;
  if (last < 19 || last > 27 || text.charCodeAt(last) !== LETTER_Z) return false;
  return last === 19 || (text.charCodeAt(19) === DOT && text.charCodeAt(last - 1) !== ZERO);
}

/** The text of a value, as a request has it. */
interface ValueText {
  readonly text: string;
  /** The JSON literal that the text was read from, if it is ASCII and without escapes. */
  readonly literal: string | undefined;
}

/**
 * A property from the text of its value. Where that text is also the stored literal, the property keeps it, so
 * that a parsed value is not formatted again.
 *
 * Undefined where the text is not a value of the type.
 */
export function parseProperty(
  name: string,
  type: EdmType,
  { text, literal }: ValueText,
): Property | undefined {
  switch (type) {
    case 'Edm.String':
      return { name, type, value: text, literal };
    case 'Edm.Int32': {
      const value = parseInt32(text);
      return value === undefined ? undefined : { name, type, value, literal: undefined };
    }
    case 'Edm.Double': {
      const value = parseDouble(text);
      const isStored = literal === text && isShortDecimal(text);
      return value === undefined ? undefined : { name, type, value, literal: isStored ? literal : undefined };
    }
    case 'Edm.Int64': {
      const value = parseInt64(text);
      const isStored = literal?.charCodeAt(0) === QUOTE && isShortestInteger(text);
      return value === undefined ? undefined : { name, type, value, literal: isStored ? literal : undefined };
    }
    case 'Edm.DateTime': {
      const value = parseDateTime(text);
      const isStored = isStoredTime(text);
      return value === undefined ? undefined : { name, type, value, literal: isStored ? literal : undefined };
    }
    case 'Edm.Boolean': {
      const value = parseBoolean(text);
      return value === undefined ? undefined : { name, type, value, literal: undefined };
    }
    case 'Edm.Guid': {
      const value = parseGuid(text, ['D']);
      return value === undefined ? undefined : { name, type, value, literal: undefined };
    }
    case 'Edm.Binary': {
      const value = parseBinary(text);
      return value === undefined ? undefined : { name, type, value, literal: undefined };
    }
  }
}
