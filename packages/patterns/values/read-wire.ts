// Parses the JSON of rows as the service sends it. There `3` is an Int32 and `3.0` a Double, which JSON.parse cannot distinguish; so whole doubles are
// marked before it sees them. typed-value.ts interprets the members.

import { isObject } from './is-object.js';

/** A double that JSON.parse would take for an Int32. */
interface WholeDouble {
  readonly '~double': number;
}

/** A value as JSON has it. */
export type WireValue = string | number | boolean | null | WholeDouble;

/** A row as an answer has it: keys, properties, and annotations such as `odata.etag`. */
export type WireObject = Readonly<Record<string, WireValue>>;

/** A number with a point or an exponent behind a name. A quote that begins a string stands behind a colon or a space, and no name of the service ends so. */
const DOUBLE_MEMBER = /([^\\:\s]"\s*:\s*)(-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))(?=[\s,}])/g;
/** Strings, which are passed by, and such numbers. */
const STRING_OR_DOUBLE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/g;

const marked = (token: string): string =>
  token.charCodeAt(0) === 0x22 || !Number.isInteger(Number(token)) ? token : `{"~double":${token}}`;

/** JSON.parse, with the whole doubles of members marked. Throws SyntaxError. */
export function parseWire(text: string): unknown {
  // Within a string a quote has a backslash before it, so that a quote without one ends a name, or begins or ends a string. Only where a string ends in a
  // backslash, which is written as two, all strings must be looked at.
  const whole = text.includes('\\\\"')
    ? text.replace(STRING_OR_DOUBLE, marked)
    : text.replace(DOUBLE_MEMBER, (_, before: string, token: string) => before + marked(token));
  return JSON.parse(whole);
}

const isRow = (value: unknown): value is WireObject => isObject(value) && !Array.isArray(value);

/** The answer to a point query. Throws SyntaxError. */
export function readRow(text: string): WireObject {
  const row = parseWire(text);
  if (!isRow(row)) throw new SyntaxError('The answer is not a row.');
  return row;
}

/** The answer to a query. Throws SyntaxError. */
export function readPage(text: string): readonly WireObject[] {
  const page = parseWire(text);
  const rows = isObject(page) ? page.value : undefined;
  if (!Array.isArray(rows) || !rows.every(isRow)) throw new SyntaxError('The answer is not a page of rows.');
  return rows;
}
