// The targets of the Blob service as values, and their grammar: the container and the blob that a path names, and the query
// (protocol: blob-requests#paths). Names and the kind of operation are checked later, after authentication.

import { decode, parseStorageQuery } from '../shared/parse-query.js';
import type { ServiceRoute, TargetGrammar } from '../shared/target.js';

export type BlobResource =
  /** A path without a resource; it is refused after authentication. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'service' }
  /** One segment: a container, or a blob of the root container unless the query names a container. */
  | { readonly kind: 'container'; readonly container: string }
  | { readonly kind: 'blob'; readonly container: string; readonly blob: string };

/** Parameters of the query are known by names in lower case; of a name given twice, the values are joined by commas, in order. */
export type BlobRoute = ServiceRoute<BlobResource>;

/** The container of blobs whose path names none (protocol: blob-requests#paths). */
const ROOT_CONTAINER = '$root';

/** The container or the blob that is meant; both are empty where there is none. */
export interface BlobAddress {
  readonly container: string;
  /** Empty for a container. */
  readonly blob: string;
}

const CONTAINER_TYPES: ReadonlySet<string> = new Set(['container', 'account']);

/** A path of one segment is a container if the query has `restype=container` or `account`. */
export function blobAddressOf({ resource, query }: Pick<BlobRoute, 'resource' | 'query'>): BlobAddress {
  switch (resource.kind) {
    case 'blob':
      return { container: resource.container, blob: resource.blob };
    case 'container': {
      const isContainer = CONTAINER_TYPES.has(query.get('restype')?.toLowerCase() ?? '');
      return isContainer
        ? { container: resource.container, blob: '' }
        : { container: ROOT_CONTAINER, blob: resource.container };
    }
    case 'invalid':
    case 'service':
      return { container: '', blob: '' };
  }
}

/** As shared access signatures name it: `container`, or `container/blob`. */
export function signedNameOf({ container, blob }: BlobAddress): string {
  return blob === '' ? container : `${container}/${blob}`;
}

/**
 * `path` begins without a slash. The first slash ends the container; all that follows, decoded once, is the blob: slashes that are escaped are
 * those that are not. A backslash is a slash in a blob's name, as the clients take it for when they sign; nothing else is normalized.
 */
function parseResource(path: string): BlobResource {
  if (path === '') return { kind: 'service' };
  const slash = path.indexOf('/');
  const container = decode(slash < 0 ? path : path.slice(0, slash));
  if (container === '') return { kind: 'invalid' };
  const blob = slash < 0 ? '' : decode(path.slice(slash + 1)).replaceAll('\\', '/');
  return blob === '' ? { kind: 'container', container } : { kind: 'blob', container, blob };
}

export const BLOB_GRAMMAR: TargetGrammar<BlobResource> = { parseQuery: parseStorageQuery, parseResource };
