// Headers that describe a blob: with its content, without it, and with a part of it (protocol: blob-requests#answers).
import { formatDateTimeFull, formatHttpDate } from '#base';
import type { BlobProperties, ContentProperties, CopyState } from '#blobs';
import type { Header } from '../shared/answer.js';
import { formatMetadata } from '../shared/storage-exchange.js';
import { quotedEtag } from './request/conditions.js';
import { addLeaseHeaders } from './xml/lease-elements.js';

/** Earlier versions return neither a blob's creation time nor, with a part of it, the digest of the whole. */
export const VERSION_OF_CREATION = '2017-11-09';
const VERSION_OF_ENCRYPTION = '2015-12-11';
const VERSION_OF_TIERS = '2017-04-17';
/** From this version on, answers with content include the tier. */
const VERSION_OF_TIERS_READ = '2026-10-06';

const ACCEPT_RANGES: Header = ['Accept-Ranges', 'bytes'];
const ENCRYPTED: Header = ['x-ms-server-encrypted', 'true'];

function copyHeaders({ id, source, status, copied, total, completed }: CopyState): Header[] {
  const headers: Header[] = [
    ['x-ms-copy-id', id],
    ['x-ms-copy-source', source],
    ['x-ms-copy-status', status],
    ['x-ms-copy-progress', `${copied}/${total}`],
  ];
  if (completed !== undefined) headers.push(['x-ms-copy-completion-time', formatHttpDate(completed)]);
  return headers;
}

/** What a shared access signature puts in the place of a blob's properties. */
export type Overrides = Omit<ContentProperties, 'contentMd5'>;

interface ContentFacts {
  readonly type: string | undefined;
  readonly headers: readonly Header[];
}

/** The headers of the content itself, before the server's name. `range`: what of it is sent, if not all. */
export function contentFacts(
  blob: BlobProperties,
  overrides: Overrides | undefined,
  range: { readonly from: number; readonly until: number } | undefined,
): ContentFacts {
  const { properties, stamp } = blob;
  const { contentMd5 } = properties;
  const encoding = overrides?.contentEncoding ?? properties.contentEncoding;
  const language = overrides?.contentLanguage ?? properties.contentLanguage;
  const disposition = overrides?.contentDisposition ?? properties.contentDisposition;
  const cacheControl = overrides?.cacheControl ?? properties.cacheControl;
  const headers: Header[] = [];
  if (encoding !== undefined) headers.push(['Content-Encoding', encoding]);
  if (language !== undefined) headers.push(['Content-Language', language]);
  if (disposition !== undefined) headers.push(['Content-Disposition', disposition]);
  if (cacheControl !== undefined) headers.push(['Cache-Control', cacheControl]);
  if (range !== undefined)
    headers.push(['Content-Range', `bytes ${range.from}-${range.until - 1}/${blob.length}`]);
  else if (contentMd5 !== undefined) headers.push(['Content-MD5', contentMd5.toString('base64')]);
  headers.push(['Last-Modified', formatHttpDate(stamp.lastModified)], ACCEPT_RANGES, [
    'ETag',
    quotedEtag(stamp.etag),
  ]);
  return { type: overrides?.contentType ?? properties.contentType, headers };
}

function tierHeaders({ tier, snapshot }: BlobProperties, version: string): Header[] {
  if (tier !== undefined) {
    const headers: Header[] = [
      ['x-ms-access-tier', tier.name],
      ['x-ms-access-tier-change-time', formatHttpDate(tier.changed)],
    ];
    if (tier.name === SMART) headers.push(['x-ms-smart-access-tier', TIER_NOW]);
    return headers;
  }
  if (snapshot !== undefined && !hasSnapshotTiers(version)) return [];
  return [
    ['x-ms-access-tier', TIER_NOW],
    ['x-ms-access-tier-inferred', 'true'],
  ];
}

/** The properties of a blob as headers (protocol: blob-requests#answers). */
export function blobHeaders(blob: BlobProperties, version: string, isContent: boolean): Header[] {
  const headers: Header[] = blob.metadata.length === 0 ? [] : [...formatMetadata(blob.metadata)];
  if (version >= VERSION_OF_CREATION) headers.push(['x-ms-creation-time', formatHttpDate(blob.created)]);
  headers.push(['x-ms-blob-type', blob.type]);
  if (blob.lease !== undefined) addLeaseHeaders(blob.lease, headers);
  if (version >= VERSION_OF_ENCRYPTION) headers.push(ENCRYPTED);
  if (blob.committedBlocks !== undefined)
    headers.push(['x-ms-blob-committed-block-count', String(blob.committedBlocks)]);
  if (blob.isSealed) headers.push(['x-ms-blob-sealed', 'true']);
  if (blob.sequenceNumber !== undefined)
    headers.push(['x-ms-blob-sequence-number', String(blob.sequenceNumber)]);
  if (blob.copy !== undefined) headers.push(...copyHeaders(blob.copy));
  if (blob.tagCount > 0) headers.push(['x-ms-tag-count', String(blob.tagCount)]);
  if (blob.snapshot !== undefined) headers.push(['x-ms-snapshot', formatDateTimeFull(blob.snapshot)]);
  if (version >= (isContent ? VERSION_OF_TIERS_READ : VERSION_OF_TIERS))
    headers.push(...tierHeaders(blob, version));
  return headers;
}

/** The digest of the whole blob, in an answer with a part of it. */
export function addWholeDigest({ properties }: BlobProperties, version: string, headers: Header[]): void {
  const { contentMd5 } = properties;
  if (contentMd5 !== undefined && version >= VERSION_OF_CREATION)
    headers.push(['x-ms-blob-content-md5', contentMd5.toString('base64')]);
}

/** The tier by access, whose choice never changes here (protocol: blobs#tiers). */
export const SMART = 'Smart';
/** The tier that stands for it, and for none. */
export const TIER_NOW = 'Hot';

/** From this version on, snapshots can have tiers, and answers include them. */
const VERSION_OF_SNAPSHOTS = '2019-12-12';

export const hasSnapshotTiers = (version: string): boolean => version >= VERSION_OF_SNAPSHOTS;
