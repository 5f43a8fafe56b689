// The document of List Containers (protocol: blob-requests#lists).
import { formatHttpDate } from '#base';
import type { SeenContainer } from '#blobs';
import {
  attributeText,
  elementOf,
  elementOrEmpty,
  formatListMetadata,
} from '../../shared/storage-list-xml.js';
import { XML_HEAD } from '../../shared/xml.js';
import { quotedEtag } from '../request/conditions.js';
import { formatLease } from './lease-elements.js';

/** From this version on, answers include whether each version of a blob can have holds (protocol: blob-requests#answers). */
export const VERSIONED_HOLDS_VERSION = '2020-10-02';

export interface ListedContainers {
  /** As in `http://127.0.0.1:10000/devstoreaccount1/`. */
  readonly endpoint: string;
  readonly prefix: string | undefined;
  readonly marker: string | undefined;
  readonly pageSize: number | undefined;
  readonly containers: readonly SeenContainer[];
  readonly withMetadata: boolean;
  readonly version: string;
  /** The name at which the next page begins. */
  readonly nextMarker: string | undefined;
}

function formatContainer(
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

/** Starts with a byte order mark. */
export function formatContainerList(list: ListedContainers): string {
  const { endpoint, prefix, marker, pageSize, containers, withMetadata, version, nextMarker } = list;
  const asked =
    elementOf('Prefix', prefix) + elementOf('Marker', marker) + elementOf('MaxResults', pageSize?.toString());
  let entries = '';
  for (const container of containers) entries += formatContainer(container, withMetadata, version);
  const all = entries === '' ? '<Containers />' : `<Containers>${entries}</Containers>`;
  const next = elementOrEmpty('NextMarker', nextMarker);
  return `${XML_HEAD}<EnumerationResults ServiceEndpoint="${attributeText(endpoint)}">${asked}${all}${next}</EnumerationResults>`;
}
