// Parses a property from the text of its value in a request. Where that text is also the stored literal, the property
// keeps it, so that a parsed value is not formatted again. edm-text.ts decides which texts are values of a type.
import { parseDateTime } from '#base';
import type { EdmType, Property } from './edm.js';
import { parseBinary, parseBoolean, parseDouble, parseGuid, parseInt32, parseInt64 } from './edm-text.js';

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

/**
 * Undefined where the text is not a value of the type. `literal` is the JSON literal that the text was read from, if it is
 * ASCII and without escapes.
 */
export function parseProperty(
  name: string,
  type: EdmType,
  text: string,
  literal: string | undefined,
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
      const value = parseGuid(text);
      return value === undefined ? undefined : { name, type, value, literal: undefined };
    }
    case 'Edm.Binary': {
      const value = parseBinary(text);
      return value === undefined ? undefined : { name, type, value, literal: undefined };
    }
  }
}
