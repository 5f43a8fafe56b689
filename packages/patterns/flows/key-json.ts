// The key of an entity or of one of its lists as JSON, for messages: every type of property has a form there, as the service has it in rows.
import type { AnyEntity, KeyOf } from '../model/definition.js';
import { checkValue } from '../values/check-value.js';
import { isObject } from '../values/is-object.js';
import { refuseDefinition } from '../values/pattern-error.js';
import type { Property, Values } from '../values/property.js';
import type { SchemaResult, StandardSchema } from '../values/standard-schema.js';
import { decodeProperty } from '../values/typed-value.js';
import { encodeProperty } from '../values/wire-property.js';

/** The properties of a key by their names, as JSON has them. */
export type KeyJson = Readonly<Record<string, string | number | boolean>>;

const propertyOf = ({ name: entity, plan }: AnyEntity, name: string): Property =>
  plan.byName.get(name)?.property ?? refuseDefinition(entity, `its key has ${name}, which is not a property`);

const namesOf = ({ plan }: AnyEntity): readonly string[] => [
  ...new Set([...plan.partition.names, ...plan.row.names]),
];

/** Of the properties that are named. Throws ValueInvalid. */
export const keyJson = (entity: AnyEntity, names: readonly string[], values: Values): KeyJson =>
  Object.fromEntries(
    names.map(name => {
      const property = propertyOf(entity, name);
      const checked = checkValue(property, values[name], name);
      return [name, JSON.parse(encodeProperty(name, property.edm, checked).literal)];
    }),
  );

/** Of a row of the entity. Throws ValueInvalid. */
export const rowKeyJson = (entity: AnyEntity, values: Values): KeyJson =>
  keyJson(entity, namesOf(entity), values);

export const keyValues = (entity: AnyEntity, json: KeyJson): Values =>
  Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      decodeProperty(value, `Edm.${propertyOf(entity, name).edm}`).value,
    ]),
  );

/** The key of a row. */
export const keyOfJson = <E extends AnyEntity>(entity: E, json: KeyJson): KeyOf<E> =>
  keyValues(entity, json) as KeyOf<E>;

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The schema of a row's key. */
export function keySchema(entity: AnyEntity): StandardSchema<KeyJson> {
  const names = namesOf(entity);
  const validate = (value: unknown): SchemaResult<KeyJson> => {
    const isKey = isObject(value) && names.every(name => isScalar(value[name]));
    return isKey ? { value: value as KeyJson } : { issues: [{ message: `it has no ${names.join(', ')}` }] };
  };
  return { '~standard': { version: 1, vendor: 'shelfmark-patterns', validate } };
}
