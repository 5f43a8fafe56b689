// The grammar of the Queue service's targets: the resource that a path names, and the query (protocol: requests#addresses). Names
// and the kind of operation are checked later, after authentication.
import { decode } from '../shared/parse-query.js';
import { parseStorageQuery } from '../shared/parse-storage-query.js';
import type { TargetGrammar } from '../shared/target.js';
import type { QueueResource } from './queue-route.js';

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
