// The containers of List Containers (protocol: blob-requests#lists).
import { formatHttpDate } from '#base';
import type { SeenContainer } from '#blobs';
import { elementOf, formatListMetadata } from '../../shared/storage-list-xml.js';
import { quotedEtag } from '../request/conditions.js';
import { formatLease } from './lease-elements.js';

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
