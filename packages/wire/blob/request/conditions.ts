// The conditional headers of a request, and the lease that it names (protocol: blob-requests#conditional-headers).
import {
  BlobError,
  type Conditions,
  type ContainerConditions,
  NO_CONDITIONS,
  type PageConditions,
  type SourceConditions,
  type TagExpression,
  type TierConditions,
} from '#blobs';
import { parseEtags } from './etag.js';
import { bigOf, dateOf, guidOf, type Headers, sent } from './header-values.js';
import { parseTagExpression } from './tag-expression.js';

const ETAG_HEADERS = ['if-match', 'if-none-match'];
const DATE_HEADERS = ['if-modified-since', 'if-unmodified-since'];
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
  const expression = parseTagExpression(text);
  if (expression === undefined) throw new BlobError('InvalidHeaderValue', { name, value: text });
  return expression;
}

export const leaseIdOf = (headers: Headers): string | undefined => guidOf(headers, 'x-ms-lease-id');

export function conditionsOf(headers: Headers): Conditions {
  if (!hasConditions(headers)) return NO_CONDITIONS;
  checkTogether(headers, '');
  return {
    ifMatch: etagsOf(headers, 'if-match'),
    ifNoneMatch: etagsOf(headers, 'if-none-match'),
    ifModifiedSince: dateOf(headers, 'if-modified-since'),
    ifUnmodifiedSince: dateOf(headers, 'if-unmodified-since'),
    ifTags: tagsConditionOf(headers),
    leaseId: leaseIdOf(headers),
  };
}

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

/** A negative number is told as another fault than a text that is no number (protocol: page-blobs#sequence-numbers). */
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

const OF_BLOB = 'x-ms-blob-';

/** Of requests on tags, where the conditions on the blob have names of their own. */
export function tagsConditionsOf(headers: Headers): Conditions {
  checkTogether(headers, OF_BLOB);
  return {
    ifMatch: etagsOf(headers, `${OF_BLOB}if-match`),
    ifNoneMatch: etagsOf(headers, `${OF_BLOB}if-none-match`),
    ifModifiedSince: dateOf(headers, `${OF_BLOB}if-modified-since`),
    ifUnmodifiedSince: dateOf(headers, `${OF_BLOB}if-unmodified-since`),
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
  checkTogether(headers, SOURCE);
  return {
    ifMatch: etagsOf(headers, `${SOURCE}if-match`),
    ifNoneMatch: etagsOf(headers, `${SOURCE}if-none-match`),
    ifModifiedSince: dateOf(headers, `${SOURCE}if-modified-since`),
    ifUnmodifiedSince: dateOf(headers, `${SOURCE}if-unmodified-since`),
    ifTags: tagsConditionOf(headers, SOURCE),
    leaseId: guidOf(headers, `${SOURCE}lease-id`),
  };
}
