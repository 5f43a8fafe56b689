// The key of an entity as JSON, for messages: every type of property has a form there, as the service has it in rows.
import type { AnyEntity, KeyOf } from '../model/entity.js';
import { checkValue } from '../values/check-value.js';
import { decodeProperty } from '../values/decode-property.js';
import { encodeProperty } from '../values/encode-property.js';
import { isObject } from '../values/is-object.js';
import { refuseDefinition } from '../values/pattern-error.js';
import type { WireValue } from '../values/read-wire.js';
import type { SchemaResult, StandardSchema } from '../values/standard-schema.js';

/** The properties of a key by their names, as JSON has them. */
export type KeyJson = Readonly<Record<string, string | number | boolean>>;

const partsOf = ({ name: entity, plan }: AnyEntity) =>
  [...new Set([...plan.partition.names, ...plan.row.names])].map(name => {
    const field = plan.byName.get(name);
    if (field === undefined) return refuseDefinition(entity, `its key has ${name}, which is no property`);
    return field;
  });

/** Throws ValueInvalid. */
export function keyJson<E extends AnyEntity>(entity: E, key: KeyOf<E>): KeyJson {
  const values: Readonly<Record<string, unknown>> = key;
  return Object.fromEntries(
    partsOf(entity).map(({ name, property }) => {
      const checked = checkValue(property, values[name], name);
      return [name, JSON.parse(encodeProperty(name, property.edm, checked).literal)];
    }),
  );
}

export const keyOfJson = <E extends AnyEntity>(entity: E, json: KeyJson): KeyOf<E> =>
  Object.fromEntries(
    partsOf(entity).map(({ name, property }) => {
      const value: WireValue = json[name] ?? '';
      return [name, decodeProperty(value, `Edm.${property.edm}`).value];
    }),
  ) as KeyOf<E>;

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The schema of such a key. */
export function keySchema(entity: AnyEntity): StandardSchema<KeyJson> {
  const names = partsOf(entity).map(({ name }) => name);
  const validate = (value: unknown): SchemaResult<KeyJson> => {
    const isKey = isObject(value) && names.every(name => isScalar(value[name]));
    return isKey ? { value: value as KeyJson } : { issues: [{ message: `it has no ${names.join(', ')}` }] };
  };
  return { '~standard': { version: 1, vendor: 'shelfmark-patterns', validate } };
}
