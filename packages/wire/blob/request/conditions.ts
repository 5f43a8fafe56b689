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
  type SourceConditions,
  type TagExpression,
  type TierConditions,
} from '#blobs';
import { bigOf, dateOf, guidOf, type Headers, sent, wholeHeader } from './header-values.js';
import { parseTagCondition } from './tag-languages.js';

const ETAG_HEADERS = ['if-match', 'if-none-match'];
const DATE_HEADERS = ['if-modified-since', 'if-unmodified-since'];
type ContentConditions = Omit<Conditions, 'ifTags' | 'leaseId'>;

/** The pairs that may come together; any other two may not. */
const PAIRS: ReadonlySet<string> = new Set([
  'if-match if-unmodified-since',
  'if-none-match if-modified-since',
]);

const CONDITION_HEADERS = [...ETAG_HEADERS, ...DATE_HEADERS, 'x-ms-if-tags', 'x-ms-lease-id'];

function hasConditions(headers: Headers): boolean {
  for (const name of CONDITION_HEADERS) if (sent(headers, name) !== undefined) return true;
  return false;
}

function checkTogether(headers: Headers, prefix: string): void {
  const names = [...ETAG_HEADERS, ...DATE_HEADERS].filter(
    name => sent(headers, `${prefix}${name}`) !== undefined,
  );
  if (names.length > 2 || (names.length === 2 && !PAIRS.has(names.join(' '))))
    throw new BlobError('MultipleConditionHeadersNotSupported');
}

const etagsOf = (headers: Headers, name: string): Conditions['ifMatch'] => {
  const text = sent(headers, name);
  return text === undefined ? undefined : parseEtags(text);
};

/** @throws BlobError InvalidQueryParameterValue, InvalidHeaderValue for an expression that cannot be read. */
export function tagsConditionOf(headers: Headers, prefix = 'x-ms-'): TagExpression | undefined {
  const name = `${prefix}if-tags`;
  const text = sent(headers, name);
  if (text === undefined) return undefined;
  const expression = parseTagCondition(text);
  if (expression === undefined) throw new BlobError('InvalidHeaderValue', { name, value: text });
  return expression;
}

export const leaseIdOf = (headers: Headers): string | undefined => guidOf(headers, 'x-ms-lease-id');

/** Those of one prefix, each as it was sent. */
const allConditions = (headers: Headers, prefix: string): ContentConditions => ({
  ifMatch: etagsOf(headers, `${prefix}if-match`),
  ifNoneMatch: etagsOf(headers, `${prefix}if-none-match`),
  ifModifiedSince: dateOf(headers, `${prefix}if-modified-since`),
  ifUnmodifiedSince: dateOf(headers, `${prefix}if-unmodified-since`),
});

/** Of a pair that may come together the ETag alone counts. */
function pairedConditions(headers: Headers, prefix: string): ContentConditions {
  checkTogether(headers, prefix);
  const sent = allConditions(headers, prefix);
  return {
    ...sent,
    ifModifiedSince: sent.ifNoneMatch === undefined ? sent.ifModifiedSince : undefined,
    ifUnmodifiedSince: sent.ifMatch === undefined ? sent.ifUnmodifiedSince : undefined,
  };
}

export const conditionsOf = (headers: Headers): Conditions =>
  hasConditions(headers)
    ? { ...pairedConditions(headers, ''), ifTags: tagsConditionOf(headers), leaseId: leaseIdOf(headers) }
    : NO_CONDITIONS;

/** Of Get Blob and Get Blob Properties, where all may come together. */
export const readConditionsOf = (headers: Headers): Conditions =>
  hasConditions(headers)
    ? { ...allConditions(headers, ''), ifTags: tagsConditionOf(headers), leaseId: leaseIdOf(headers) }
    : NO_CONDITIONS;

/** Containers have no conditions on ETags. */
export function containerConditionsOf(headers: Headers): ContainerConditions {
  if (ETAG_HEADERS.some(name => sent(headers, name) !== undefined))
    throw new BlobError('ConditionHeadersNotSupported');
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

const OF_BLOB = 'x-ms-blob-';

/** Of requests on tags, where the conditions on the blob have names of their own. */
export function tagsConditionsOf(headers: Headers): Conditions {
  return {
    ...pairedConditions(headers, OF_BLOB),
    ifTags: tagsConditionOf(headers),
    leaseId: leaseIdOf(headers),
  };
}

const OF_TIER = 'x-ms-access-tier-';

export const tierConditionsOf = (headers: Headers): TierConditions => ({
  ifModifiedSince: dateOf(headers, `${OF_TIER}if-modified-since`),
  ifUnmodifiedSince: dateOf(headers, `${OF_TIER}if-unmodified-since`),
});

const SOURCE = 'x-ms-source-';

export function sourceConditionsOf(headers: Headers): SourceConditions {
  return {
    ...pairedConditions(headers, SOURCE),
    ifTags: tagsConditionOf(headers, SOURCE),
    leaseId: guidOf(headers, `${SOURCE}lease-id`),
  };
}

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
export function checkAppendEtags(condition: EtagCondition | undefined): void {
  if (condition === undefined || condition === 'any') return;
  if (condition.some(tick => tick < FIRST_OF_APPENDS && tick !== NO_ETAG))
    throw new BlobError('OutOfRangeInput');
}
