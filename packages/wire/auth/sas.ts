// Shared access signatures (SAS): parses those of accounts, and what those of all services have in common, into values with the string that they
// sign; which parameters each kind signs, and since when, is a table (protocol: sas). The server has the keys, the policies and the clock.
import { ServiceError } from '#account';
import { parseDateTime, YEAR_ONE } from '#base';
import { repeatedOf } from '../shared/target.js';
import { signatureFault } from './signature.js';
import type { KeyRange } from './table-sas.js';

/** The IPv4 addresses from which a signature may be used, as numbers, both ends in the range: `sip` (protocol: sas#fields). */
export interface IpRange {
  readonly first: number;
  readonly last: number;
}

const OCTETS = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function parseIp(text: string): number | undefined {
  const octets = OCTETS.exec(text)?.slice(1).map(Number);
  if (!octets || octets.some(octet => octet > 255)) return undefined;
  return octets.reduce((address, octet) => address * 256 + octet, 0);
}

/** `10.0.0.1` or `10.0.0.1-10.0.0.9`; undefined for any other text. */
export function parseIpRange(text: string): IpRange | undefined {
  const [firstText = '', lastText = firstText, ...more] = text.split('-');
  const first = parseIp(firstText);
  const last = parseIp(lastText);
  if (first === undefined || last === undefined || more.length > 0 || first > last) return undefined;
  return { first, last };
}

/** An IPv4 address may come as IPv6 (`::ffff:10.0.0.1`); any other IPv6 address is in no range. */
export function isInIpRange({ first, last }: IpRange, address: string): boolean {
  const ip = parseIp(address.replace(/^::ffff:/i, ''));
  return ip !== undefined && ip >= first && ip <= last;
}

interface SignedFields {
  readonly version: string;
  readonly signature: string;
  /** The string to sign. */
  readonly text: string;
  /** Ticks. */
  readonly start: bigint | undefined;
  readonly addresses: IpRange | undefined;
  readonly httpsOnly: boolean;
}

export interface AccountSas extends SignedFields {
  readonly kind: 'accountSas';
  readonly services: string;
  readonly resourceTypes: string;
  readonly permission: string;
  readonly expiry: bigint;
}

/** A SAS of one table, queue, container or blob. The stored policy that `identifier` names may supply undefined fields. */
export interface ServiceSas extends SignedFields {
  readonly kind: 'serviceSas';
  /** As spelled in the request. */
  readonly resource: string;
  readonly identifier: string | undefined;
  /** Permission letters of the service, in any order. */
  readonly permission: string | undefined;
  readonly expiry: bigint | undefined;
  /** The key range, for services that have one. */
  readonly range: KeyRange | undefined;
}

type Query = ReadonlyMap<string, string>;

/** The first version with `sv`. */
export const VERSION_OF_SIGNED_VERSION = '2012-02-12';
/** The first version whose resources begin with the service. */
const VERSION_OF_SERVICE_IN_RESOURCE = '2015-02-21';
/** The first version with accounts' signatures, and with signed addresses and protocols. */
const VERSION_OF_ACCOUNT_SAS = '2015-04-05';
/** The first version of signatures of snapshots, and by user delegation keys. */
export const VERSION_OF_RESOURCE_TYPE = '2018-11-09';
export const VERSION_OF_DELEGATED_USER = '2025-07-05';

/** A line of a string to sign: a parameter, or parameters that are signed from a version on. */
type Line = string | readonly [since: string, ...names: string[]];

const ADDRESSES: Line = [VERSION_OF_ACCOUNT_SAS, 'sip', 'spr'];
const SCOPE: Line = ['2020-12-06', 'ses'];
const OF_BLOB: readonly Line[] = [
  ADDRESSES,
  [VERSION_OF_SIGNED_VERSION, 'sv'],
  [VERSION_OF_RESOURCE_TYPE, 'sr', 'snapshot'],
  SCOPE,
];
export const VERSION_OF_OVERRIDES = '2013-08-15';
const OVERRIDES: Line = [VERSION_OF_OVERRIDES, 'rscc', 'rscd', 'rsce', 'rscl', 'rsct'];
export const KEY_FIELDS = ['skoid', 'sktid', 'skt', 'ske', 'sks', 'skv'];
/** Headers and parameters of the request that are signed: none. Names of parameters of blobs have no capitals. */
const OF_REQUEST: Line = ['2026-04-06', 'HEADERS', 'PARAMETERS'];

const BLOB_LINES: readonly Line[] = ['si', ...OF_BLOB, OVERRIDES];
const USER_DELEGATION_LINES: readonly Line[] = [
  ...KEY_FIELDS,
  ['2020-02-10', 'saoid', 'suoid', 'scid'],
  [VERSION_OF_DELEGATED_USER, 'skdutid', 'sduoid'],
  ...OF_BLOB,
  OF_REQUEST,
  OVERRIDES,
];
const ACCOUNT_LINES: readonly Line[] = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv', SCOPE];

/** Of a version, or all. */
const namesOf = (lines: readonly Line[], version = '9'): readonly string[] =>
  lines.flatMap(line => {
    if (typeof line === 'string') return line;
    const [since, ...names] = line;
    return version >= since ? names : [];
  });

/** No signature may have one of them twice. */
const COMMON = ['sig', 'si', ...namesOf(ACCOUNT_LINES)];

interface SasKind {
  readonly service: string;
  /** Behind the resource. */
  readonly lines: readonly Line[];
  /** What no signature of the service may have twice, in addition to the common ones. */
  readonly names: readonly string[];
}

const kind = (service: string, lines: readonly Line[], others: readonly Line[] = []): SasKind => ({
  service,
  lines,
  names: ['tn', ...namesOf([...lines, ...others])],
});

/** The kinds of services' signatures (protocol: sas#table-string, sas#queue-string, sas#blob-string, sas#user-delegation-string). */
const KINDS = {
  table: kind('table', ['si', ADDRESSES, 'sv', 'spk', 'srk', 'epk', 'erk']),
  queue: kind('queue', ['si', ADDRESSES, 'sv']),
  blob: kind('blob', BLOB_LINES, USER_DELEGATION_LINES),
  userDelegation: kind('blob', USER_DELEGATION_LINES, BLOB_LINES),
} as const;
const SIGNED: ReadonlySet<string> = new Set([
  ...COMMON,
  ...Object.values(KINDS).flatMap(({ names }) => names),
]);

/** The identity of a token: equal texts have equal strings to sign. It contains no secret. */
export function sasIdentity(query: Query): string {
  let identity = '';
  for (const [name, value] of query)
    if (name !== 'sig' && SIGNED.has(name)) identity += `${name}=${value.length}:${value};`;
  return identity;
}

/** A snapshot is signed by its own signature; that of a container signs none, and reads all. */
const linesOf = (query: Query, names: readonly string[]): string => {
  const unsigned = query.get('sr') === 'c' ? 'snapshot' : undefined;
  return names.map(name => (name === unsigned ? '' : (query.get(name) ?? ''))).join('\n');
};

/** The client sees `detail` too: it contains only what the client sent. */
export const refuse = (detail: string): ServiceError =>
  new ServiceError('AuthenticationFailed:Sas', { detail, reason: detail });

/** An empty parameter signs the same string as one that is left out, so it must mean the same. */
export const field = (query: Query, name: string): string | undefined => query.get(name) || undefined;

export function mandatory(query: Query, name: string): string {
  const value = field(query, name);
  if (value === undefined) throw refuse(`${name} is mandatory. Cannot be empty`);
  return value;
}

function parsed<Value>(
  query: Query,
  name: string,
  parse: (text: string) => Value | undefined,
): Value | undefined {
  const text = field(query, name);
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined) throw refuse(`${name} is not well formed.`);
  return value;
}

const timeIn = (query: Query, name: string): bigint | undefined =>
  parsed(query, name, text => parseDateTime(text, YEAR_ONE));

export function mandatoryTime(query: Query, name: string): bigint {
  mandatory(query, name);
  return timeIn(query, name) ?? 0n;
}

const VERSION = /^\d{4}-\d\d-\d\d$/;
const PROTOCOLS: ReadonlySet<string> = new Set(['https', 'https,http', 'http,https']);

/** @param names further parameters that are signed. `first`: the earliest version; `unversioned`: that of a signature without `sv`, if it may lack it. */
function signedFields(
  query: Query,
  names: readonly string[],
  { first, unversioned }: { readonly first: string; readonly unversioned?: string | undefined },
): Omit<SignedFields, 'text'> {
  const repeated = repeatedOf(query, COMMON) ?? repeatedOf(query, names);
  if (repeated !== undefined) throw refuse(`${repeated} is not well formed: it comes more than once.`);
  const sv = unversioned === undefined ? mandatory(query, 'sv') : field(query, 'sv');
  if (sv !== undefined && !(VERSION.test(sv) && sv >= first))
    throw refuse('sv is not well formed or not supported.');
  const protocol = parsed(query, 'spr', text => (PROTOCOLS.has(text) ? text : undefined));
  const signature = mandatory(query, 'sig');
  const fault = signatureFault(signature);
  if (fault !== undefined) throw refuse(fault);
  return {
    version: sv ?? unversioned ?? '',
    signature,
    start: timeIn(query, 'st'),
    addresses: parsed(query, 'sip', parseIpRange),
    httpsOnly: protocol === 'https',
  };
}

/** Whether the signature in a query that has `sig` is an account's: one that names services or resource types. */
export const isAccountSas = (query: Query): boolean => query.has('ss') || query.has('srt');

/** Every line of its string ends in a line feed (protocol: sas#account-string). @throws ServiceError AuthenticationFailed:Sas. */
export function parseAccountSas(query: Query, account: string): AccountSas {
  const fields = signedFields(query, [], { first: VERSION_OF_ACCOUNT_SAS });
  const expiry = mandatoryTime(query, 'se');
  return {
    ...fields,
    kind: 'accountSas',
    text: `${account}\n${linesOf(query, namesOf(ACCOUNT_LINES, fields.version))}\n`,
    services: mandatory(query, 'ss'),
    resourceTypes: mandatory(query, 'srt'),
    permission: mandatory(query, 'sp'),
    expiry,
  };
}

/** What the kinds of services' signatures differ in. */
export interface SasForm {
  readonly kind: keyof typeof KINDS;
  readonly letters: RegExp;
  /** The version of a signature without `sv`, where there are such. */
  readonly unversioned?: string;
  /** Called once the common fields are read, because the first error is reported. */
  resourceOf(query: Query): string;
  rangeOf?(query: Query): KeyRange | undefined;
}

/** Parses the SAS of one table, queue, container or blob. @throws ServiceError AuthenticationFailed:Sas. */
export function parseServiceSas(query: Query, account: string, form: SasForm): ServiceSas {
  const { unversioned, letters } = form;
  const { service, lines, names } = KINDS[form.kind];
  const fields = signedFields(query, names, { first: VERSION_OF_SIGNED_VERSION, unversioned });
  const { version } = fields;
  const permission = parsed(query, 'sp', text => (letters.test(text) ? text : undefined));
  const resource = form.resourceOf(query);
  const prefix = version >= VERSION_OF_SERVICE_IN_RESOURCE ? `/${service}` : '';
  // Names of tables are signed in lower case.
  const place = `${prefix}/${account}/${service === 'table' ? resource.toLowerCase() : resource}`;
  return {
    ...fields,
    kind: 'serviceSas',
    text: `${linesOf(query, ['sp', 'st', 'se'])}\n${place}\n${linesOf(query, namesOf(lines, version))}`,
    resource,
    identifier: field(query, 'si'),
    permission,
    expiry: timeIn(query, 'se'),
    range: form.rangeOf?.(query),
  };
}

/** The signature covers the queue in the path, which no parameter names (protocol: sas#queue-string). @throws ServiceError AuthenticationFailed:Sas. */
export const parseQueueSas = (query: Query, account: string, queue: string): ServiceSas =>
  parseServiceSas(query, account, {
    kind: 'queue',
    letters: /^[raup]+$/,
    resourceOf: () => queue,
  });
