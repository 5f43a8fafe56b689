// Applies an entity's upcasts to a row of an earlier version. Upcasts use the program's property names; properties that they leave alone are decoded as
// in any other row, and unknown properties pass through.
import { checkJson, checkValue } from '../values/check-value.js';
import { isObject } from '../values/is-object.js';
import { refuseDefinition, refuseValue } from '../values/pattern-error.js';
import { longPieces, wireOfPiece, wiresOf } from '../values/pieces.js';
import type { WireObject } from '../values/read-wire.js';
import { propertyNames } from '../values/row-member.js';
import { type TypedValue, typedIn } from '../values/typed-value.js';
import type { AnyEntity, Field } from './definition.js';
import type { FieldReader } from './drift.js';

interface UpToDate {
  readonly values: Readonly<Record<string, unknown>>;
  /** Names of properties that no entity knows, which pass through. */
  readonly unknown: readonly string[];
}

/** A property of the old row. */
interface OldProperty {
  /** One, or those of its pieces. */
  readonly wires: readonly string[];
  readonly typed: TypedValue;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A value with all of its pieces: those that the entity says, or those of a long value that it does not know any longer. */
function wholeProperty(
  row: WireObject,
  wire: string,
  field: Field | undefined,
  typed: TypedValue,
): OldProperty {
  const { type } = typed;
  const isLong = field === undefined && (type === 'String' || type === 'Binary');
  const pieces = field?.property.pieces ?? (isLong ? longPieces(type) : undefined);
  const read = (name: string) => typedIn(row, name);
  const joined = pieces?.join(wire, read);
  if (pieces === undefined || joined === undefined || !('typed' in joined)) return { wires: [wire], typed };
  const wires = pieces.names(wire).filter(name => read(name) !== undefined);
  return { wires, typed: joined.typed };
}

/** The old row's properties by the names that upcasts know them by. A name that two would have is the program's own. */
function oldProperties(entity: AnyEntity, row: WireObject): ReadonlyMap<string, OldProperty> {
  const { byWire, byName, fields } = entity.plan;
  const properties = new Map<string, OldProperty>();
  const read = (name: string) => typedIn(row, name);
  const ofPieces = new Map(fields.flatMap(field => wiresOf(field).map(wire => [wire, field] as const)));
  for (const wire of propertyNames(row)) {
    const typed = read(wire);
    if (typed === undefined || wire === entity.tag) continue;
    const field = byWire.get(wire) ?? ofPieces.get(wire);
    const first = field?.wire ?? wireOfPiece(wire);
    const isFurther = first !== undefined && first !== wire && read(first)?.type === typed.type;
    const isHidden = field === undefined ? byName.has(wire) && byName.get(wire)?.wire !== wire : false;
    if (isFurther || isHidden || field?.rebuiltFrom !== undefined || wire === '__proto__') continue;
    properties.set(field?.name ?? wire, wholeProperty(row, field?.wire ?? wire, field, typed));
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

const changedValue = ({ property, name }: Field, value: unknown): unknown =>
  property.json === undefined ? checkValue(property, value, name) : checkJson(property, value, name);

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
      ? reader.read(field, row)
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
    unknown.push(...before.wires);
  }
  return { values, unknown };
}
