// Parses the target of a request to the Queue service into a route, in path style and host style (protocol: requests#addresses). Whether
// names keep their rules, and which operation it is, is decided later, once the caller is known.
import { ServiceError } from '#account';
import { decode } from '../shared/parse-query.js';
import { accountOfHost, ORIGIN_FORM, type Target, withoutSecondary } from '../table/parse-target.js';
import { parseStorageQuery } from './parse-storage-query.js';
import type { QueueResource, QueueRoute } from './queue-route.js';

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();
const INVALID: QueueResource = { kind: 'invalid' };

/** `path` begins without a slash; it is taken apart before it is decoded, so that no escaped slash makes segments. */
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

/** @throws ServiceError InvalidUri where no account is named or the escapes are broken. */
export function parseQueueTarget(
  { target, host = '', secure }: Target,
  isAccount: (name: string) => boolean,
): QueueRoute {
  const relative = target.startsWith('/') ? target : target.replace(ORIGIN_FORM, '');
  const question = relative.indexOf('?');
  const path = question < 0 ? relative : relative.slice(0, question);
  const query = question < 0 ? NO_PARAMETERS : parseStorageQuery(relative.slice(question + 1));
  const origin = `${secure ? 'https' : 'http'}://${host}`;
  const ofHost = accountOfHost(host, isAccount);
  const slash = path.indexOf('/', 1);
  const named = ofHost ?? decode(slash < 0 ? path.slice(1) : path.slice(1, slash));
  if (named === '') throw new ServiceError('InvalidUri');
  const rest = ofHost !== undefined ? path.slice(1) : slash < 0 ? '' : path.slice(slash + 1);
  const account = withoutSecondary(named);
  return {
    account,
    secondary: named !== account,
    path: path === '' ? '/' : path,
    endpoint: ofHost === undefined ? `${origin}/${named}` : origin,
    resource: parseResource(withoutLastSlash(rest)),
    query,
  };
}
