// The message to the flow of an entity's lists about a write: the row, and the lists that may have or have had its id. Only keys, no data: the worker reads the row.

import { type KeyJson, keyJson, rowKeyJson } from '../../flows/key-json.js';
import type { AnyEntity } from '../../model/definition.js';
import { isObject } from '../../values/is-object.js';
import type { Values } from '../../values/property.js';
import { schemaOf } from '../../values/standard-schema.js';
import type { EntityList } from './entity-list.js';

/** The contents of a message: a row, and lists that may have its id. */
export interface ListFlowInput {
  readonly table: string;
  readonly key: KeyJson;
  readonly lists: readonly { readonly list: string; readonly key: KeyJson }[];
}

/** The message of a write of a row with these values. */
export function listFlowInput(
  entity: AnyEntity,
  table: string,
  values: Values,
  changes: readonly { readonly list: EntityList; readonly key: Values }[],
): ListFlowInput {
  return {
    table,
    key: rowKeyJson(entity, values),
    lists: changes.map(({ list, key }) => ({ list: list.name, key: keyJson(entity, Object.keys(key), key) })),
  };
}

const isInput = (value: unknown): value is ListFlowInput =>
  isObject(value) && typeof value.table === 'string' && isObject(value.key) && Array.isArray(value.lists);

export const LIST_FLOW_SCHEMA = schemaOf(isInput, 'should name a row and lists');
