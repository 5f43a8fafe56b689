// The conditional headers of a request, the lease that it names (protocol: blob-requests#conditional-headers), and ETags of containers and
// blobs: a tick, as Azure writes it (protocol: blob-requests#etags).
import {
  type AppendConditions,
  BlobError,
  type Conditions,
  type ContainerConditions,
  type EtagCondition,
  NO_CONDITIONS,
  NO_ETAG,
  type PageConditions,
  type TagExpression,
  type TierConditions,
} from '#blobs';
import { bigOf, dateOf, guidOf, type Headers, sent, wholeHeader } from './header-values.js';
import { parseTagCondition } from './tag-languages.js';

function hasAny(headers: Headers, names: readonly string[]): boolean {
  for (const name of names) if (sent(headers, name) !== undefined) return true;
  return false;
}

const etagsOf = (headers: Headers, name: string): Conditions['ifMatch'] => {
  const text = sent(headers, name);
  return text === undefined ? undefined : parseEtags(text);
};

/** @throws BlobError InvalidHeaderValue for an expression that cannot be read. */
export function tagsConditionOf(headers: Headers, name = 'x-ms-if-tags'): TagExpression | undefined {
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  const expression = parseTagCondition(text);
  if (expression === undefined) throw new BlobError('InvalidHeaderValue', { name, value: text });
  return expression;
}

export const leaseIdOf = (headers: Headers): string | undefined => guidOf(headers, 'x-ms-lease-id');

/**
 * If-Match goes with If-Unmodified-Since and If-None-Match with If-Modified-Since, where the ETag alone counts; no other two go together, unless all do.
 * Names are made once: a header is looked up eight times slower by a text that was just joined.
 *
 * @param prefix of the conditions on ETags and times. `own`: of those on tags and the lease.
 */
function conditionsReader(prefix: string, own = 'x-ms-', mayAll = false): (headers: Headers) => Conditions {
  const match = `${prefix}if-match`;
  const noneMatch = `${prefix}if-none-match`;
  const since = `${prefix}if-modified-since`;
  const unmodified = `${prefix}if-unmodified-since`;
  const tags = `${own}if-tags`;
  const lease = `${own}lease-id`;
  const some = [match, unmodified];
  const others = [noneMatch, since];
  const names = [...some, ...others, tags, lease];
  return headers => {
    if (!hasAny(headers, names)) return NO_CONDITIONS;
    if (!mayAll && hasAny(headers, some) && hasAny(headers, others))
      throw new BlobError('MultipleConditionHeadersNotSupported');
    const [ifMatch, ifNoneMatch] = [etagsOf(headers, match), etagsOf(headers, noneMatch)];
    const [ifModifiedSince, ifUnmodifiedSince] = [dateOf(headers, since), dateOf(headers, unmodified)];
    return {
      ifMatch,
      ifNoneMatch,
      ifModifiedSince: mayAll || ifNoneMatch === undefined ? ifModifiedSince : undefined,
      ifUnmodifiedSince: mayAll || ifMatch === undefined ? ifUnmodifiedSince : undefined,
      ifTags: tagsConditionOf(headers, tags),
      leaseId: guidOf(headers, lease),
    };
  };
}

export const conditionsOf = conditionsReader('');
/** Of Get Blob and Get Blob Properties, where all may come together. */
export const readConditionsOf = conditionsReader('', 'x-ms-', true);
/** Of requests on tags, where the conditions on the blob have names of their own. */
export const tagsConditionsOf = conditionsReader('x-ms-blob-');
export const sourceConditionsOf = conditionsReader('x-ms-source-', 'x-ms-source-');

/** Containers have no conditions on ETags. */
export function containerConditionsOf(headers: Headers): ContainerConditions {
  if (hasAny(headers, ['if-match', 'if-none-match'])) throw new BlobError('ConditionHeadersNotSupported');
  return {
    ifModifiedSince: dateOf(headers, 'if-modified-since'),
    ifUnmodifiedSince: dateOf(headers, 'if-unmodified-since'),
    leaseId: leaseIdOf(headers),
  };
}

/** A negative number gets another error than a text that is not a number (protocol: page-blobs#sequence-numbers). */
function sequenceNumberOf(headers: Headers, name: string): bigint | undefined {
  if (/^-\d+$/.test(headers[name] ?? '')) throw new BlobError('InvalidInput');
  return bigOf(headers, name);
}

export const pageConditionsOf = (headers: Headers): PageConditions => ({
  ...conditionsOf(headers),
  sequenceNumberAtMost: sequenceNumberOf(headers, 'x-ms-if-sequence-number-le'),
  sequenceNumberBelow: sequenceNumberOf(headers, 'x-ms-if-sequence-number-lt'),
  sequenceNumberEqual: sequenceNumberOf(headers, 'x-ms-if-sequence-number-eq'),
});

/** With all members written out: a spread costs more than the rest. */
export function appendConditionsOf(headers: Headers): AppendConditions {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifTags, leaseId } = conditionsOf(headers);
  return {
    ifMatch,
    ifNoneMatch,
    ifModifiedSince,
    ifUnmodifiedSince,
    ifTags,
    leaseId,
    appendPosition: wholeHeader(headers, 'x-ms-blob-condition-appendpos'),
    maxSize: wholeHeader(headers, 'x-ms-blob-condition-maxsize'),
  };
}

export const tierConditionsOf = (headers: Headers): TierConditions => ({
  ifModifiedSince: dateOf(headers, 'x-ms-access-tier-if-modified-since'),
  ifUnmodifiedSince: dateOf(headers, 'x-ms-access-tier-if-unmodified-since'),
});

/** 100 ns from year one to 1970, where our ticks begin. */
const TICKS_BEFORE = 621_355_968_000_000_000n;
const HEX = /^0x[0-9A-F]{1,16}$/i;

/** Without quotes, as in lists of blobs. */
export const etagText = (tick: bigint): string => `0x${(tick + TICKS_BEFORE).toString(16).toUpperCase()}`;

export const quotedEtag = (tick: bigint): string => `"${etagText(tick)}"`;

/** Quotes may be missing: lists of blobs give ETags without. */
function tickOf(text: string): bigint {
  const bare = text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text;
  return HEX.test(bare) ? BigInt(bare) - TICKS_BEFORE : NO_ETAG;
}

export function parseEtags(text: string): EtagCondition {
  const items = text.split(',').map(item => item.trim());
  if (items.includes('*')) return 'any';
  return items.map(tickOf);
}

/** Of the year 1601, where times of Windows begin. */
const FIRST_OF_APPENDS = -116_444_736_000_000_000n;

/** @throws BlobError OutOfRangeInput: Append Block reads an ETag as a time of Windows (recorded). */
function checkAppendEtags(condition: EtagCondition | undefined): void {
  if (condition === undefined || condition === 'any') return;
  if (condition.some(tick => tick < FIRST_OF_APPENDS && tick !== NO_ETAG))
    throw new BlobError('OutOfRangeInput');
}

export function appendBlockConditionsOf(headers: Headers): AppendConditions {
  const conditions = appendConditionsOf(headers);
  checkAppendEtags(conditions.ifMatch);
  return conditions;
}
