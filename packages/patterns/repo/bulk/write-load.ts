// Sends one batch's worth of independent changes of a partition: as a batch and, if rows of it are refused, again without those, so that bad rows fail alone.
// refused-rows.ts finds them by one read of their keys.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOf } from '../../transport/row-write.js';
import { type AnyPatternError, PatternError } from '../../values/pattern-error.js';
import { isLost, refusalOf } from '../optimistic.js';
import { PlannedBatch } from '../write/planned-batch.js';
import type { WriteResult } from '../write/planned-write.js';
import type { Service } from '../write/service.js';
import { writePlanned } from '../write/write-planned.js';
import { refusedByRows } from './refused-rows.js';
import type { WaitingChange } from './write-lanes.js';

/** What became of one change. */
export type WriteReport =
  /** `stored` is the row as it is now: its key and ETag where the write did not see all of it, undefined for a delete. */
  | { readonly index: number; readonly kind: 'done'; readonly stored: WriteResult }
  | { readonly index: number; readonly kind: 'failed'; readonly error: AnyPatternError };

/** Batches that are sent again without the rows that were refused; after that many, each half goes by itself. */
const REPEATS_MAX = 3;

/** Refusals that concern no row in particular, and would be the same without it. */
const isOfAll = (error: AnyPatternError): boolean =>
  PatternError.is(error, 'TableNotFound') ||
  (PatternError.is(error, 'ServiceRefused') && (error.detail.status === 401 || error.detail.status === 403));

const asError = (thrown: unknown): AnyPatternError => {
  if (PatternError.is(thrown)) return thrown;
  throw thrown;
};

/** There was nothing to take away. */
const isGone = ({ planned: { ifExists } }: WaitingChange, error: AnyPatternError): boolean =>
  ifExists === true && PatternError.is(error, 'NotFound');

function failed(change: WaitingChange, error: AnyPatternError): WriteReport {
  const { index } = change;
  return isGone(change, error)
    ? { index, kind: 'done', stored: undefined }
    : { index, kind: 'failed', error };
}

async function writeOne(service: Service, change: WaitingChange, options: CallOptions): Promise<WriteReport> {
  const { planned, index } = change;
  try {
    return { index, kind: 'done', stored: await writePlanned(service, planned, options) };
  } catch (thrown) {
    return failed(change, asError(thrown));
  }
}

type Attempt =
  | { readonly kind: 'done'; readonly reports: readonly WriteReport[] }
  | { readonly kind: 'without'; readonly bad: WaitingChange; readonly error: AnyPatternError }
  | { readonly kind: 'failed'; readonly error: AnyPatternError };

async function writeTogether(
  service: Service,
  changes: readonly WaitingChange[],
  options: CallOptions,
): Promise<Attempt> {
  const [first] = changes;
  if (first === undefined) return { kind: 'done', reports: [] };
  try {
    const batch = new PlannedBatch(service, addressOf(first.planned.write));
    // A delete that finds no row is reported here, with all others of them at once.
    for (const { planned } of changes) batch.add({ ...planned, ifExists: false });
    const results = await batch.commit(options);
    const reports = changes.map(
      ({ index }, at): WriteReport => ({ index, kind: 'done', stored: results[at] }),
    );
    return { kind: 'done', reports };
  } catch (thrown) {
    const error = asError(thrown);
    if (!PatternError.is(error, 'BatchFailed')) return { kind: 'failed', error };
    const cause = asError(refusalOf(error));
    const bad = changes[error.detail.index];
    return bad === undefined || isOfAll(cause)
      ? { kind: 'failed', error: cause }
      : { kind: 'without', bad, error: cause };
  }
}

/** Whether it is written by itself: the row may stand in one of several buckets, has to be read first, or has lists or copies. */
const isAlone = ({ planned: { rebucketing, readFirst, deriving } }: WaitingChange): boolean =>
  rebucketing !== undefined || readFirst !== undefined || deriving !== undefined;

/** In their order: those that are written by themselves, and what stands between them in batches. */
export async function writeLoad(
  service: Service,
  changes: readonly WaitingChange[],
  options: CallOptions = {},
): Promise<readonly WriteReport[]> {
  const reports: WriteReport[] = [];
  let together: WaitingChange[] = [];
  for (const change of changes) {
    if (!isAlone(change)) {
      together.push(change);
      continue;
    }
    reports.push(...(await writeBatched(service, together, options)));
    together = [];
    reports.push(await writeOne(service, change, options));
  }
  return [...reports, ...(await writeBatched(service, together, options))];
}

/** Returns the outcome of each change. Rejects only for errors other than the service's: the caller's signal. */
async function writeBatched(
  service: Service,
  changes: readonly WaitingChange[],
  options: CallOptions = {},
): Promise<readonly WriteReport[]> {
  const reports: WriteReport[] = [];
  let left = changes;
  for (let repeats = 0; left.length > 1 && repeats <= REPEATS_MAX; repeats++) {
    const attempt = await writeTogether(service, left, options);
    if (attempt.kind === 'done') return [...reports, ...attempt.reports];
    if (attempt.kind === 'failed')
      // It would not fit, as JSON, though its rows do.
      return PatternError.is(attempt.error, 'TooLarge')
        ? [...reports, ...(await writeHalves(service, left, options))]
        : [...reports, ...left.map(change => failed(change, attempt.error))];
    const refused = await refusedChanges(service, left, attempt, options);
    for (const [change, error] of refused) reports.push(failed(change, error));
    left = left.filter(change => !refused.has(change));
  }
  if (left.length > 1) return [...reports, ...(await writeHalves(service, left, options))];
  for (const change of left) reports.push(await writeOne(service, change, options));
  return reports;
}

/** The change that the service named, and all others that it would refuse for the state of their rows. */
async function refusedChanges(
  { requests }: Service,
  changes: readonly WaitingChange[],
  { bad, error }: { readonly bad: WaitingChange; readonly error: AnyPatternError },
  options: CallOptions,
): Promise<ReadonlyMap<WaitingChange, AnyPatternError>> {
  const refused = new Map([[bad, error]]);
  if (!isLost(error)) return refused;
  const others = changes.filter(change => change !== bad);
  const writes = others.map(({ planned }) => planned.write);
  const errors = await refusedByRows(requests, writes, options);
  for (const change of others) {
    const found = errors.get(change.planned.write);
    if (found !== undefined) refused.set(change, found);
  }
  return refused;
}

async function writeHalves(
  service: Service,
  changes: readonly WaitingChange[],
  options: CallOptions,
): Promise<readonly WriteReport[]> {
  const middle = Math.ceil(changes.length / 2);
  const first = await writeBatched(service, changes.slice(0, middle), options);
  return [...first, ...(await writeBatched(service, changes.slice(middle), options))];
}
