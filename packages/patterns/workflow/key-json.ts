// Keys in messages: values by their names as JSON, each with its type and its literal, so that instants and 64 bits come back as they were.
import type { AnyEntity } from '../model/entity.js';
import { decodeProperty } from '../values/decode-property.js';
import { encodeProperty } from '../values/encode-property.js';
import { parseWire, type WireValue } from '../values/read-wire.js';

type Values = Readonly<Record<string, unknown>>;

/** Of each value its type, and its literal as it is sent to the service. */
export type KeyJson = Readonly<Record<string, readonly [type: string, literal: string]>>;

export function keyJson({ plan }: AnyEntity, names: readonly string[], values: Values): KeyJson {
  return Object.fromEntries(
    names.map(name => {
      const edm = plan.byName.get(name)?.property.edm ?? 'String';
      return [name, [edm, encodeProperty(name, edm, values[name]).literal]];
    }),
  );
}

/** Of a row of the entity. */
export const rowKeyJson = (entity: AnyEntity, values: Values): KeyJson =>
  keyJson(entity, [...new Set([...entity.plan.partition.names, ...entity.plan.row.names])], values);

export const keyValues = (json: KeyJson): Values =>
  Object.fromEntries(
    Object.entries(json).map(([name, [type, literal]]) => [
      name,
      decodeProperty((parseWire(`{"v":${literal}}`) as { v: WireValue }).v, `Edm.${type}`).value,
    ]),
  );
