// Decodes rows of several entities: by the row's tag or, without one, by the literals of its keys. A row of no known entity becomes a bag.
import type { WireObject } from '../values/read-wire.js';
import { textOf } from '../values/row-member.js';
import { type Bag, decodeBag } from './bag.js';
import { type DecodeOptions, decodeEntity } from './decode-entity.js';
import type { AnyEntity } from './definition.js';
import { beginningOf } from './keys/beginning.js';
import { readAddress } from './row-head.js';
import type { StoredOf } from './stored.js';
import { parseTag } from './type-tag.js';

/** A row of an entity; the name distinguishes it from rows of others. */
export type Named<E extends AnyEntity> = E extends AnyEntity ? StoredOf<E> : never;

/** A row of one of the entities, or a bag, as `entity` shows. */
export type Mixed<E extends readonly AnyEntity[]> = Named<E[number]> | Bag;

/** How rows of several entities are decoded. */
interface MixedOptions extends DecodeOptions {
  /** Names the entity of a row without a tag. Undefined leaves it a bag. */
  readonly resolve?: ((row: Bag) => string | undefined) | undefined;
}

/** Whether the row's keys begin as the entity's do, and one of them begins with a literal. */
function hasKeysOf({ plan }: AnyEntity, partitionKey: string, rowKey: string): boolean {
  const partition = beginningOf(plan.partition);
  const row = beginningOf(plan.row);
  const fits = (text: string, { text: start, isWhole }: typeof partition): boolean =>
    isWhole ? text === start : text.startsWith(start);
  return partition.text + row.text !== '' && fits(partitionKey, partition) && fits(rowKey, row);
}

function entityOf<E extends AnyEntity>(
  entities: readonly E[],
  row: WireObject,
  options: MixedOptions,
): E | undefined {
  for (const entity of entities) {
    const tag = entity.tag === undefined ? undefined : textOf(row, entity.tag);
    if (tag !== undefined && parseTag(tag).name === entity.name) return entity;
  }
  const [first] = entities;
  if (first === undefined || (first.tag !== undefined && textOf(row, first.tag) !== undefined))
    return undefined;
  const { table = first.table, etag, resolve } = options;
  if (resolve !== undefined) {
    const name = resolve(decodeBag(row, { table, etag, tag: first.tag }));
    return entities.find(entity => entity.name === name);
  }
  const { partitionKey, rowKey } = readAddress(row, table);
  return entities.find(entity => hasKeysOf(entity, partitionKey, rowKey));
}

/** Throws what `decodeEntity` throws, for rows of the entities. */
export function decodeMixed<const E extends readonly AnyEntity[]>(
  entities: E,
  row: WireObject,
  options: MixedOptions = {},
): Mixed<E> {
  const entity = entityOf(entities, row, options);
  if (entity === undefined) {
    const { table = entities[0]?.table ?? '', etag } = options;
    return decodeBag(row, { table, etag, tag: entities[0]?.tag });
  }
  return decodeEntity(entity, row, options) as Mixed<E>;
}
