// Applies an entity's upcasts to a row of an earlier version. Upcasts use the program's property names; properties that they leave alone are decoded as
// in any other row, and unknown properties pass through.
import { checkValue, passChecks, validated } from '../values/check-value.js';
import { decodeProperty } from '../values/decode-property.js';
import { isObject } from '../values/is-object.js';
import { refuseDefinition, refuseValue } from '../values/pattern-error.js';
import type { WireObject, WireValue } from '../values/read-wire.js';
import { annotationOf, memberOf, propertyNames } from '../values/row-member.js';
import type { TypedValue } from '../values/typed-value.js';
import type { FieldReader } from './drift.js';
import type { AnyEntity, Field } from './entity.js';

interface UpToDate {
  readonly values: Readonly<Record<string, unknown>>;
  /** Names of properties that no entity knows, which pass through. */
  readonly unknown: readonly string[];
}

/** A property of the old row. */
interface OldProperty {
  readonly wire: string;
  readonly raw: WireValue;
  readonly annotation: WireValue | undefined;
  readonly typed: TypedValue;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The old row's properties by the names that upcasts know them by. A name that two would have is the program's own. */
function oldProperties(entity: AnyEntity, row: WireObject): ReadonlyMap<string, OldProperty> {
  const { byWire, byName } = entity.plan;
  const properties = new Map<string, OldProperty>();
  for (const wire of propertyNames(row)) {
    const raw = memberOf(row, wire);
    if (raw === undefined || wire === entity.tag) continue;
    const field = byWire.get(wire);
    const isHidden = field === undefined ? byName.has(wire) && byName.get(wire)?.wire !== wire : false;
    if (isHidden || field?.rebuiltFrom !== undefined || wire === '__proto__') continue;
    const annotation = memberOf(row, annotationOf(wire));
    properties.set(field?.name ?? wire, { wire, raw, annotation, typed: decodeProperty(raw, annotation) });
  }
  return properties;
}

/** The version up to the entity's, each step checked for what it gives. */
function climb(entity: AnyEntity, version: number, old: Record<string, unknown>): Record<string, unknown> {
  let values = old;
  for (let from = version; from < entity.version; from++) {
    const step = entity.upcast[from];
    const next: unknown = step?.(Object.freeze({ ...values }));
    if (!isObject(next)) refuseDefinition(entity.name, `the upcast from version ${from} gives no object`);
    values = next as Record<string, unknown>;
  }
  return values;
}

function changedValue({ property, name }: Field, value: unknown): unknown {
  if (property.json === undefined) return checkValue(property, value, name);
  const read = validated(property.json, value, name);
  passChecks(property, read, name);
  return read;
}

/** Throws ValueInvalid for what an upcast should not give, and TypeDrift for what it left as it was and is not what it should be. */
export function upcastRow(
  entity: AnyEntity,
  row: WireObject,
  version: number,
  keys: Readonly<Record<string, unknown>>,
  reader: FieldReader,
): UpToDate {
  const { byName, fields } = entity.plan;
  const properties = oldProperties(entity, row);
  const old: Record<string, unknown> = { ...keys };
  for (const [name, { typed }] of properties)
    old[name] = byName.get(name)?.property.json ? jsonOrText(String(typed.value)) : typed.value;
  const bag = climb(entity, version, old);

  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { name } = field;
    const value = field.rebuiltFrom === undefined ? bag[name] : keys[name];
    const before = properties.get(name);
    const isAsBefore = before !== undefined && Object.is(value, old[name]);
    const read = isAsBefore
      ? reader.read(field, before.raw, before.annotation)
      : value === undefined || (value === null && field.property.json === undefined)
        ? reader.missing(field)
        : changedValue(field, value);
    if (read !== undefined) values[name] = read;
  }

  const unknown: string[] = [];
  for (const [name, value] of Object.entries(bag)) {
    if (byName.has(name) || value === undefined) continue;
    const before = properties.get(name);
    if (before === undefined || !Object.is(value, old[name]))
      refuseValue(name, `a property of ${entity.name}`, 'an upcast gives it, and it is none');
    unknown.push(before.wire);
  }
  return { values, unknown };
}
