// The grammar of the Blob service's targets: the container and the blob that a path names, and the query (protocol: blob-requests#paths).
// Names and the kind of operation are checked later, after authentication.
import { decode } from '../shared/parse-query.js';
import { parseStorageQuery } from '../shared/parse-storage-query.js';
import type { TargetGrammar } from '../shared/target.js';
import type { BlobResource } from './blob-route.js';

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
