// Compares a property of stored rows with a constant (protocol: queries#comparing): most of what filters do. One class compares all types with all operators,
// because a call that may go to many functions costs as much as several comparisons. property-lookup.ts finds the property.
import type { Effort, RowInPlace } from '#store';
import type { EdmType, EdmValue } from '../entity/edm.js';
import { formatLiteral } from '../entity/edm-text.js';
import { BINARY, BOOLEAN, DATE_TIME, DOUBLE, GUID, INT32, INT64, STRING } from '../entity/entity-codec.js';
import type { ComparisonOperator } from './filter.js';
import type { PropertyLookup } from './property-lookup.js';

/** Comparing this many characters of a constant takes about a step. */
const CHARACTERS_A_STEP = 16;

/** The cost of comparing with a constant in addition to one step: only texts may be long. */
export const stepsOf = ({ value }: EdmValue): number =>
  typeof value === 'string' || Buffer.isBuffer(value) ? Math.floor(value.length / CHARACTERS_A_STEP) : 0;

/** The order of two values: below, at or above 0; NaN where one of them is NaN; undefined where the types do not compare. */
export type Order = number | undefined;

/** The results of an operator by the order of the two values; `unordered` is that of NaN, `mismatch` that of incompatible types. */
interface Verdict {
  readonly below: boolean;
  readonly equal: boolean;
  readonly above: boolean;
  readonly unordered: boolean;
  readonly mismatch: boolean;
}

const verdict = (
  below: boolean,
  equal: boolean,
  above: boolean,
  unordered: boolean,
  mismatch: boolean,
): Verdict => ({ below, equal, above, unordered, mismatch });

export const VERDICTS: Readonly<Record<ComparisonOperator, Verdict>> = {
  eq: verdict(false, true, false, false, false),
  ne: verdict(true, false, true, true, true),
  lt: verdict(true, false, false, false, true),
  le: verdict(true, true, false, false, true),
  gt: verdict(false, false, true, false, false),
  ge: verdict(false, true, true, false, false),
};

export function isMet({ below, equal, above, unordered, mismatch }: Verdict, order: Order): boolean {
  if (order === undefined) return mismatch;
  return order < 0 ? below : order > 0 ? above : order === 0 ? equal : unordered;
}

const NUMBERS: ReadonlySet<EdmType> = new Set(['Edm.Int32', 'Edm.Int64', 'Edm.Double']);

/** JavaScript compares a number and a bigint by their exact values. */
export const ordinal = (a: EdmValue['value'], b: EdmValue['value']): number =>
  a < b ? -1 : a > b ? 1 : a <= b ? 0 : Number.NaN;

/** Of two values of one type, or of two numbers. */
export function orderOf({ type, value: a }: EdmValue, { type: other, value: b }: EdmValue): Order {
  if (type !== other && !(NUMBERS.has(type) && NUMBERS.has(other))) return undefined;
  return typeof a === 'object' && typeof b === 'object' ? Buffer.compare(a, b) : ordinal(a, b);
}

export const compareConstants = (left: EdmValue, operator: ComparisonOperator, right: EdmValue): boolean =>
  isMet(VERDICTS[operator], orderOf(left, right));

/** The ways to compare; 0 is that of incompatible types. */
const NUMBER = 1;
const INTEGER = 2;
const LITERAL = 3;
const VALUE = 4;

/** By the number of the stored type, the way in which it is compared with a constant. */
function waysOf({ type }: EdmValue, isEquality: boolean): number[] {
  const ways: number[] = Array.from({ length: BINARY + 1 }, () => 0);
  if (type === 'Edm.Int32') ways[INT32] = NUMBER;
  if (type === 'Edm.Int32' || type === 'Edm.Int64') ways[INT64] = INTEGER;
  if (type === 'Edm.Int32' || type === 'Edm.Int64' || type === 'Edm.Double') ways[DOUBLE] = NUMBER;
  if (type === 'Edm.DateTime') ways[DATE_TIME] = INTEGER;
  if (type === 'Edm.Boolean') ways[BOOLEAN] = NUMBER;
  if (type === 'Edm.String') ways[STRING] = isEquality ? LITERAL : VALUE;
  if (type === 'Edm.Guid') ways[GUID] = isEquality ? LITERAL : VALUE;
  if (type === 'Edm.Binary') ways[BINARY] = isEquality ? LITERAL : VALUE;
  return ways;
}

const INT64_MAX = 2n ** 63n - 1n;

/** The upper 32 bits of an integer, signed; for one that no row has, a value that orders it correctly. */
function upperHalf(value: bigint): number {
  if (value > INT64_MAX) return Number.POSITIVE_INFINITY;
  if (value < -INT64_MAX - 1n) return Number.NEGATIVE_INFINITY;
  return Number(value >> 32n);
}

const NO_BYTES = Buffer.alloc(0);

export class ConstantComparison {
  readonly #lookup: PropertyLookup;
  readonly #effort: Effort;
  readonly #steps: number;
  readonly #ways: readonly number[];
  readonly #below: boolean;
  readonly #equal: boolean;
  readonly #above: boolean;
  readonly #verdict: Verdict;
  /** The constant, in the forms that its type is compared in. */
  readonly #number: number;
  readonly #high: number;
  readonly #low: number;
  readonly #constant: EdmValue;
  /** Canonical literals are equal exactly if their values are, so equality needs no decoding. */
  readonly #literal: Buffer;

  constructor(lookup: PropertyLookup, operator: ComparisonOperator, constant: EdmValue, effort: Effort) {
    const { value } = constant;
    const isEquality = operator === 'eq' || operator === 'ne';
    const isInteger = typeof value === 'bigint' || constant.type === 'Edm.Int32';
    const integer = isInteger ? BigInt(value as bigint | number) : 0n;
    this.#lookup = lookup;
    this.#effort = effort;
    this.#steps = stepsOf(constant);
    this.#ways = waysOf(constant, isEquality);
    this.#verdict = VERDICTS[operator];
    this.#below = this.#verdict.below;
    this.#equal = this.#verdict.equal;
    this.#above = this.#verdict.above;
    this.#number = typeof value === 'string' || Buffer.isBuffer(value) ? Number.NaN : Number(value);
    this.#high = upperHalf(integer);
    this.#low = Number(integer & 0xffff_ffffn);
    this.#constant = constant;
    this.#literal =
      typeof value === 'string' || Buffer.isBuffer(value)
        ? Buffer.from(formatLiteral(constant), 'latin1')
        : NO_BYTES;
  }

  /** False for a row without the property. */
  matches(row: RowInPlace): boolean {
    const lookup = this.#lookup;
    if (!lookup.find(row)) return false;
    const { bytes } = row;
    switch (this.#ways[lookup.type(bytes)]) {
      case NUMBER: {
        const [value, wanted] = [lookup.number(bytes), this.#number];
        if (value < wanted) return this.#below;
        if (value > wanted) return this.#above;
        return value === wanted ? this.#equal : this.#verdict.unordered;
      }
      case INTEGER: {
        const order = lookup.integerOrder(bytes, this.#high, this.#low);
        return order < 0 ? this.#below : order > 0 ? this.#above : this.#equal;
      }
      case LITERAL:
        this.#effort.steps += this.#steps;
        return lookup.isLiteral(bytes, this.#literal) === this.#equal;
      case VALUE:
        this.#effort.steps += this.#steps;
        return isMet(this.#verdict, orderOf(lookup.value(bytes), this.#constant));
      default:
        this.#effort.steps += this.#steps;
        return this.#verdict.mismatch;
    }
  }
}
