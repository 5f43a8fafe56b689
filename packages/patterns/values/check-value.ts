// Checks that a value of the program has a property's type and passes its checks, and gives the value in canonical form. typed-value.ts handles
// values from the service.

import { type EdmType, GUID, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN } from './edm.js';
import { type Instant, isInstant } from './instant.js';
import { refuseValue } from './pattern-error.js';
import type { Property } from './property.js';
import type { SchemaIssue, SchemaResult, StandardSchema } from './standard-schema.js';

/** What of a property its values are checked by. */
type Checked = Pick<Property, 'edm' | 'checks'> & Partial<Pick<Property, 'pieces'>>;

/** What a refusal shows of a value: enough to find it, and no more, because it may be private. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'an object';
  return typeof value === 'bigint' ? `${value}n` : String(value);
}

export const isInt32 = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= INT32_MIN && Number(value) <= INT32_MAX;

export const isInt64 = (value: unknown): value is bigint =>
  typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;

/** What a value of each type is, and what is said of one that is not. */
const TYPES: Readonly<Record<EdmType, readonly [is: (value: unknown) => boolean, fault: string]>> = {
  String: [value => typeof value === 'string', 'is not a string'],
  Boolean: [value => typeof value === 'boolean', 'is not a boolean'],
  Int32: [isInt32, 'is not a whole number from -2^31 to 2^31-1'],
  Int64: [isInt64, 'is not a bigint from -2^63 to 2^63-1'],
  Double: [value => typeof value === 'number', 'is not a number'],
  DateTime: [isInstant, 'is not an Instant'],
  Guid: [value => typeof value === 'string' && GUID.test(value.toLowerCase()), 'is not a GUID'],
  Binary: [value => value instanceof Uint8Array, 'is not a Uint8Array'],
};

/** Why the value is none of the type; undefined if it is one. */
function typeFault({ edm }: Checked, value: unknown): string | undefined {
  const [is, fault] = TYPES[edm];
  if (!is(value)) return fault;
  return edm === 'DateTime' && !(value as Instant).isStorable ? 'is before 1601' : undefined;
}

/** `address.street: is required`. */
function issueText({ message, path = [] }: SchemaIssue): string {
  const steps = path.map(step => String(typeof step === 'object' ? step.key : step));
  return steps.length === 0 ? message : `${steps.join('.')}: ${message}`;
}

/** What a schema makes of a value. Throws ValueInvalid, also where the schema answers by a promise. */
export function validated(schema: StandardSchema, value: unknown, property: string): unknown {
  const result: SchemaResult<unknown> | Promise<SchemaResult<unknown>> = schema['~standard'].validate(value);
  const refuse = (reason: string): never => refuseValue(property, 'what its schema accepts', reason);
  if ('then' in result) {
    // Its rejection would be unhandled.
    result.then(undefined, () => undefined);
    return refuse('its schema answers by a promise, not at once');
  }
  return result.issues ? refuse(result.issues.map(issueText).join('; ')) : result.value;
}

/** Runs the checks of a property. */
function passChecks(property: Pick<Property, 'checks'>, value: unknown, name: string): void {
  for (const check of property.checks) {
    if (!Object.is(validated(check, value, name), value))
      refuseValue(name, 'what its check leaves as it is', `${shown(value)} would become another value`);
  }
}

/** What its schema makes of a value of JSON, if that passes the checks. Throws ValueInvalid. */
export function checkJson(
  property: Pick<Property, 'json' | 'checks'>,
  value: unknown,
  name: string,
): unknown {
  const read = property.json === undefined ? value : validated(property.json, value, name);
  passChecks(property, read, name);
  return read;
}

/** The value, in its one spelling. Throws ValueInvalid. Not for JSON, whose schema checks it when it is read. */
export function checkValue(property: Checked, value: unknown, name: string): unknown {
  if (property.pieces?.check) {
    const own = property.pieces.check(value, name);
    passChecks(property, own, name);
    return own;
  }
  const fault = typeFault(property, value);
  if (fault !== undefined) refuseValue(name, property.edm, `${shown(value)} ${fault}`);
  const spelled = property.edm === 'Guid' ? String(value).toLowerCase() : value;
  passChecks(property, spelled, name);
  return spelled;
}
