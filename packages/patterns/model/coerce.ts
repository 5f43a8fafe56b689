// Converts a stored value to another type where nothing is lost: for rows in which an earlier program stored a number as text, or a count as a double.

import { isInt32, isInt64 } from '../values/check-value.js';
import { type EdmType, GUID } from '../values/edm.js';
import { Instant } from '../values/instant.js';
import { PatternError } from '../values/pattern-error.js';
import type { BagValue } from '../values/typed-value.js';
import { type FoundDrift, refuseDrift } from './drift.js';

const WHOLE = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function toInt64(value: BagValue): bigint | undefined {
  const isWhole =
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'string' && WHOLE.test(value)) ||
    typeof value === 'bigint';
  const wide = isWhole ? BigInt(value) : undefined;
  return isInt64(wide) ? wide : undefined;
}

/** To each type: undefined where the value cannot be one. */
const COERCIONS: Readonly<Record<EdmType, (value: BagValue, type: EdmType) => BagValue | undefined>> = {
  Int32: value => {
    const narrow = Number(toInt64(value));
    return isInt32(narrow) ? narrow : undefined;
  },
  Int64: toInt64,
  Double: value => {
    if (typeof value === 'bigint') return BigInt(Number(value)) === value ? Number(value) : undefined;
    if (typeof value === 'number') return value;
    if (typeof value !== 'string' || !NUMBER.test(value)) return undefined;
    const double = Number(value);
    if (!Number.isFinite(double)) return undefined;
    return WHOLE.test(value) && BigInt(double) !== BigInt(value) ? undefined : double;
  },
  Boolean: value => {
    const text = String(value).toLowerCase();
    if (text === 'true' || text === '1') return true;
    return text === 'false' || text === '0' ? false : undefined;
  },
  DateTime: value => {
    try {
      return typeof value === 'string' ? Instant.parse(value) : undefined;
    } catch (thrown) {
      if (PatternError.is(thrown)) return undefined;
      throw thrown;
    }
  },
  Guid: (value, type) => {
    const text = String(value).toLowerCase();
    return type === 'String' && GUID.test(text) ? text : undefined;
  },
  String: (value, type) => (type === 'Binary' ? undefined : String(value)),
  Binary: () => undefined,
};

/** As `onDrift`: the value as the type that is wanted. Throws TypeDrift where that would lose something, and where the property's check refuses it. */
export function coerce(drift: FoundDrift): unknown {
  const { found, value, expected } = drift;
  const isTyped = found !== 'missing' && found !== 'check' && value !== undefined;
  const made = !isTyped ? undefined : found === expected ? value : COERCIONS[expected](value, found);
  return made === undefined ? refuseDrift(drift) : drift.passed(made);
}
