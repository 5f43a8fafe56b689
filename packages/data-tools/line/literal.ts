// The canonical JSON texts of values, as docs/data-tools.md documents them to the byte: equal values have equal
// literals. A text that is not a value of its type is a RowError; its reader adds the position.
import { type EdmType, RowError } from './row.js';

/** Characters that JSON.stringify leaves alone, and editors, terminals and other languages' readers of lines do not. */
const TO_ESCAPE = /[\x7f-\x9f\u2028\u2029\ufeff]/g;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Nothing to escape. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The line's text of a string, with its quotes. */
export const formatString = (text: string): string =>
  PLAIN.test(text) ? `"${text}"` : JSON.stringify(text).replace(TO_ESCAPE, escapeUnit);

/** As ECMAScript writes it, with `.0` if it has neither point nor exponent. */
function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const INT64_CANONICAL = /^(?:0|-?[1-9]\d{0,18})$/;
const INTEGER = /^-?\d+$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const INT32_MAX = 2 ** 31 - 1;
/** As JSON and ECMAScript write numbers; other servers write 1E+21, and some of them turn 1.0 into 1. */
const DOUBLE = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
const DATE_TIME = /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;
const FRACTION_TAIL = /\.?0+(?=Z|[+-]\d\d:\d\d|$)/;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function int64(text: string): string {
  if (!INTEGER.test(text)) throw new RowError(`${shown(text)} is not an Int64`);
  const value = BigInt(text);
  if (value < INT64_MIN || value > INT64_MAX) throw new RowError(`${shown(text)} is beyond Int64`);
  return INT64_CANONICAL.test(text) ? text : String(value);
}

function int32(text: string): string {
  const value = Number(text);
  if (!INTEGER.test(text) || value > INT32_MAX || value < -INT32_MAX - 1)
    throw new RowError(`${shown(text)} is not an Int32`);
  return value === 0 ? '0' : String(value);
}

function double(text: string): string {
  const value = Number(text);
  if (!DOUBLE.test(text)) throw new RowError(`${shown(text)} is not a Double`);
  if (!Number.isFinite(value) && /\d/.test(text)) throw new RowError(`${shown(text)} is beyond Double`);
  return formatDouble(value);
}

/** Without the trailing zeros of the fraction, and otherwise unchanged: this keeps years beyond JavaScript's dates. */
export function formatDateTime(text: string): string {
  if (!DATE_TIME.test(text)) throw new RowError(`${shown(text)} is not a DateTime`);
  return text.includes('.') ? text.replace(FRACTION_TAIL, '') : text;
}

function guid(text: string): string {
  const lower = text.toLowerCase();
  if (!GUID.test(lower)) throw new RowError(`${shown(text)} is not a Guid`);
  return lower;
}

function binary(text: string): string {
  if (!BASE64.test(text) || text.length % 4 !== 0) throw new RowError(`${shown(text)} is not base64`);
  // The writer may have set unused bits of the last character: the bytes are the same.
  return text.endsWith('=') ? text.slice(0, -4) + btoa(atob(text.slice(-4))) : text;
}

function boolean(text: string): string {
  if (text !== 'true' && text !== 'false') throw new RowError(`${shown(text)} is not a Boolean`);
  return text;
}

/** Enough of a bad value to find it, and no more. */
const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/**
 * Texts that are already literals of their type, as servers usually send them. An Int64 has 18 digits at most, which
 * cannot exceed its range; a Double 15 digits, which all read back, from 0.000001 on, below which ECMAScript writes an
 * exponent.
 */
const CANONICAL: Readonly<Partial<Record<EdmType, RegExp>>> = {
  Boolean: /^(?:true|false)$/,
  Int32: /^(?:0|-?[1-9]\d{0,8})$/,
  Double: /^-?(?:0|[1-9]\d{0,8})\.(?:0|\d{0,5}[1-9])$/,
  Int64: /^"(?:0|-?[1-9]\d{0,17})"$/,
  DateTime: /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d*[1-9])?Z"$/,
  Guid: /^"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/,
};

/** Whether a JSON text is the literal of a value of the type; false means unknown. */
export const isLiteral = (type: EdmType, json: string): boolean => CANONICAL[type]?.test(json) ?? false;

/** The literal of a value given as text. @throws RowError */
export function literalOf(type: EdmType, text: string): string {
  switch (type) {
    case 'String':
      return formatString(text);
    case 'Boolean':
      return boolean(text);
    case 'Int32':
      return int32(text);
    case 'Int64':
      return `"${int64(text)}"`;
    case 'Double':
      return double(text);
    case 'DateTime':
      return `"${formatDateTime(text)}"`;
    case 'Guid':
      return `"${guid(text)}"`;
    case 'Binary':
      return `"${binary(text)}"`;
  }
}
