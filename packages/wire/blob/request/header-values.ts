// Values of request headers: dates, numbers, GUIDs, digests, leases, ranges of bytes, each refused with its name where it is malformed, and times
// of snapshots in queries (protocol: blob-requests#headers, blob-requests#lease-headers, blob-requests#ranges, blob-requests#snapshots).
import { parseDateTime, parseGuid, parseHttpDate, YEAR_ONE } from '#base';
import {
  BlobError,
  type ByteRange,
  type LeaseAction,
  PAGE_BYTES,
  type PageSpan,
  SEQUENCE_NUMBER_MAX,
  type SetSequenceNumber,
} from '#blobs';
import { given } from '../../shared/storage-exchange.js';

type Query = ReadonlyMap<string, string>;
export type Headers = Readonly<Record<string, string | undefined>>;

const DIGITS = /^\d{1,19}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MD5_BYTES = 16;
const CRC64_BYTES = 8;

export const invalidHeader = (name: string, value: string): BlobError =>
  new BlobError('InvalidHeaderValue', { name, value });

/** Of features that no account here has: ignored, they would promise what is not kept (protocol: blob-requests#headers). */
const UNSUPPORTED =
  /^x-ms-(?:source-|default-|deny-)?(?:encryption-(?:key|scope|algorithm)|immutability-policy-|legal-hold$)/;

export function checkSupported(headers: Headers): void {
  const name = Object.keys(headers).find(each => UNSUPPORTED.test(each));
  if (name !== undefined) throw new BlobError('UnsupportedHeader', { name });
}

/** An empty header counts as missing. */
export const sent = (headers: Headers, name: string): string | undefined => headers[name] || undefined;

export function required(headers: Headers, name: string): string {
  const value = sent(headers, name);
  if (value === undefined) throw new BlobError('MissingRequiredHeader', { name });
  return value;
}

export function requiredParameter(query: Query, name: string): string {
  const value = given(query, name);
  if (value === undefined) throw new BlobError('MissingRequiredQueryParameter', { name });
  return value;
}

export function dateOf(headers: Headers, name: string): bigint | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  const ticks = parseHttpDate(text);
  if (ticks === undefined) throw invalidHeader(name, text);
  return ticks;
}

export function bigOf(headers: Headers, name: string): bigint | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  if (!DIGITS.test(text) || BigInt(text) > SEQUENCE_NUMBER_MAX) throw invalidHeader(name, text);
  return BigInt(text);
}

/** A number that JavaScript holds exactly: no blob is longer. */
export function wholeHeader(headers: Headers, name: string): number | undefined {
  const value = bigOf(headers, name);
  if (value === undefined) return undefined;
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidHeader(name, `${value}`);
  return Number(value);
}

/** In lower case, with dashes. */
export function guidOf(headers: Headers, name: string): string | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  const guid = parseGuid(text);
  if (guid === undefined) throw invalidHeader(name, text);
  return guid;
}

export function requiredGuid(headers: Headers, name: string): string {
  required(headers, name);
  return guidOf(headers, name) ?? '';
}

/** `true` or `false`, in any case. */
export function flagOf(headers: Headers, name: string): boolean {
  const text = sent(headers, name)?.toLowerCase();
  if (text !== undefined && text !== 'true' && text !== 'false')
    throw invalidHeader(name, headers[name] ?? '');
  return text === 'true';
}

const isBase64 = (text: string): boolean => BASE64.test(text);

/** A digest that is kept and compared with nothing: of any length (protocol: blob-requests#content-headers). */
export function storedMd5Of(headers: Headers, name: string): Buffer | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  if (!isBase64(text)) throw new BlobError('InvalidMd5');
  return Buffer.from(text, 'base64');
}

export function md5Of(headers: Headers, name: string): Buffer | undefined {
  const bytes = storedMd5Of(headers, name);
  if (bytes !== undefined && bytes.length !== MD5_BYTES) throw new BlobError('InvalidMd5');
  return bytes;
}

export function crc64Of(headers: Headers, name: string): Buffer | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (!isBase64(text) || bytes.length !== CRC64_BYTES) throw invalidHeader(name, text);
  return bytes;
}

export function lengthOfPages(headers: Headers): number {
  const name = 'x-ms-blob-content-length';
  const length = wholeHeader(headers, name);
  if (length === undefined) throw new BlobError('MissingRequiredHeader', { name });
  return length;
}

export function sequenceNumberOf(headers: Headers): SetSequenceNumber | undefined {
  const [name, ofNumber] = ['x-ms-sequence-number-action', 'x-ms-blob-sequence-number'];
  const action = sent(headers, name)?.toLowerCase();
  if (action === undefined) return undefined;
  const number = bigOf(headers, ofNumber);
  if (action === 'increment') {
    if (number !== undefined) throw invalidHeader(ofNumber, `${number}`);
    return { action, number: 0n };
  }
  if (action !== 'max' && action !== 'update') throw invalidHeader(name, action);
  if (number === undefined) throw new BlobError('MissingRequiredHeader', { name: ofNumber });
  return { action, number };
}

const WHOLE_SECONDS = /^-?\d{1,5}$/;
const SECONDS_MIN = 15;
const SECONDS_MAX = 60;
const INFINITE = -1;

function secondsOf(headers: Headers, name: string, isAllowed: (seconds: number) => boolean): number {
  const text = required(headers, name);
  const seconds = WHOLE_SECONDS.test(text) ? Number(text) : Number.NaN;
  if (!isAllowed(seconds)) throw invalidHeader(name, text);
  return seconds;
}

const isDuration = (seconds: number): boolean =>
  seconds === INFINITE || (seconds >= SECONDS_MIN && seconds <= SECONDS_MAX);
const isBreakPeriod = (seconds: number): boolean => seconds >= 0 && seconds <= SECONDS_MAX;

/** What a lease request asks for (protocol: blob-requests#lease-headers). @throws BlobError MissingRequiredHeader, InvalidHeaderValue. */
export function leaseActionOf(headers: Headers): LeaseAction {
  const action = required(headers, 'x-ms-lease-action');
  switch (action.toLowerCase()) {
    case 'acquire': {
      const seconds = secondsOf(headers, 'x-ms-lease-duration', isDuration);
      const proposedId = guidOf(headers, 'x-ms-proposed-lease-id');
      return { kind: 'acquire', seconds: seconds === INFINITE ? 'infinite' : seconds, proposedId };
    }
    case 'renew':
      return { kind: 'renew', id: requiredGuid(headers, 'x-ms-lease-id') };
    case 'release':
      return { kind: 'release', id: requiredGuid(headers, 'x-ms-lease-id') };
    case 'change': {
      const id = requiredGuid(headers, 'x-ms-lease-id');
      return { kind: 'change', id, proposedId: requiredGuid(headers, 'x-ms-proposed-lease-id') };
    }
    case 'break': {
      const isGiven = sent(headers, 'x-ms-lease-break-period') !== undefined;
      const seconds = isGiven ? secondsOf(headers, 'x-ms-lease-break-period', isBreakPeriod) : undefined;
      return { kind: 'break', seconds };
    }
    default:
      throw invalidHeader('x-ms-lease-action', action);
  }
}

const RANGE = /^bytes=(\d{1,16})-(\d{1,16})?$/i;
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
export const ofRootAlone = (query: Query): BlobError =>
  new BlobError('InvalidQueryParameterValue', {
    name: 'snapshot',
    value: query.get('snapshot') ?? '',
    reason: 'This operation is only allowed on the root blob. Snapshot should not be provided.',
  });

/** A time with seven fraction digits, as a snapshot was answered with. @throws BlobError InvalidQueryParameterValue. */
export function snapshotOf(query: Query, name = 'snapshot'): bigint | undefined {
  const text = given(query, name);
  if (text === undefined) return undefined;
  const tick = /^\d{4}-\d\d-\d\dT/.test(text) ? parseDateTime(text, YEAR_ONE) : undefined;
  if (tick === undefined) throw new BlobError('InvalidQueryParameterValue', { name, value: text });
  return tick;
}

/** Snapshots themselves have none. */
export function snapshotsToDelete(headers: Headers, query: Query): 'include' | 'only' | undefined {
  const name = 'x-ms-delete-snapshots';
  const snapshots = sent(headers, name)?.toLowerCase();
  if (snapshots === undefined) return undefined;
  if (snapshots !== 'include' && snapshots !== 'only') throw invalidHeader(name, snapshots);
  if (given(query, 'snapshot') !== undefined) throw ofRootAlone(query);
  return snapshots;
}

export function copyIdToAbort(headers: Headers, query: Query): string {
  const copyId = requiredParameter(query, 'copyid');
  if (parseGuid(copyId) === undefined)
    throw new BlobError('InvalidQueryParameterValue', {
      name: 'copyid',
      value: copyId,
      reason: 'copyid needs to be valid Guid.',
    });
  const action = required(headers, 'x-ms-copy-action');
  if (action.toLowerCase() !== 'abort') throw invalidHeader('x-ms-copy-action', action);
  return copyId;
}

/** Unless it is refused, what a copy does not set is that of its source. */
export const takesPropertiesOfSource = (headers: Headers): boolean =>
  headers['x-ms-copy-source-blob-properties']?.toLowerCase() !== 'false';

/** Whether a copy is Copy Blob From URL. */
export const isSynchronous = (headers: Headers): boolean => flagOf(headers, 'x-ms-requires-sync');
