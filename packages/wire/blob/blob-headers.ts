// The headers that tell of a blob: with its content, without it, and of a part of it (protocol: blob-requests#answers).
import { formatDateTimeFull, formatHttpDate } from '#base';
import type { BlobProperties, CopyState, Digests, Stamp } from '#blobs';
import type { Header } from '../shared/answer.js';
import { formatMetadata } from '../shared/storage-parameters.js';
import { quotedEtag } from './request/etag.js';
import { leaseHeaders } from './xml/lease-elements.js';

/** Earlier versions do not tell when a blob was made, nor the digest of the whole with a part of it. */
const VERSION_OF_CREATION = '2017-11-09';
const VERSION_OF_ENCRYPTION = '2015-12-11';
const VERSION_OF_TIERS = '2017-04-17';
const VERSION_OF_CRC64 = '2019-02-02';

export const stampHeaders = ({ etag, lastModified }: Stamp): readonly Header[] => [
  ['Last-Modified', formatHttpDate(lastModified)],
  ['ETag', quotedEtag(etag)],
];

/** Of what the request brought. */
export function digestHeaders(digests: Digests | undefined, version: string): readonly Header[] {
  if (digests === undefined) return [];
  const headers: Header[] = [];
  if (digests.md5 !== undefined) headers.push(['Content-MD5', digests.md5.toString('base64')]);
  if (version >= VERSION_OF_CRC64) headers.push(['x-ms-content-crc64', digests.crc64.toString('base64')]);
  return headers;
}

export const encrypted = (isIt = true): Header => ['x-ms-request-server-encrypted', String(isIt)];

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
export interface Overrides {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentLanguage: string | undefined;
  readonly contentDisposition: string | undefined;
  readonly cacheControl: string | undefined;
}

export interface ContentFacts {
  readonly type: string | undefined;
  readonly headers: readonly Header[];
}

/** The headers of the content itself, before the server's name. `range`: what of it is sent, if not all. */
export function contentFacts(
  blob: BlobProperties,
  overrides: Overrides | undefined,
  range: { readonly from: number; readonly until: number } | undefined,
): ContentFacts {
  const { properties } = blob;
  const shown = (name: keyof Overrides): string | undefined => overrides?.[name] ?? properties[name];
  const headers: Header[] = [];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) headers.push([name, value]);
  };
  add('Content-Encoding', shown('contentEncoding'));
  add('Content-Language', shown('contentLanguage'));
  add('Content-Disposition', shown('contentDisposition'));
  add('Cache-Control', shown('cacheControl'));
  if (range === undefined) add('Content-MD5', properties.contentMd5?.toString('base64'));
  else add('Content-Range', `bytes ${range.from}-${range.until - 1}/${blob.length}`);
  const [modified, etag] = stampHeaders(blob.stamp);
  if (modified) headers.push(modified);
  headers.push(['Accept-Ranges', 'bytes']);
  if (etag) headers.push(etag);
  return { type: shown('contentType'), headers };
}

function tierHeaders({ tier, snapshot }: BlobProperties): Header[] {
  if (tier !== undefined)
    return [
      ['x-ms-access-tier', tier.name],
      ['x-ms-access-tier-change-time', formatHttpDate(tier.changed)],
    ];
  if (snapshot !== undefined) return [];
  return [
    ['x-ms-access-tier', 'Hot'],
    ['x-ms-access-tier-inferred', 'true'],
  ];
}

/** What a blob shows besides its content. Tiers are told without the content alone (recorded). */
export function blobHeaders(blob: BlobProperties, version: string, isContent: boolean): readonly Header[] {
  const headers: Header[] = [...formatMetadata(blob.metadata)];
  if (version >= VERSION_OF_CREATION) headers.push(['x-ms-creation-time', formatHttpDate(blob.created)]);
  headers.push(['x-ms-blob-type', blob.type]);
  if (blob.lease !== undefined) headers.push(...leaseHeaders(blob.lease));
  if (version >= VERSION_OF_ENCRYPTION) headers.push(['x-ms-server-encrypted', 'true']);
  if (blob.committedBlocks !== undefined)
    headers.push(['x-ms-blob-committed-block-count', String(blob.committedBlocks)]);
  if (blob.isSealed) headers.push(['x-ms-blob-sealed', 'true']);
  if (blob.sequenceNumber !== undefined)
    headers.push(['x-ms-blob-sequence-number', String(blob.sequenceNumber)]);
  if (blob.copy !== undefined) headers.push(...copyHeaders(blob.copy));
  if (blob.tagCount > 0) headers.push(['x-ms-tag-count', String(blob.tagCount)]);
  if (blob.snapshot !== undefined) headers.push(['x-ms-snapshot', formatDateTimeFull(blob.snapshot)]);
  if (!isContent && version >= VERSION_OF_TIERS) headers.push(...tierHeaders(blob));
  return headers;
}

/** The digest of the whole, beside a part of it. */
export function wholeDigest({ properties }: BlobProperties, version: string): readonly Header[] {
  const { contentMd5 } = properties;
  return contentMd5 === undefined || version < VERSION_OF_CREATION
    ? []
    : [['x-ms-blob-content-md5', contentMd5.toString('base64')]];
}
