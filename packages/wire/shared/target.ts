// The target of a request, the common part of all services: account, endpoint, path and query, in path style and in host style (protocol:
// requests#addresses). Each service has its own grammar for the path below the account, and for the query one of the two parsers here, which
// cache the parameters of repeated queries. The cache key of a query with a signature is the query without it: the signature is a secret and is
// compared in constant time. The server checks whether it is valid.
import { ServiceError } from '#account';
import { detachedString, memo } from '#base';

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

type Parameters = ReadonlyMap<string, string>;

/** Point queries and writes with a signature send the same query each time. */
const QUERIES_KEPT = { entriesMax: 1000, lengthMax: 512 };
const SIGNATURE = 'sig=';
const FURTHER_SIGNATURE = '&sig=';

/** Malformed escapes make the whole target invalid. */
export function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceError('InvalidUri');
  }
}

/**
 * The parameters of a query in which a name came more than once; parsers return a plain map where every name came once. Which of its values counts is the
 * service's rule; a signature that covers the name refuses the request (protocol: authentication#parameters-that-come-twice).
 */
export class RepeatedParameters extends Map<string, string> {
  readonly names: ReadonlySet<string>;

  constructor(parameters: ReadonlyMap<string, string>, names: ReadonlySet<string>) {
    super(parameters);
    this.names = names;
  }
}

/** The first of the names that came more than once. */
export const repeatedOf = (
  query: ReadonlyMap<string, string>,
  names: readonly string[],
): string | undefined =>
  query instanceof RepeatedParameters ? names.find(name => query.names.has(name)) : undefined;

/** With comparison in constant time. Bytes are compared by node's own function, where there is one (server/auth/authenticate.ts). */
export class SecretText {
  /** Its UTF-16 units, which are faster to read than a string's. */
  readonly #units: Uint16Array;

  constructor(text: string) {
    this.#units = Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  }

  /** Whether it is the text at that position. Takes the same time for any difference; the length is not secret. */
  isAt(text: string, from: number, until: number): boolean {
    const units = this.#units;
    if (until - from !== units.length) return false;
    let difference = 0;
    for (let i = 0; i < units.length; i++) difference |= text.charCodeAt(from + i) ^ (units[i] ?? 0);
    return difference === 0;
  }
}

/** A plus sign and `%20` both mean a space, except in the Base64 of `sig` (protocol: requests#query-strings). Of a name given twice the first counts. */
function parseOfTables(text: string): Parameters {
  const parameters = new Map<string, string>();
  let repeated: Set<string> | undefined;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode((equals < 0 ? pair : pair.slice(0, equals)).replaceAll('+', ' '));
    const encoded = equals < 0 ? '' : pair.slice(equals + 1);
    const value = decode(name === 'sig' ? encoded : encoded.replaceAll('+', ' '));
    if (!parameters.has(name)) parameters.set(name, value);
    else repeated = (repeated ?? new Set()).add(name);
  }
  return repeated === undefined ? parameters : new RepeatedParameters(parameters, repeated);
}

interface Signed {
  readonly signature: SecretText;
  readonly parameters: Parameters;
}

/**
 * The same parsing, which gives the same object for a query that is still cached.
 */
export function remembered(
  parseAnew: (text: string) => Parameters,
  isKept: (text: string) => boolean = () => true,
): (text: string) => Parameters {
  /** The name may also be escaped, which no client does: such a query is parsed each time. */
  const parsePlain = memo(parseAnew, QUERIES_KEPT, parameters => !parameters.has('sig'));
  /** The key is the query without the signature's value. */
  const signed = new Map<string, Signed>();
  const parseSigned = (text: string, from: number): Parameters => {
    const next = text.indexOf('&', from);
    const until = next < 0 ? text.length : next;
    const rest = next < 0 ? text.slice(0, from) : text.slice(0, from) + text.slice(until);
    const known = signed.get(rest);
    if (known?.signature.isAt(text, from, until)) return known.parameters;
    const own = detachedString(text);
    const parameters = parseAnew(own);
    if (text.length > QUERIES_KEPT.lengthMax) return parameters;
    if (signed.size >= QUERIES_KEPT.entriesMax) signed.clear();
    signed.set(detachedString(rest), { signature: new SecretText(own.slice(from, until)), parameters });
    return parameters;
  };
  return text => {
    if (!isKept(text)) return parseAnew(text);
    if (text.startsWith(SIGNATURE)) return parseSigned(text, SIGNATURE.length);
    const at = text.indexOf(FURTHER_SIGNATURE);
    return at < 0 ? parsePlain(text) : parseSigned(text, at + FURTHER_SIGNATURE.length);
  };
}

export const parseQuery = remembered(parseOfTables);

/** Their values are base64, where a plus sign that a client forgot to encode can't be meant as a space. */
const IN_BASE64: ReadonlySet<string> = new Set(['blockid', 'popreceipt', 'sig']);

const withSpaces = (text: string): string => (text.includes('+') ? text.replaceAll('+', ' ') : text);

function parseOfStorage(text: string): Parameters {
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals)).toLowerCase();
    const encoded = equals < 0 ? '' : pair.slice(equals + 1);
    const value = decode(IN_BASE64.has(name) ? encoded : withSpaces(encoded));
    const others = values.get(name);
    if (others) others.push(value);
    else values.set(name, [value]);
  }
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, all] of values) {
    if (all.length > 1) repeated.add(name);
    parameters.set(name, all.length === 1 ? (all[0] ?? '') : all.sort().join(','));
  }
  return repeated.size === 0 ? parameters : new RepeatedParameters(parameters, repeated);
}

/**
 * Of the Blob and Queue services: names are in lower case, and a plus sign is a space but in base64 (protocol: requests#query-strings).
 * A query with a receipt occurs once or twice, so it is not cached.
 *
 * @throws ServiceError InvalidUri for invalid escapes.
 */
export const parseStorageQuery = remembered(parseOfStorage, text => !text.includes('popreceipt='));
