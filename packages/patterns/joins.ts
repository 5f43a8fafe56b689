// Joins in the client, as `shelfmark-patterns/joins`: links between entities, small tables that are remembered, and conditions on rows that have been read.
import type { AnyEntity, Of } from './model/definition.js';
import { encodeEntity } from './model/encode-entity.js';
import { evaluate, readerOf } from './model/filter/evaluate.js';
import { built, type Clause, type Fields, fieldsOf } from './model/filter/where.js';
import type { Db } from './repo/open.js';
import { Lookup, type LookupOptions } from './repo/read/lookup.js';
import type { RepoOptions } from './repo/write/repo.js';
import { readRow } from './values/read-wire.js';
import { wireText } from './values/wire-property.js';

export { type Link, link, linkMany, type ManyLink, type ReadsByEntity } from './repo/read/link.js';
export type { Cached, Lookup } from './repo/read/lookup.js';

/** Rows of a small table, remembered for a while. */
export const lookup = <E extends AnyEntity>(
  db: Db,
  entity: E,
  options: LookupOptions & RepoOptions,
): Lookup<E> => new Lookup(entity, db.repo(entity, options), options);

/** Whether a value meets the condition, as the service would decide of its row. The value must be one that could be stored. */
export function satisfies<E extends AnyEntity>(
  entity: E,
  build: (fields: Fields<E>) => Clause,
): (value: Of<E>) => boolean {
  const condition = built(build, fieldsOf(entity));
  return value => evaluate(condition, readerOf(readRow(wireText(encodeEntity(entity, value)))));
}
