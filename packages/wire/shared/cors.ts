// Evaluates an account's CORS rules for preflights and for actual requests (protocol: cors).
// The server reads the request's headers and refuses a preflight that no rule allows.
import type { CorsRule } from '#account';

type Headers = readonly (readonly [name: string, value: string])[];

const allowsAll = ({ allowedOrigins }: CorsRule): boolean => allowedOrigins.includes('*');

const allowsOrigin = (rule: CorsRule, origin: string): boolean =>
  allowsAll(rule) || rule.allowedOrigins.includes(origin);

/** A name, or a prefix with a final `*`. Case is ignored. */
function matchesHeader(pattern: string, header: string): boolean {
  const lower = pattern.toLowerCase();
  const name = header.toLowerCase();
  return lower.endsWith('*') ? name.startsWith(lower.slice(0, -1)) : name === lower;
}

const matchesAny = (patterns: readonly string[], header: string): boolean =>
  patterns.some(pattern => matchesHeader(pattern, header));

/**
 * The headers of the answer to a preflight, from the first rule that allows origin, method and every header;
 * undefined if none does.
 *
 * @param requestHeaders the value of Access-Control-Request-Headers.
 */
export function preflight(
  rules: readonly CorsRule[],
  origin: string,
  method: string,
  requestHeaders: string | undefined,
): Headers | undefined {
  const names = (requestHeaders ?? '').split(',').map(name => name.trim());
  const asked = names.filter(name => name !== '');
  const rule = rules.find(
    candidate =>
      allowsOrigin(candidate, origin) &&
      candidate.allowedMethods.includes(method) &&
      asked.every(name => matchesAny(candidate.allowedHeaders, name)),
  );
  if (!rule) return undefined;
  const headers: (readonly [string, string])[] = [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Allow-Methods', method],
  ];
  if (requestHeaders) headers.push(['Access-Control-Allow-Headers', requestHeaders]);
  headers.push(['Access-Control-Max-Age', String(rule.maxAgeSeconds)]);
  headers.push(['Access-Control-Allow-Credentials', 'true']);
  return headers;
}

/**
 * The CORS headers of the answer to an actual request. A request that no rule allows is answered
 * too: the browser withholds the answer from the page.
 *
 * @param responseHeaderNames the names that `*` and prefixes of ExposedHeaders are looked up in.
 */
export function corsHeaders(
  rules: readonly CorsRule[],
  origin: string | undefined,
  method: string,
  responseHeaderNames: readonly string[],
): Headers {
  if (rules.length === 0) return [];
  const headers: (readonly [string, string])[] = [];
  const rule = rules.find(
    candidate =>
      origin !== undefined && allowsOrigin(candidate, origin) && candidate.allowedMethods.includes(method),
  );
  // Also without an Origin: a cache must not serve a page an answer to a request without an Origin. But an answer that is the same for
  // all origins does not vary (protocol: cors#actual-requests).
  const isForAll = rule === undefined ? rules.every(allowsAll) : allowsAll(rule);
  if (!isForAll && (method === 'GET' || method === 'HEAD')) headers.push(['Vary', 'Origin']);
  if (origin === undefined || rule === undefined) return headers;
  const exposed = responseHeaderNames.filter(name => matchesAny(rule.exposedHeaders, name));
  if (exposed.length > 0) headers.push(['Access-Control-Expose-Headers', exposed.join(',')]);
  if (allowsAll(rule)) headers.push(['Access-Control-Allow-Origin', '*']);
  else headers.push(['Access-Control-Allow-Origin', origin], ['Access-Control-Allow-Credentials', 'true']);
  return headers;
}
