// Which changes of a refused batch the service would refuse for the state of their rows: a batch names one of them, and a read of the keys tells of all. Pure but for
// that read; write-load.ts sends what is left.

import { type StandingRows, standingRows } from '../read/standing-rows.js';
import type { RowSource } from '../transport/row-source.js';
import { addressOf, type RowWrite } from '../transport/row-write.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { type AnyPatternError, PatternError } from '../values/pattern-error.js';

/** What the service would say to the write; undefined if it would do it, or if that cannot be told. */
function refusalOf(write: RowWrite, { etags, until }: StandingRows): AnyPatternError | undefined {
  const { table, partitionKey, rowKey } = addressOf(write);
  const address = { table, partitionKey, rowKey };
  if (until !== undefined && rowKey > until) return undefined;
  const isThere = etags.has(rowKey);
  if (write.kind === 'create') return isThere ? new PatternError('AlreadyExists', address) : undefined;
  if (!('etag' in write)) return undefined;
  if (!isThere) return new PatternError('NotFound', address);
  const there = etags.get(rowKey);
  const isOther = write.etag !== '*' && there !== undefined && there !== write.etag;
  return isOther ? new PatternError('Conflict', { ...address, etag: write.etag }) : undefined;
}

/** The errors of those writes that the rows, as they are now, refuse. None where they cannot be read. */
export async function refusedByRows(
  source: RowSource,
  writes: readonly RowWrite[],
  options: ReadOptions,
): Promise<ReadonlyMap<RowWrite, AnyPatternError>> {
  let found: StandingRows | undefined;
  try {
    found = await standingRows(source, writes.map(addressOf), options);
  } catch (thrown) {
    if (!PatternError.is(thrown)) throw thrown;
  }
  const errors = new Map<RowWrite, AnyPatternError>();
  for (const write of found === undefined ? [] : writes) {
    const error = found && refusalOf(write, found);
    if (error !== undefined) errors.set(write, error);
  }
  return errors;
}
