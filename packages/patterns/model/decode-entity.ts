// Decodes a row of an answer to an entity's value: each property by the type in the definition, rows of earlier versions upcast, unknown properties
// kept.
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import { wiresOf } from '../values/pieces.js';
import { readRow, type WireObject } from '../values/read-wire.js';
import { textOf, unknownNames } from '../values/row-member.js';
import { typedIn } from '../values/typed-value.js';
import { encodeProperty, type WireProperty, type WireRow, wireText } from '../values/wire-property.js';
import type { AnyEntity, Of } from './definition.js';
import { type DriftPolicy, FieldReader } from './drift.js';
import { rowFault } from './row-fault.js';
import { parseTag, readAddress, readHead } from './row-head.js';
import { hasDerivedRows, type Projected, type StoredOf, trackAsRead } from './stored.js';
import { upcastRow } from './upcast.js';

/** How a row is decoded, and where it stands. */
export interface DecodeOptions {
  /** `throw` by default. A function gives the value to go on with, or throws; undefined is not a property. */
  readonly onDrift?: DriftPolicy | undefined;
  /** Where the row stands, if not in the entity's table. */
  readonly table?: string | undefined;
  /** Where the answer has it in a header only. */
  readonly etag?: string | undefined;
}

/** The version that the row was written by. Throws WrongEntity. A row that says nothing is of version 1. */
function versionOf(entity: AnyEntity, row: WireObject, address: RowAddress): number {
  if (entity.tag === undefined) return entity.version;
  const found = textOf(row, entity.tag);
  if (found === undefined) return 1;
  const { name, version } = parseTag(found);
  if (name !== entity.name)
    throw new PatternError('WrongEntity', { ...address, expected: entity.name, found });
  return version;
}

/** Of key parts, which need no look at the row but may have checks. */
function rebuilt({ plan }: AnyEntity, { partitionKey, rowKey }: RowAddress, reader: FieldReader) {
  const keys = { ...plan.row.decode(rowKey), ...plan.partition.decode(partitionKey) };
  const values: Record<string, unknown> = {};
  for (const field of plan.fields)
    if (field.rebuiltFrom !== undefined)
      values[field.name] = reader.accept(field, {
        type: field.property.edm,
        value: keys[field.name] as string,
      });
  return values;
}

/** The properties of these names, as they will be sent back. */
const keepProperties = (row: WireObject, names: readonly string[]): readonly WireProperty[] =>
  names.flatMap(name => {
    const typed = typedIn(row, name);
    return typed === undefined ? [] : [encodeProperty(name, typed.type, typed.value)];
  });

/** Entities of rows that were read and that others follow from: what is given a row alone has to know. */
const FOLLOWED = new WeakMap<object, AnyEntity>();

/** The entity of a row that was read, if it has indexes, lists or copies. */
export const followedEntityOf = (row: object): AnyEntity | undefined => FOLLOWED.get(row);

/** What decodes the row, with every failure as an error that names the row. */
function named<T extends object>(
  entity: AnyEntity,
  row: WireObject,
  options: DecodeOptions,
  decode: () => T,
): T {
  const address = readAddress(row, options.table ?? entity.table);
  try {
    const decoded = decode();
    if (hasDerivedRows(entity)) FOLLOWED.set(decoded, entity);
    return decoded;
  } catch (thrown) {
    throw rowFault(entity, row, address, thrown);
  }
}

/** A row that was written as this. */
export const decodeWritten = <E extends AnyEntity>(entity: E, row: WireRow, table: string): StoredOf<E> =>
  wholeRow(entity, readRow(wireText(row)), { table });

/** The whole row. Throws TypeDrift, WrongEntity, NewerVersion and RowUnreadable. */
export const decodeEntity = <E extends AnyEntity>(
  entity: E,
  row: WireObject,
  options: DecodeOptions = {},
): StoredOf<E> =>
  named(entity, row, options, () =>
    trackAsRead(entity, wholeRow(entity, row, options), () => wholeRow(entity, row, options)),
  );

/** With these properties alone, if some are named. */
function wholeRow<E extends AnyEntity>(
  entity: E,
  row: WireObject,
  { table = entity.table, onDrift = 'throw', etag }: DecodeOptions,
  names?: readonly string[],
): StoredOf<E> {
  const { plan } = entity;
  const head = { ...readHead(row, { table, etag }), entity: entity.name };
  const version = versionOf(entity, row, head);
  const reader = new FieldReader(entity, head, onDrift);
  const values = rebuilt(entity, head, reader);
  if (version < entity.version) {
    const { values: value, unknown } = upcastRow(entity, row, version, values, reader);
    return { ...head, value: value as Of<E>, version, whole: true, unknown: keepProperties(row, unknown) };
  }
  for (const field of plan.fields) {
    if (field.rebuiltFrom !== undefined || names?.includes(field.name) === false) continue;
    const value = reader.read(field, row);
    if (value !== undefined) values[field.name] = value;
  }
  const unknown = names === undefined ? keepProperties(row, unknownNames(row, plan.known)) : [];
  return { ...head, value: values as Of<E>, version, whole: true, unknown };
}

/**
 * The names to select so that these properties can be read. Undefined means the whole row: rows of earlier versions may have the properties under other
 * names.
 */
export function wireSelect(entity: AnyEntity, names: readonly string[]): readonly string[] | undefined {
  if (entity.version > 1) return undefined;
  const wires = names.flatMap(name => {
    const field = entity.plan.byName.get(name);
    return field === undefined || field.rebuiltFrom !== undefined ? [] : wiresOf(field);
  });
  const tags = entity.tag === undefined ? [] : [entity.tag];
  return [...new Set(['PartitionKey', 'RowKey', 'Timestamp', ...tags, ...wires])];
}

/** Some properties of a row: those that are named, and those that the keys give back. The row is one that `wireSelect` asked for. */
export const decodeProjected = <E extends AnyEntity, K extends keyof Of<E> & string>(
  entity: E,
  row: WireObject,
  names: readonly K[],
  options: DecodeOptions = {},
): Projected<Pick<Of<E>, K>, E['name']> =>
  named(entity, row, options, () => {
    // The row of an earlier version is whole, for its upcasts.
    const { unknown: _, ...stored } = wholeRow(entity, row, options, entity.version > 1 ? undefined : names);
    const entries = Object.entries(stored.value).filter(([name]) => names.includes(name as K));
    const value = Object.fromEntries(entries) as Pick<Of<E>, K>;
    return trackAsRead(entity, { ...stored, value, whole: false as const });
  });
