// Finds the changes of a refused batch that the service would refuse because of the state of their rows: the batch's error names one, and one query of their keys and ETags finds the others.
// write-load.ts sends the remaining changes.

import type { CallOptions } from '../../concurrency/abort.js';
import { keysCondition } from '../../model/filter/condition.js';
import { formatFilter } from '../../model/filter/format-filter.js';
import type { RowSource } from '../../transport/row-source.js';
import { addressOf, etagOf, type RowWrite } from '../../transport/row-write.js';
import { type AnyPatternError, PatternError } from '../../values/pattern-error.js';
import { textOf } from '../../values/row-member.js';

/** Rows that stand between the first and the last key that were asked for. */
interface StandingRows {
  /** ETags by row key; undefined where the answer had none. */
  readonly etags: ReadonlyMap<string, string | undefined>;
  /** The last row key up to which all is known; undefined if that is all that was asked for. */
  readonly until: string | undefined;
}

/** One page, of the addresses of one partition: of rows that lie far apart only the first are known. */
async function standingRows(
  source: RowSource,
  writes: readonly RowWrite[],
  { signal }: CallOptions,
): Promise<StandingRows> {
  const addresses = writes.map(addressOf);
  const [first] = addresses;
  const rowKeys = addresses.map(({ rowKey }) => rowKey).sort();
  const [ge, le] = [rowKeys[0], rowKeys.at(-1)];
  if (first === undefined || ge === undefined || le === undefined)
    return { etags: new Map(), until: undefined };
  const { table, partitionKey } = first;
  const filter = formatFilter(keysCondition({ eq: partitionKey }, { ge, le }));
  const page = await source.queryPage({ table, filter, select: ['PartitionKey', 'RowKey'], signal });
  const etags = new Map(page.rows.map(row => [textOf(row, 'RowKey') ?? '', textOf(row, 'odata.etag')]));
  return { etags, until: page.next === undefined ? undefined : ([...etags.keys()].at(-1) ?? '') };
}

/** The error that the service would return for the write; undefined if it would succeed, or if that is unknown. */
function refusalOf(write: RowWrite, { etags, until }: StandingRows): AnyPatternError | undefined {
  const address = addressOf(write);
  const { rowKey } = address;
  if (until !== undefined && rowKey > until) return undefined;
  const isThere = etags.has(rowKey);
  if (write.kind === 'create') return isThere ? new PatternError('AlreadyExists', address) : undefined;
  const etag = etagOf(write);
  if (etag === undefined) return undefined;
  if (!isThere) return new PatternError('NotFound', address);
  const there = etags.get(rowKey);
  const isOther = etag !== '*' && there !== undefined && there !== etag;
  return isOther ? new PatternError('Conflict', { ...address, etag }) : undefined;
}

/** The errors of those writes that would fail given the current rows. None if the rows cannot be read. */
export async function refusedByRows(
  source: RowSource,
  writes: readonly RowWrite[],
  options: CallOptions,
): Promise<ReadonlyMap<RowWrite, AnyPatternError>> {
  const errors = new Map<RowWrite, AnyPatternError>();
  try {
    const found = await standingRows(source, writes, options);
    for (const write of writes) {
      const error = refusalOf(write, found);
      if (error !== undefined) errors.set(write, error);
    }
  } catch (thrown) {
    if (!PatternError.is(thrown)) throw thrown;
  }
  return errors;
}
