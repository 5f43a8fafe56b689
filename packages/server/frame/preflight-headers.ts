// The answer to a preflight by a service's CORS rules. They come without credentials, and ask about a request that is still to come.
import { type CorsRule, ServiceError } from '#account';
import type { WireRequest } from '#base';
import { type Header, preflight } from '#wire';

/** @throws ServiceError InvalidHeaderValue:Cors, CorsPreflightFailure. */
export function preflightHeaders({ headers }: WireRequest, rules: readonly CorsRule[]): readonly Header[] {
  const { origin } = headers;
  const method = headers['access-control-request-method'];
  if (origin === undefined || method === undefined) throw new ServiceError('InvalidHeaderValue:Cors');
  const more = preflight(rules, origin, method, headers['access-control-request-headers']);
  if (!more) throw new ServiceError('CorsPreflightFailure');
  return more;
}
