// The targets of the Queue service as values, their grammar, and which operation a request is: from its method, its resource and its query
// alone, so that the caller's rights are checked before what they sent (protocol: requests#addresses, queues#paths). Names are checked later,
// after authentication.
import { type OperationKind, QueueError } from '#queues';
import { decode, parseStorageQuery, type ServiceRoute, type TargetGrammar } from '../shared/target.js';

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

export type QueueOperationKind = OperationKind;

type Verbs = Readonly<Partial<Record<string, QueueOperationKind>>>;

const LIST: Verbs = { GET: 'listQueues' };
const PROPERTIES: Verbs = { GET: 'getServiceProperties', PUT: 'setServiceProperties' };
const STATS: Verbs = { GET: 'getServiceStats' };
const QUEUE: Verbs = { PUT: 'createQueue', DELETE: 'deleteQueue' };
const METADATA: Verbs = { GET: 'getQueueMetadata', HEAD: 'getQueueMetadata', PUT: 'setQueueMetadata' };
const ACL: Verbs = { GET: 'getQueueAcl', HEAD: 'getQueueAcl', PUT: 'setQueueAcl' };
const MESSAGES: Verbs = { GET: 'getMessages', POST: 'putMessage', DELETE: 'clearMessages' };
const MESSAGE: Verbs = { PUT: 'updateMessage', DELETE: 'deleteMessage' };

function byVerb(verbs: Verbs, method: string): QueueOperationKind {
  const kind = Object.hasOwn(verbs, method) ? verbs[method] : undefined;
  if (kind === undefined) throw new QueueError('UnsupportedHttpVerb');
  return kind;
}

const badParameter = (name: string, value: string | undefined): QueueError =>
  value === undefined
    ? new QueueError('MissingRequiredQueryParameter', { name })
    : new QueueError('InvalidQueryParameterValue', { name, value });

function serviceKind({ query, secondary }: QueueRoute, method: string): QueueOperationKind {
  const comp = query.get('comp')?.toLowerCase();
  if (comp === 'list') return byVerb(LIST, method);
  if (comp !== 'properties' && comp !== 'stats') throw badParameter('comp', query.get('comp'));
  const restype = query.get('restype');
  if (restype?.toLowerCase() !== 'service') throw badParameter('restype', restype);
  if (comp === 'properties') return byVerb(PROPERTIES, method);
  const kind = byVerb(STATS, method);
  // Stats exist on the secondary endpoint only.
  if (!secondary) throw badParameter('comp', query.get('comp'));
  return kind;
}

function queueKind({ query }: QueueRoute, method: string): QueueOperationKind {
  const comp = query.get('comp')?.toLowerCase();
  if (comp === 'metadata') return byVerb(METADATA, method);
  if (comp === 'acl') return byVerb(ACL, method);
  if (comp !== undefined) throw badParameter('comp', query.get('comp'));
  if (method === 'GET' || method === 'HEAD') throw badParameter('comp', undefined);
  return byVerb(QUEUE, method);
}

/** `true` alone is a peek. */
function messagesKind({ query }: QueueRoute, method: string): QueueOperationKind {
  const kind = byVerb(MESSAGES, method);
  const isPeek = kind === 'getMessages' && query.get('peekonly')?.toLowerCase() === 'true';
  return isPeek ? 'peekMessages' : kind;
}

/** @throws QueueError where the resource does not exist or has no such operation. */
export function queueOperationKind(method: string, route: QueueRoute): QueueOperationKind {
  switch (route.resource.kind) {
    case 'invalid':
      throw new QueueError('InvalidUri');
    case 'service':
      return serviceKind(route, method);
    case 'queue':
      return queueKind(route, method);
    case 'messages':
      return messagesKind(route, method);
    case 'message':
      return byVerb(MESSAGE, method);
  }
}
