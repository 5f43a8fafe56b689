// The target of a request, the common part of all services: account, endpoint, path and query, in path style and in host style (protocol:
// requests#addresses). Each service has its own grammar for the path below the account and for the query.
import { ServiceError } from '#account';
import { decode } from './parse-query.js';

export interface Target {
  /** As it was sent; the absolute form is legal. */
  readonly target: string;
  readonly headers: { readonly host?: string | undefined };
  readonly secure: boolean;
}

export interface ServiceRoute<Resource = unknown> {
  /** Without the suffix `-secondary`. */
  readonly account: string;
  readonly secondary: boolean;
  /** The path as it was sent, still encoded, with the account where the path has it: the signed path. */
  readonly path: string;
  /** Another path that a part of a batch may have been signed with (protocol: blob-requests#batches). */
  readonly alsoSigned?: string;
  /** The endpoint that the client used, as `http://127.0.0.1:10002/devstoreaccount1`, without a slash at its end. */
  readonly endpoint: string;
  readonly resource: Resource;
  /** The query's parameters, decoded by the service's rules. */
  readonly query: ReadonlyMap<string, string>;
}

/** The parts of targets that differ between services: a value of each. */
export interface TargetGrammar<Resource> {
  readonly parseQuery: (text: string) => ReadonlyMap<string, string>;
  /** `path` is the path below the account, still encoded; it begins without a slash. */
  readonly parseResource: (path: string) => Resource;
}

export const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();
export const SECONDARY = '-secondary';
const ORIGIN_FORM = /^https?:\/\/[^/?]*/i;
/** The path, of it the first segment and what is below that, and the query. */
const PATH_AND_QUERY = /^(\/([^/?]*)(?:\/([^?]*))?)?(?:\?(.*))?$/;
/** The first label of a host that is no address. */
const LABEL = /^(?![\d.]+(?::\d+)?$)([^.]+)\./;

/** The names of the accounts that the server has. */
export type AccountNames = Pick<ReadonlySet<string>, 'has'>;

/** The account of a host such as `account.table.example`, if the server has it; else the account is in the path. */
function accountOfHost(host: string, accounts: AccountNames): string | undefined {
  const label = LABEL.exec(host)?.[1]?.toLowerCase();
  return label !== undefined && accounts.has(withoutSecondary(label)) ? label : undefined;
}

const withoutSecondary = (name: string): string =>
  name.endsWith(SECONDARY) ? name.slice(0, -SECONDARY.length) : name;

/**
 * The target of a part of a batch as that of a request: without scheme and host, and with the slash that clients may leave out, for routing and for signing
 * alike (protocol: batches#requests).
 */
export function targetOfPart(target: string): string {
  const relative = target.replace(ORIGIN_FORM, '');
  return relative.startsWith('/') ? relative : `/${relative}`;
}

/** @throws ServiceError InvalidUri for a path without a leading slash, a missing account or invalid escapes. */
export function parseTarget<Resource>(
  { target, headers: { host = '' }, secure }: Target,
  accounts: AccountNames,
  { parseQuery, parseResource }: TargetGrammar<Resource>,
): ServiceRoute<Resource> {
  const relative = target.startsWith('/') ? target : target.replace(ORIGIN_FORM, '');
  const [whole, path = '', first = '', below = '', query] = PATH_AND_QUERY.exec(relative) ?? [];
  const origin = `${secure ? 'https' : 'http'}://${host}`;
  const ofHost = accountOfHost(host, accounts);
  const named = ofHost ?? (first.includes('%') ? decode(first) : first);
  if (named === '' || whole === undefined) throw new ServiceError('InvalidUri');
  const account = withoutSecondary(named);
  return {
    account,
    secondary: named !== account,
    path: path === '' ? '/' : path,
    endpoint: ofHost === undefined ? `${origin}/${named}` : origin,
    resource: parseResource(ofHost === undefined ? below : path.slice(1)),
    query: query === undefined ? NO_PARAMETERS : parseQuery(query),
  };
}

/**
 * The route of a part of a batch, whose Host is the batch's. In path style some clients leave the account out, some of these sign it anyway, and
 * .NET leaves the slash out before it (protocol: blob-requests#batches).
 *
 * @throws ServiceError InvalidUri for another account of the server, or as of a request.
 */
export function parseTargetOfPart<Resource>(
  part: Target,
  batch: ServiceRoute,
  accounts: AccountNames,
  grammar: TargetGrammar<Resource>,
): ServiceRoute<Resource> {
  const target = targetOfPart(part.target);
  const route = parseTarget({ ...part, target }, accounts, grammar);
  const prefix = `/${batch.account}${batch.secondary ? SECONDARY : ''}`;
  if (route.account === batch.account) {
    const isWithoutSlash = part.target.startsWith(prefix.slice(1)) && batch.endpoint.endsWith(prefix);
    return isWithoutSlash ? { ...route, alsoSigned: route.path.slice(prefix.length) } : route;
  }
  if (accounts.has(route.account)) throw new ServiceError('InvalidUri');
  const inAccount = parseTarget({ ...part, target: prefix + target }, accounts, grammar);
  return { ...inAccount, path: inAccount.path.slice(prefix.length), alsoSigned: inAccount.path };
}
