// Sends independent changes of a partition: as batches and, if rows of one are refused, again without those, so that bad rows fail alone. The error of a batch names one of them; one query of the keys and ETags of
// its rows finds the others that the service would refuse for their state.

import type { CallOptions } from '../../concurrency/abort.js';
import { keysCondition } from '../../model/filter/condition.js';
import { formatFilter } from '../../model/filter/format-filter.js';
import type { RowSource } from '../../transport/row-source.js';
import { addressOf, etagOf } from '../../transport/row-write.js';
import { type AnyPatternError, PatternError, type RowAddress } from '../../values/pattern-error.js';
import { textOf } from '../../values/row-member.js';
import { isLost, refusalOf } from '../optimistic.js';
import { PlannedBatch } from '../write/planned-batch.js';
import type { PlannedWrite, WriteResult } from '../write/planned-write.js';
import type { Service } from '../write/service.js';
import { writePlanned } from '../write/write-planned.js';

/** What became of one change. */
export type WriteReport =
  /** `stored` is the row as it is now: its key and ETag where the write did not see all of it, undefined for a delete. */
  | { readonly index: number; readonly kind: 'done'; readonly stored: WriteResult }
  | { readonly index: number; readonly kind: 'failed'; readonly error: AnyPatternError };

type Report = (report: WriteReport) => void;

/** A change that was taken from the source, and its place there. */
export interface WaitingChange {
  readonly index: number;
  readonly planned: PlannedWrite<WriteResult>;
  /** The rows that it writes: its own, and index rows. Each is an operation of a batch. */
  readonly rows: readonly [RowAddress, ...RowAddress[]];
  /** What it counts towards the bytes that are buffered. */
  readonly bytes: number;
}

const asError = (thrown: unknown): AnyPatternError => {
  if (PatternError.is(thrown)) return thrown;
  throw thrown;
};

/** Refusals that concern no row in particular, and would be the same without it. */
const isOfAll = (error: AnyPatternError): boolean =>
  PatternError.is(error, 'TableNotFound') ||
  (PatternError.is(error, 'ServiceRefused') && (error.detail.status === 401 || error.detail.status === 403));

/** That there was nothing to take away is no failure where that is allowed. */
const failed = ({ index, planned }: WaitingChange, error: AnyPatternError): WriteReport =>
  planned.ifExists && PatternError.is(error, 'NotFound')
    ? { index, kind: 'done', stored: undefined }
    : { index, kind: 'failed', error };

async function writeOne(service: Service, change: WaitingChange, options: CallOptions): Promise<WriteReport> {
  const { planned, index } = change;
  try {
    return { index, kind: 'done', stored: await writePlanned(service, planned, options) };
  } catch (thrown) {
    return failed(change, asError(thrown));
  }
}

/** The first of the changes, as many as one batch takes: it refuses rows that may stand in one of several buckets, have to be read first, or have lists or copies; and the JSON of all may be longer than what their rows count. */
function batchOf(service: Service, first: WaitingChange, changes: readonly WaitingChange[]) {
  const batch = new PlannedBatch(service, addressOf(first.planned.write));
  const taken: WaitingChange[] = [];
  for (const change of changes) {
    try {
      // A delete that finds no row is reported here, with all others of them at once.
      batch.add({ ...change.planned, ifExists: false });
    } catch (thrown) {
      asError(thrown);
      break;
    }
    taken.push(change);
  }
  return { batch, taken };
}

/** In their order, in batches; by itself what a batch does not take, or would have alone. Rejects only for errors other than the service's, as the caller's signal; what was done before is reported. */
export async function writeLoad(
  service: Service,
  changes: readonly WaitingChange[],
  report: Report,
  options: CallOptions = {},
): Promise<void> {
  let left = changes;
  for (let [first] = left; first !== undefined; [first] = left) {
    const { batch, taken } = batchOf(service, first, left.length > 1 ? left : []);
    if (taken.length < 2) {
      report(await writeOne(service, first, options));
      left = left.slice(1);
      continue;
    }
    try {
      const results = await batch.commit(options);
      for (const [at, { index }] of taken.entries()) report({ index, kind: 'done', stored: results[at] });
      left = left.slice(taken.length);
    } catch (thrown) {
      const error = asError(thrown);
      const cause = asError(refusalOf(error));
      const bad = PatternError.is(error, 'BatchFailed') ? taken[error.detail.index] : undefined;
      const refused =
        bad === undefined || isOfAll(cause)
          ? new Map(taken.map(change => [change, cause]))
          : await refusedChanges(service.requests, taken, bad, cause, options);
      for (const [change, each] of refused) report(failed(change, each));
      left = left.filter(change => !refused.has(change));
    }
  }
}

/** The change that the service named, and all others that it would refuse given the current rows; none if these cannot be read. */
async function refusedChanges(
  source: RowSource,
  changes: readonly WaitingChange[],
  bad: WaitingChange,
  cause: AnyPatternError,
  options: CallOptions,
): Promise<ReadonlyMap<WaitingChange, AnyPatternError>> {
  const refused = new Map([[bad, cause]]);
  if (!isLost(cause)) return refused;
  try {
    const rows = await rowsOf(source, changes, options);
    for (const change of changes) {
      const error = change === bad ? undefined : refusalIn(rows, change);
      if (error !== undefined) refused.set(change, error);
    }
  } catch (thrown) {
    asError(thrown);
  }
  return refused;
}

/** Rows that stand between the first and the last key of changes. */
interface Rows {
  /** ETags by row key; undefined where the answer had none. */
  readonly etags: ReadonlyMap<string, string | undefined>;
  /** The last row key up to which all is known; undefined if that is all that was asked for. */
  readonly until: string | undefined;
}

/** One page: of rows that lie far apart only the first are known. */
async function rowsOf(
  source: RowSource,
  changes: readonly WaitingChange[],
  { signal }: CallOptions,
): Promise<Rows> {
  const addresses = changes.map(({ planned }) => addressOf(planned.write));
  const [{ table, partitionKey } = { table: '', partitionKey: '' }] = addresses;
  const rowKeys = addresses.map(({ rowKey }) => rowKey).sort();
  const [ge = '', le = ''] = [rowKeys[0], rowKeys.at(-1)];
  const filter = formatFilter(keysCondition({ eq: partitionKey }, { ge, le }));
  const page = await source.queryPage({ table, filter, select: ['PartitionKey', 'RowKey'], signal });
  const etags = new Map(page.rows.map(row => [textOf(row, 'RowKey') ?? '', textOf(row, 'odata.etag')]));
  return { etags, until: page.next === undefined ? undefined : ([...etags.keys()].at(-1) ?? '') };
}

/** The error that the service would return for the change; undefined if it would succeed, or if that is unknown. */
function refusalIn(
  { etags, until }: Rows,
  { planned: { write } }: WaitingChange,
): AnyPatternError | undefined {
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
