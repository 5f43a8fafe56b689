// Fixes a batch that was refused because of a wrong index row: missing, left over, or written by others. Returns the writes to send instead, or throws UniqueViolation if another living row
// has the key.
import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey, isSameRow } from '../../model/address.js';
import { decodeEntity } from '../../model/decode-entity.js';
import { encodeIndexRow, indexKeyOf } from '../../model/index-row.js';
import type { RowAnswer, RowSource } from '../../transport/row-source.js';
import { addressOf } from '../../transport/row-write.js';
import { PatternError } from '../../values/pattern-error.js';
import type { IndexWrite } from './index-write.js';

type Reading = Pick<RowSource, 'get'>;

/** The error of a key that another row has. */
export function uniqueViolation({ write, entity, index }: IndexWrite, cause?: unknown): PatternError {
  const key = 'row' in write && 'value' in write.row ? indexKeyOf(index, write.row.value) : {};
  const detail = { ...addressOf(write), entity: entity.name, index: index.name, key };
  return new PatternError('UniqueViolation', detail, { cause });
}

/** Whether the index row belongs to a living row that should have it. An unreadable row counts as one that does. */
async function isHeld(
  requests: Reading,
  { write, entity, index, owner }: IndexWrite,
  found: RowAnswer,
  options: CallOptions,
): Promise<boolean> {
  const { table, rowKey } = addressOf(write);
  try {
    const hit = decodeEntity(index.entity, found.row, { table, etag: found.etag });
    const holder = addressOfKey(entity, table, hit.value as never);
    // The batch has the condition that the owner is as it was, and then it should not have had this row.
    if (isSameRow(holder, owner)) return false;
    const living = await requests.get(holder, options);
    if (living === undefined) return false;
    const { value } = decodeEntity(entity, living.row, { table, etag: living.etag });
    return encodeIndexRow(index, value)?.rowKey === rowKey;
  } catch (thrown) {
    if (!PatternError.is(thrown)) throw thrown;
    throw uniqueViolation({ write, entity, index, owner }, thrown);
  }
}

/** The write to send instead, under the ETag of the row found. Throws UniqueViolation, and errors that cannot be fixed. */
export async function mend(
  requests: Reading,
  indexWrite: IndexWrite,
  refused: PatternError,
  options: CallOptions,
): Promise<IndexWrite> {
  const { write } = indexWrite;
  // A delete may find no row.
  if (write.kind === 'delete') throw refused;
  const { table, row } = write;
  const created: IndexWrite = { ...indexWrite, write: { kind: 'create', table, row } };
  if (PatternError.is(refused, 'NotFound')) return created;
  if (!PatternError.is(refused, 'AlreadyExists') && !PatternError.is(refused, 'Conflict')) throw refused;
  const found = await requests.get(addressOf(write), options);
  if (found === undefined) return created;
  if (await isHeld(requests, indexWrite, found, options)) throw uniqueViolation(indexWrite);
  return { ...indexWrite, write: { kind: 'replace', table, row, etag: found.etag ?? '*' } };
}
