// Finds the changes of a refused batch that the service would refuse because of the state of their rows: the batch's error names one, and a read of the keys finds all. Pure except
// for that read; write-load.ts sends the remaining changes.

import type { CallOptions } from '../../concurrency/abort.js';
import type { RowSource } from '../../transport/row-source.js';
import { addressOf, type RowWrite } from '../../transport/row-write.js';
import { type AnyPatternError, PatternError } from '../../values/pattern-error.js';
import { type StandingRows, standingRows } from '../read/standing-rows.js';

/** The error that the service would return for the write; undefined if it would succeed, or if that is unknown. */
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

/** The errors of those writes that would fail given the current rows. None if the rows cannot be read. */
export async function refusedByRows(
  source: RowSource,
  writes: readonly RowWrite[],
  options: CallOptions,
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
