// The headers that become properties of a blob, and what else a write of a whole blob sets (protocol: blob-requests#content-headers).
import type { Metadata } from '#account';
import { type ContentProperties, checkBlobMetadata, type PublicAccess, TIERS, type WholeBlob } from '#blobs';
import { parseMetadata } from '../../shared/storage-parameters.js';
import { conditionsOf } from './conditions.js';
import { type Headers, invalidHeader, sent, storedMd5Of } from './header-values.js';
import { tagsOfHeader } from './tags.js';

const TYPE_DEFAULT = 'application/octet-stream';

/** Of the requests that set properties alone: what is not sent is cleared. */
export const contentPropertiesOf = (headers: Headers): ContentProperties => ({
  contentType: sent(headers, 'x-ms-blob-content-type'),
  contentEncoding: sent(headers, 'x-ms-blob-content-encoding'),
  contentLanguage: sent(headers, 'x-ms-blob-content-language'),
  contentDisposition: sent(headers, 'x-ms-blob-content-disposition'),
  cacheControl: sent(headers, 'x-ms-blob-cache-control'),
  contentMd5: storedMd5Of(headers, 'x-ms-blob-content-md5'),
});

/** The plain headers describe a body that is the content; the service's own headers win. */
function propertiesOfBody(headers: Headers): ContentProperties {
  const own = contentPropertiesOf(headers);
  return {
    contentType: own.contentType ?? sent(headers, 'content-type') ?? TYPE_DEFAULT,
    contentEncoding: own.contentEncoding ?? sent(headers, 'content-encoding'),
    contentLanguage: own.contentLanguage ?? sent(headers, 'content-language'),
    contentDisposition: own.contentDisposition,
    cacheControl: own.cacheControl ?? sent(headers, 'cache-control'),
    contentMd5: own.contentMd5,
  };
}

export const CONTENT_HEADERS = [
  'x-ms-blob-content-type',
  'x-ms-blob-content-encoding',
  'x-ms-blob-content-language',
  'x-ms-blob-content-disposition',
  'x-ms-blob-cache-control',
  'x-ms-blob-content-md5',
] as const;

/** @throws BlobError EmptyMetadataKey, InvalidMetadata, MetadataTooLarge. */
export function metadataOf(headers: Headers): Metadata {
  const metadata = parseMetadata(headers);
  checkBlobMetadata(metadata);
  return metadata;
}

const TIER_NAMES: ReadonlyMap<string, string> = new Map([...TIERS].map(tier => [tier.toLowerCase(), tier]));

/** Clients send tiers in any case; answers have Azure's spelling (protocol: blobs#tiers). */
export const tierNamed = (text: string): string => TIER_NAMES.get(text.toLowerCase()) ?? text;

export function tierOf(headers: Headers): string | undefined {
  const text = sent(headers, 'x-ms-access-tier');
  return text === undefined ? undefined : tierNamed(text);
}

/** `body`: the request's body is the content. Else its type is of something else: a list of blocks. */
export function wholeBlobOf(headers: Headers, of: 'body' | 'else'): WholeBlob {
  const own = of === 'body' ? propertiesOfBody(headers) : contentPropertiesOf(headers);
  return {
    properties: own.contentType === undefined ? { ...own, contentType: TYPE_DEFAULT } : own,
    metadata: metadataOf(headers),
    tags: tagsOfHeader(headers),
    tier: tierOf(headers),
    conditions: conditionsOf(headers),
  };
}

/** @throws BlobError InvalidHeaderValue. */
export function publicAccessOf(headers: Headers): PublicAccess {
  const name = 'x-ms-blob-public-access';
  const text = sent(headers, name);
  if (text === undefined) return 'private';
  const level = text.toLowerCase();
  if (level === 'container' || level === 'blob') return level;
  // The oldest versions' word for all of it.
  if (level === 'true') return 'container';
  throw invalidHeader(name, text);
}
