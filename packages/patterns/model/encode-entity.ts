// Encodes an entity's value as a row: checked, measured, with keys and types. The request is chosen elsewhere.
import { checkJson, checkValue } from '../values/check-value.js';
import { Instant } from '../values/instant.js';
import { refuseValue } from '../values/pattern-error.js';
import type { Values } from '../values/property.js';
import { encodeProperty, rowBytes, type WireProperty, type WireRow } from '../values/wire-property.js';
import type { AnyEntity, Field, NewOf, Of } from './definition.js';

/** A row to send, and the value that a read of it gives. */
export interface EncodedRow<T> extends WireRow {
  readonly value: T;
}

/** How a value is encoded. */
interface EncodeOptions {
  /** Other properties to send: unknown ones that the row had, or operation ids. */
  readonly extra?: readonly WireProperty[];
  /** For the times of writes; that of this computer by default. */
  readonly now?: Instant | undefined;
  /** The row before, whose time of creation stays. */
  readonly before?: Values | undefined;
  /** The properties will be stored in several rows; each row is measured separately. */
  readonly isWide?: boolean;
  /** The row may exist: of properties that are not given, only parts of keys and the time of this write are filled in. */
  readonly keepsRow?: boolean;
}

/** A value as it is stored, and as it is read back. */
interface Whole {
  readonly stored: unknown;
  readonly value: unknown;
}

/** The JSON text of a value, and the value that its schema makes of the text: what is written can be read. */
function jsonOf(field: Field, value: unknown): Whole {
  const { name, property } = field;
  const refuse = (reason: string): never => {
    refuseValue(name, 'JSON', reason);
  };
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (thrown) {
    return refuse(thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (text === undefined || property.json === undefined) return refuse('JSON cannot hold it');
  return { stored: text, value: checkJson(property, JSON.parse(text), name) };
}

function plainOf({ name, property }: Field, value: unknown): Whole {
  const checked = checkValue(property, value, name);
  return { stored: checked, value: checked };
}

interface Encoded {
  /** One, or the pieces of the value. */
  readonly properties: readonly WireProperty[];
  readonly value: unknown;
}

function encodeField(subject: string, field: Field, value: unknown): Encoded {
  const { name, wire, property } = field;
  const where = `${subject}.${name}`;
  const { edm, pieces } = property;
  const { stored, value: given } = property.json ? jsonOf(field, value) : plainOf(field, value);
  const properties =
    pieces === undefined
      ? [encodeProperty(wire, edm, stored, where)]
      : pieces
          .split(wire, stored, where)
          .map(piece => encodeProperty(piece.name, piece.type, piece.value, where));
  return { properties, value: given };
}

/** Throws ValueInvalid for what is no property of the entity. */
export function refuseStrangers({ name, plan }: AnyEntity, values: Values): void {
  for (const [property, value] of Object.entries(values))
    if (value !== undefined && !plan.byName.has(property))
      refuseValue(property, `a property of ${name}`, 'it is not, and would be lost');
}

/** Null is a value of JSON, and no value of the service. */
const isMissing = ({ property }: Field, value: unknown): boolean =>
  value === undefined || (value === null && property.json === undefined);

/** The given value, or the one that the library fills in. */
function filled(field: Field, given: unknown, { now, before, keepsRow }: EncodeOptions): unknown {
  const { filling } = field.property;
  if (filling === undefined) return given;
  if (filling.kind === 'updated') return now ?? Instant.now();
  if (!isMissing(field, given)) return given;
  if (filling.kind === 'default') return keepsRow && !field.inKey ? undefined : filling.give();
  return before?.[field.name] ?? (keepsRow ? undefined : (now ?? Instant.now()));
}

/** The whole row. Throws ValueInvalid, KeyInvalid and TooLarge. */
export function encodeEntity<E extends AnyEntity>(
  entity: E,
  value: Of<E> | NewOf<E>,
  options: EncodeOptions = {},
): EncodedRow<Of<E>> {
  const { extra = [], isWide = false } = options;
  const values: Values = value;
  const { name: subject, plan } = entity;
  refuseStrangers(entity, values);
  const properties: WireProperty[] = plan.tag === undefined ? [] : [plan.tag];
  const readBack: Record<string, unknown> = {};
  for (const field of plan.fields) {
    const given = filled(field, values[field.name], options);
    if (isMissing(field, given)) {
      if (field.property.presence !== 'required') continue;
      refuseValue(field.name, field.property.edm, 'it is missing');
    }
    const encoded = encodeField(subject, field, given);
    readBack[field.name] = encoded.value;
    if (field.rebuiltFrom === undefined) properties.push(...encoded.properties);
  }
  properties.push(...extra);
  const partitionKey = plan.partition.encode(readBack);
  const rowKey = plan.row.encode(readBack);
  const bytes = isWide ? 0 : rowBytes(subject, partitionKey, rowKey, properties);
  return { partitionKey, rowKey, properties, bytes, value: readBack as Of<E> };
}

/** The properties that say when a row was written last, as every write sends them. */
export const encodeUpdated = ({ name, plan }: AnyEntity, now: Instant): readonly WireProperty[] =>
  plan.fields
    .filter(({ property }) => property.filling?.kind === 'updated')
    .flatMap(field => encodeField(name, field, now).properties);

/** Throws ValueInvalid for a value that can only be written with its whole row. */
export function refusePartOfRow({ plan }: AnyEntity, values: Values): void {
  for (const [name, value] of Object.entries(values)) {
    const field = plan.byName.get(name);
    const withRow = field?.property.pieces?.withRow;
    if (field !== undefined && withRow !== undefined && !isMissing(field, value))
      refuseValue(name, 'a write of the whole row', withRow);
  }
}

/** Throws ValueInvalid for a value that other values of the row need. */
export function refuseTaking({ plan }: AnyEntity, removed: readonly string[]): void {
  for (const name of removed) {
    const stays = plan.byName.get(name)?.property.pieces?.stays;
    if (stays !== undefined) refuseValue(name, 'what it is', stays);
  }
}

/** Properties that a patch sets, as a merge sends them: no keys, no tag. Throws ValueInvalid and TooLarge. */
export function encodePatch(entity: AnyEntity, patch: Values): readonly WireProperty[] {
  refusePartOfRow(entity, patch);
  return Object.entries(patch).flatMap(([name, value]) => {
    const field = entity.plan.byName.get(name);
    if (field === undefined || isMissing(field, value)) return [];
    // Every write sends it, with its own time.
    if (field.property.filling?.kind === 'updated') return [];
    if (field.inKey)
      refuseValue(name, 'what it was', 'it is part of a key, and a row cannot change its keys');
    return encodeField(entity.name, field, value).properties;
  });
}
