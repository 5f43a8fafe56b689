// The entries of lists: blobs of List Blobs and of Find Blobs by Tags, containers of List Containers (protocol: blob-requests#lists).
import { formatDateTimeFull, formatHttpDate } from '#base';
import type { BlobProperties, CopyState, FoundBlob, ListedBlob, SeenContainer } from '#blobs';
import { elementOf, elementOrEmpty, formatListMetadata } from '../../shared/storage-list-xml.js';
import { escapeXml } from '../../shared/xml.js';
import { hasSnapshotTiers, SMART, TIER_NOW, VERSION_OF_CREATION } from '../blob-headers.js';
import { etagText, quotedEtag } from '../request/conditions.js';
import { formatTagSet } from '../request/content-headers.js';
import { formatLease } from './lease-elements.js';

/** What of a blob is shown. */
interface Shown {
  /** What `include` asked for. */
  readonly included: ReadonlySet<string>;
  readonly version: string;
}

/** What XML cannot hold, and blobs may be named. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const formatName = (name: string): string =>
  NOT_IN_XML.test(name)
    ? `<Name Encoded="true">${encodeURIComponent(name)}</Name>`
    : `<Name>${escapeXml(name)}</Name>`;

function formatCopy({ id, source, status, copied, total, completed }: CopyState): string {
  const what = `<CopyId>${id}</CopyId>${elementOf('CopySource', source)}<CopyStatus>${status}</CopyStatus>`;
  const progress = `<CopyProgress>${copied}/${total}</CopyProgress>`;
  return (
    what +
    progress +
    elementOf('CopyCompletionTime', completed === undefined ? '' : formatHttpDate(completed))
  );
}

function formatTier({ snapshot, tier }: BlobProperties, version: string): string {
  if (tier !== undefined)
    return (
      `<AccessTier>${tier.name}</AccessTier>` +
      `<AccessTierChangeTime>${formatHttpDate(tier.changed)}</AccessTierChangeTime>` +
      elementOf('SmartAccessTier', tier.name === SMART ? TIER_NOW : undefined)
    );
  return snapshot === undefined || hasSnapshotTiers(version)
    ? '<AccessTier>Hot</AccessTier><AccessTierInferred>true</AccessTierInferred>'
    : '';
}

function formatContent({ length, properties }: BlobProperties): string {
  return (
    `<Content-Length>${length}</Content-Length>` +
    elementOrEmpty('Content-Type', properties.contentType) +
    elementOrEmpty('Content-Encoding', properties.contentEncoding) +
    elementOrEmpty('Content-Language', properties.contentLanguage) +
    elementOrEmpty('Content-MD5', properties.contentMd5?.toString('base64')) +
    elementOrEmpty('Cache-Control', properties.cacheControl) +
    elementOrEmpty('Content-Disposition', properties.contentDisposition)
  );
}

function formatProperties(blob: BlobProperties, { included, version }: Shown): string {
  const { stamp, lease, copy } = blob;
  const modified = formatHttpDate(stamp.lastModified);
  let text =
    version < VERSION_OF_CREATION ? '' : `<Creation-Time>${formatHttpDate(blob.created)}</Creation-Time>`;
  text += `<Last-Modified>${modified}</Last-Modified>`;
  text += `<Etag>${etagText(stamp.etag)}</Etag>${formatContent(blob)}`;
  text += elementOf('x-ms-blob-sequence-number', blob.sequenceNumber?.toString());
  text += `<BlobType>${blob.type}</BlobType>${formatTier(blob, version)}`;
  if (lease !== undefined) text += formatLease(lease, version);
  if (copy !== undefined && included.has('copy')) text += formatCopy(copy);
  text += '<ServerEncrypted>true</ServerEncrypted>';
  if (blob.isSealed) text += '<Sealed>true</Sealed>';
  if (blob.tagCount > 0) text += `<TagCount>${blob.tagCount}</TagCount>`;
  return `<Properties>${text}</Properties>`;
}

/** A blob that has only uncommitted blocks. */
const formatUncommitted = (version: string): string =>
  '<Properties><Content-Length>0</Content-Length><BlobType>BlockBlob</BlobType><AccessTier>Hot</AccessTier>' +
  `<AccessTierInferred>true</AccessTierInferred>${formatLease({ state: 'available', duration: undefined }, version)}` +
  '<ServerEncrypted>false</ServerEncrypted></Properties>';

export function formatListedBlob(entry: ListedBlob, shown: Shown): string {
  const { included, version } = shown;
  const name = formatName(entry.name);
  if (entry.kind === 'prefix') return `<BlobPrefix>${name}</BlobPrefix>`;
  if (entry.kind === 'uncommitted') return `<Blob>${name}${formatUncommitted(version)}</Blob>`;
  const { blob } = entry;
  const snapshot = elementOf(
    'Snapshot',
    blob.snapshot === undefined ? '' : formatDateTimeFull(blob.snapshot),
  );
  const metadata = included.has('metadata') ? formatListMetadata(blob.metadata) : '';
  const tags = included.has('tags') && blob.tags.length > 0 ? formatTagSet(blob.tags) : '';
  return `<Blob>${name}${snapshot}${formatProperties(blob, shown)}${metadata}${tags}</Blob>`;
}

export const formatFoundBlob = ({ container, blob, tags }: FoundBlob): string =>
  `<Blob>${formatName(blob)}${elementOf('ContainerName', container)}${formatTagSet(tags)}</Blob>`;

/** From this version on, answers include whether each version of a blob can have holds (protocol: blob-requests#answers). */
export const VERSIONED_HOLDS_VERSION = '2020-10-02';

export function formatContainer(
  { name, stamp, metadata, publicAccess, lease }: SeenContainer,
  withMetadata: boolean,
  version: string,
): string {
  const times = `<Last-Modified>${formatHttpDate(stamp.lastModified)}</Last-Modified><Etag>${quotedEtag(stamp.etag)}</Etag>`;
  const access = publicAccess === 'private' ? '' : elementOf('PublicAccess', publicAccess);
  const holds = '<HasImmutabilityPolicy>false</HasImmutabilityPolicy><HasLegalHold>false</HasLegalHold>';
  const ofVersions =
    version >= VERSIONED_HOLDS_VERSION
      ? '<ImmutableStorageWithVersioningEnabled>false</ImmutableStorageWithVersioningEnabled>'
      : '';
  const properties = `<Properties>${times}${formatLease(lease, version)}${access}${holds}${ofVersions}</Properties>`;
  const pairs = withMetadata ? formatListMetadata(metadata) : '';
  return `<Container>${elementOf('Name', name)}${properties}${pairs}</Container>`;
}
