// Converts a stored value to another type where nothing is lost: for rows in which an earlier program stored a number as text, or a count as a double.

import { isInt32, isInt64 } from '../values/check-value.js';
import { type EdmType, GUID } from '../values/edm.js';
import { Instant } from '../values/instant.js';
import { PatternError } from '../values/pattern-error.js';
import type { BagValue, TypedValue } from '../values/typed-value.js';
import { type FoundDrift, refuseDrift } from './drift.js';

const WHOLE = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function toInt64(value: BagValue): bigint | undefined {
  const whole =
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'string' && WHOLE.test(value)) ||
    typeof value === 'bigint';
  if (!whole) return undefined;
  const wide = BigInt(value);
  return isInt64(wide) ? wide : undefined;
}

function toInt32(value: BagValue): number | undefined {
  const narrow = Number(toInt64(value));
  return isInt32(narrow) ? narrow : undefined;
}

function toDouble(value: BagValue): number | undefined {
  if (typeof value === 'bigint') return BigInt(Number(value)) === value ? Number(value) : undefined;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}

function toBoolean(value: BagValue): boolean | undefined {
  const text = String(value).toLowerCase();
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

function toInstant(value: BagValue): Instant | undefined {
  try {
    return typeof value === 'string' ? Instant.parse(value) : undefined;
  } catch (thrown) {
    if (PatternError.is(thrown)) return undefined;
    throw thrown;
  }
}

function toGuid(value: BagValue): string | undefined {
  const text = String(value).toLowerCase();
  return GUID.test(text) ? text : undefined;
}

/** Undefined where the value cannot be one of the type. */
function coerced({ type, value }: TypedValue, wanted: EdmType): BagValue | undefined {
  if (type === wanted) return value;
  switch (wanted) {
    case 'Int32':
      return toInt32(value);
    case 'Int64':
      return toInt64(value);
    case 'Double':
      return typeof value === 'number' ? value : toDouble(value);
    case 'Boolean':
      return toBoolean(value);
    case 'DateTime':
      return toInstant(value);
    case 'Guid':
      return type === 'String' ? toGuid(value) : undefined;
    case 'String':
      return type === 'Binary' ? undefined : String(value);
    case 'Binary':
      return undefined;
  }
}

/** As `onDrift`: the value as the type that is wanted. Throws TypeDrift where that would lose something, and where the property's check refuses it. */
export function coerce(drift: FoundDrift): unknown {
  const { found, value, expected } = drift;
  const isTyped = found !== 'missing' && found !== 'check' && value !== undefined;
  const made = isTyped ? coerced({ type: found, value }, expected) : undefined;
  return made === undefined ? refuseDrift(drift) : drift.passed(made);
}
