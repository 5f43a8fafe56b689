// The targets of the Queue service as values, and their grammar: the resource that a path names, and the query (protocol:
// requests#addresses). Names and the kind of operation are checked later, after authentication.

import { decode, parseStorageQuery } from '../shared/parse-query.js';
import type { ServiceRoute, TargetGrammar } from '../shared/target.js';

export type QueueResource =
  /** A path without a resource; it is refused after authentication. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'service' }
  | { readonly kind: 'queue'; readonly queue: string }
  | { readonly kind: 'messages'; readonly queue: string }
  | { readonly kind: 'message'; readonly queue: string; readonly id: string };

/** Parameters of the query are known by names in lower case; of a name given twice, the values are joined by commas, in order. */
export type QueueRoute = ServiceRoute<QueueResource>;

/** The queue of a request; empty where there is none. */
export const queueOf = ({ resource }: QueueRoute): string => ('queue' in resource ? resource.queue : '');

const INVALID: QueueResource = { kind: 'invalid' };

/** `path` begins without a slash; it is split before it is decoded, so that escaped slashes do not separate segments. */
function parseResource(path: string): QueueResource {
  if (path === '') return { kind: 'service' };
  const [queue = '', messages, id, more] = path.split('/').map(decode);
  if (queue === '' || more !== undefined) return INVALID;
  if (messages === undefined) return { kind: 'queue', queue };
  if (messages.toLowerCase() !== 'messages') return INVALID;
  return id === undefined ? { kind: 'messages', queue } : { kind: 'message', queue, id };
}

const withoutLastSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

export const QUEUE_GRAMMAR: TargetGrammar<QueueResource> = {
  parseQuery: parseStorageQuery,
  parseResource: path => parseResource(withoutLastSlash(path)),
};
