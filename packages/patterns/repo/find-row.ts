// Reads a row where it may stand: rebucketing-writes.ts says why that is more than one place while a number of buckets is being changed.

import type { CallOptions } from '../concurrency/abort.js';
import { type DecodeOptions, decodeEntity } from '../model/decode-entity.js';
import type { AnyEntity } from '../model/definition.js';
import type { StoredOf } from '../model/stored.js';
import type { RowSource } from '../transport/row-source.js';
import type { RowAddress } from '../values/pattern-error.js';

/** The row; undefined if there is none. Throws TypeDrift, WrongEntity and ServiceRefused. */
export async function findRow<E extends AnyEntity>(
  source: Pick<RowSource, 'get'>,
  entity: E,
  places: readonly RowAddress[],
  { onDrift }: Pick<DecodeOptions, 'onDrift'>,
  { signal }: CallOptions = {},
): Promise<StoredOf<E> | undefined> {
  // A row that is moved during the reads goes to the first place, so the first is read again.
  const [first] = places;
  for (const address of places.length > 1 && first ? [...places, first] : places) {
    const found = await source.get(address, { signal });
    if (found !== undefined)
      return decodeEntity(entity, found.row, { table: address.table, onDrift, etag: found.etag });
  }
  return undefined;
}
