// The text of EDM values: the JSON literal in which each is stored and answered, and the reading of typed text.
// Literals are ASCII: everything else is escaped, as Azure does (protocol: json#writing). Names of properties use the same escapes.
import { formatDateTime } from '#base';
import type { EdmValue } from './edm.js';

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
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Of a length that four divides; groups in the expression would make it slow. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const NOT_FINITE: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['INF', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-INF', Number.NEGATIVE_INFINITY],
]);

export function parseInt32(text: string): number | undefined {
  const value = INTEGER.test(text) ? Number(text) : Number.NaN;
  return value >= -0x80000000 && value <= 0x7fffffff ? value : undefined;
}

export function parseInt64(text: string): bigint | undefined {
  if (!INTEGER.test(text) || text.length > 25) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** A double must be finite unless it says that it is not: 1e999 is out of range. */
export function parseDouble(text: string): number | undefined {
  const named = NOT_FINITE.get(text);
  if (named !== undefined) return named;
  const value = DOUBLE.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

export function parseBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

export function parseGuid(text: string): string | undefined {
  const lower = text.toLowerCase();
  return GUID.test(lower) ? lower : undefined;
}

export const parseBinary = (text: string): Buffer | undefined =>
  text.length % 4 === 0 && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
