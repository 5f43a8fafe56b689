// Merges changed or added properties into a stored entity. The other properties are copied in their stored form: a merge that
// changes one property of a large entity neither decodes nor formats the others.
import { StoreError } from '#store';
import type { Property } from '../entity/edm.js';
import {
  BINARY,
  decodeName,
  ENTRY_BYTES,
  HEADER_BYTES,
  propertyCount,
  STRING,
  TEXT_OVERHEAD,
  textStart,
} from '../entity/entity-codec.js';
import { encodePieces, type Piece } from '../entity/entity-encoder.js';
import type { EntityKey } from '../entity/entity-key.js';
import { checkTotals, keyBytes, propertyBytes } from '../limits.js';

/** Bytes of values (protocol: data-model#size-of-an-entity) by the numbers of their types, as EDM_TYPES has them; strings and binaries have none. */
const FIXED_BYTES: readonly (number | undefined)[] = [undefined, 4, 8, 8, 1, 8, 16, undefined];

/** The bytes that a stored value counts towards the size of its entity, from its directory entry. */
function storedValueBytes(stored: Buffer, entryAt: number): number {
  const type = stored[entryAt] ?? 0;
  const fixed = FIXED_BYTES[type];
  if (fixed !== undefined) return fixed;
  const length = stored.readUInt32LE(entryAt + 8);
  if (type === STRING) return 2 * length + 4;
  if (type === BINARY) return length + 4;
  throw new StoreError('corrupt', `A stored property has type number ${type}.`);
}

/** By UTF-16 code unit. */
const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

/** Properties in the ordinal order of their names, in which they come back after any write but an insert (protocol: entities#order-of-properties). */
export const inOrdinalOrder = (properties: readonly Property[]): readonly Property[] =>
  properties.toSorted(byName);

/**
 * Both the stored entity and the changes are within the limits; this checks the merged entity.
 *
 * @throws TableError EntityTooLarge, TooManyProperties.
 */
export function mergeStored(key: EntityKey, stored: Buffer, changes: readonly Property[]): Buffer {
  const changed = new Set<string>();
  const pieces: Piece[] = [];
  let bytes = keyBytes(key);
  for (const change of changes) {
    changed.add(change.name);
    pieces.push({ name: change.name, entryAt: 0, text: '', change });
    bytes += propertyBytes(change);
  }
  const count = propertyCount(stored);
  const texts = stored.toString('latin1', textStart(stored));
  let at = 0;
  for (let i = 0, entryAt = HEADER_BYTES; i < count; i++, entryAt += ENTRY_BYTES) {
    const nameEnd = at + 2 + stored.readUInt16LE(entryAt + 2);
    const end = nameEnd - 2 + TEXT_OVERHEAD + stored.readUInt32LE(entryAt + 4);
    const name = decodeName(texts.slice(at + 2, nameEnd));
    if (!changed.has(name)) {
      pieces.push({ name, entryAt, text: texts.slice(at, end), change: undefined });
      bytes += 8 + 2 * name.length + storedValueBytes(stored, entryAt);
    }
    at = end;
  }
  if (at !== texts.length)
    throw new StoreError('corrupt', 'The texts of a stored entity have another length.');
  checkTotals(bytes, pieces.length);
  return encodePieces(stored, pieces.sort(byName));
}
