// Ranges of bytes in headers, and times of snapshots in queries (protocol: blob-requests#ranges, blob-requests#snapshots).
import { parseDateTime, YEAR_ONE } from '#base';
import { BlobError, type ByteRange, type PageSpan } from '#blobs';
import { given } from '../../shared/storage-exchange.js';
import { type Headers, invalidHeader, required, sent } from './header-values.js';

const RANGE = /^bytes=(\d{1,16})-(\d{1,16})?$/i;
const PAGE_BYTES = 512;
const OWN_HEADER = 'x-ms-range';

/** The last byte belongs to a range as it is written, and not to one as it is read. */
function parseRange(text: string): ByteRange | undefined {
  const [, first, last] = RANGE.exec(text.trim()) ?? [];
  if (first === undefined) return undefined;
  const from = Number(first);
  const until = last === undefined ? undefined : Number(last) + 1;
  return until !== undefined && until <= from ? undefined : { from, until };
}

/** Before it a range without an end is of a form that is not known (protocol: blob-requests#old-versions). */
const VERSION_OF_OPEN_RANGES = '2011-08-18';

/** x-ms-range wins over Range. Of reads; another form is ignored (recorded for both kinds of reads). */
export function rangeOf(headers: Headers, version: string): ByteRange | undefined {
  const text = sent(headers, OWN_HEADER) ?? headers.range;
  if (text === undefined) return undefined;
  const range = parseRange(text);
  return range?.until === undefined && version < VERSION_OF_OPEN_RANGES ? undefined : range;
}

/** Of the source of a copy; all of it where none is named. @throws BlobError InvalidHeaderValue. */
export function sourceRangeOf(headers: Headers): ByteRange {
  const name = 'x-ms-source-range';
  const text = sent(headers, name);
  if (text === undefined) return { from: 0, until: undefined };
  const range = parseRange(text);
  if (range === undefined) throw invalidHeader(name, text);
  return range;
}

/** Whole pages. @throws BlobError MissingRequiredHeader, InvalidHeaderValue, InvalidPageRange. */
export function pageSpanOf(headers: Headers): PageSpan {
  const text = sent(headers, OWN_HEADER) ?? required(headers, 'range');
  const range = parseRange(text);
  if (range?.until === undefined) throw invalidHeader(OWN_HEADER in headers ? OWN_HEADER : 'Range', text);
  const { from, until } = range;
  if (from % PAGE_BYTES !== 0 || until % PAGE_BYTES !== 0) throw new BlobError('InvalidPageRange');
  return { from, until };
}

/** Of an operation that is not of snapshots. */
export const ofRootAlone = (query: ReadonlyMap<string, string>): BlobError =>
  new BlobError('InvalidQueryParameterValue', {
    name: 'snapshot',
    value: query.get('snapshot') ?? '',
    reason: 'This operation is only allowed on the root blob. Snapshot should not be provided.',
  });

/** A time with seven fraction digits, as a snapshot was answered with. @throws BlobError InvalidQueryParameterValue. */
export function snapshotOf(query: ReadonlyMap<string, string>, name = 'snapshot'): bigint | undefined {
  const text = given(query, name);
  if (text === undefined) return undefined;
  const tick = /^\d{4}-\d\d-\d\dT/.test(text) ? parseDateTime(text, YEAR_ONE) : undefined;
  if (tick === undefined) throw new BlobError('InvalidQueryParameterValue', { name, value: text });
  return tick;
}
