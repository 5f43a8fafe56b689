// Shared access signatures (SAS) of accounts, and the common part of those of services: parses them from a query and builds the strings to sign
// (protocol: sas). The server has the keys, the policies and the clock.
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
  /** The parameters as they were sent: what the signature covers. */
  readonly query: ReadonlyMap<string, string>;
  readonly version: string;
  readonly signature: string;
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

/** A SAS of one table or one queue. The stored policy that `identifier` names may supply undefined fields. */
export interface ServiceSas extends SignedFields {
  readonly kind: 'serviceSas';
  /** The table or the queue, as spelled in the request. */
  readonly resource: string;
  readonly identifier: string | undefined;
  /** Permission letters of the service, in any order. */
  readonly permission: string | undefined;
  readonly expiry: bigint | undefined;
  /** The key range, for services that have one. */
  readonly range: KeyRange | undefined;
}

const VERSION = /^\d{4}-\d\d-\d\d$/;
/** The first version with `sv`. */
export const VERSION_OF_SIGNED_VERSION = '2012-02-12';
/** The version of a signature without `sv`, which blobs alone have (protocol: sas#blob-string). */
const VERSION_OF_BLOB_SAS = '2009-07-17';
export const VERSION_OF_SERVICE_IN_RESOURCE = '2015-02-21';
/** The first version with accounts' signatures, and with signed addresses and protocols. */
export const VERSION_OF_ACCOUNT_SAS = '2015-04-05';
export const VERSION_OF_ENCRYPTION_SCOPE = '2020-12-06';
const PROTOCOLS: ReadonlySet<string> = new Set(['https', 'https,http', 'http,https']);

/** The client sees `detail` too: it contains only what the client sent. */
export const refuse = (detail: string): ServiceError =>
  new ServiceError('AuthenticationFailed:Sas', { detail, reason: detail });

/** An empty parameter signs the same string as one that is left out, so it must mean the same. */
export function field(query: ReadonlyMap<string, string>, name: string): string | undefined {
  return query.get(name) || undefined;
}

export function mandatory(query: ReadonlyMap<string, string>, name: string): string {
  const value = field(query, name);
  if (value === undefined) throw refuse(`${name} is mandatory. Cannot be empty`);
  return value;
}

function timeOf(name: string, text: string): bigint {
  const ticks = parseDateTime(text, YEAR_ONE);
  if (ticks === undefined) throw refuse(`${name} is not well formed.`);
  return ticks;
}

function parseTime(query: ReadonlyMap<string, string>, name: string): bigint | undefined {
  const text = field(query, name);
  return text === undefined ? undefined : timeOf(name, text);
}

export const mandatoryTime = (query: ReadonlyMap<string, string>, name: string): bigint =>
  timeOf(name, mandatory(query, name));

function parseAddresses(query: ReadonlyMap<string, string>): IpRange | undefined {
  const text = field(query, 'sip');
  if (text === undefined) return undefined;
  const addresses = parseIpRange(text);
  if (!addresses) throw refuse('sip is not well formed.');
  return addresses;
}

function versionOf(query: ReadonlyMap<string, string>, first: string, isOptional: boolean): string {
  if (isOptional && field(query, 'sv') === undefined) return VERSION_OF_BLOB_SAS;
  const version = mandatory(query, 'sv');
  if (VERSION.test(version) && version >= first) return version;
  throw refuse('sv is not well formed or not supported.');
}

function parseSignedFields(
  query: ReadonlyMap<string, string>,
  versionFirst: string,
  { fields: more, hasUnversioned = false }: Pick<SasGrammar, 'fields' | 'hasUnversioned'>,
): SignedFields {
  const repeated = repeatedOf(query, SIGNATURE_AND_PARAMETERS) ?? repeatedOf(query, more);
  if (repeated !== undefined) throw refuse(`${repeated} is not well formed: it comes more than once.`);
  const version = versionOf(query, versionFirst, hasUnversioned);
  const protocol = field(query, 'spr') ?? 'https,http';
  if (!PROTOCOLS.has(protocol)) throw refuse('spr is not well formed.');
  const signature = mandatory(query, 'sig');
  const fault = signatureFault(signature);
  if (fault !== undefined) throw refuse(fault);
  return {
    query,
    version,
    signature,
    start: parseTime(query, 'st'),
    addresses: parseAddresses(query),
    httpsOnly: protocol === 'https',
  };
}

export function parseAccountSas(query: ReadonlyMap<string, string>): AccountSas {
  const fields = parseSignedFields(query, VERSION_OF_ACCOUNT_SAS, { fields: [] });
  const expiry = mandatoryTime(query, 'se');
  return {
    ...fields,
    kind: 'accountSas',
    services: mandatory(query, 'ss'),
    resourceTypes: mandatory(query, 'srt'),
    permission: mandatory(query, 'sp'),
    expiry,
  };
}

/** The parts that differ between services. Fields are parsed in this order, because the first error is reported. */
export interface SasGrammar {
  /** The parameters that the signatures of no other service have. */
  readonly fields: readonly string[];
  /** Whether there are signatures without `sv`. */
  readonly hasUnversioned?: boolean;
  /** The permission letters of the service. */
  readonly letters: RegExp;
  resourceOf(query: ReadonlyMap<string, string>): string;
  rangeOf(query: ReadonlyMap<string, string>): KeyRange | undefined;
}

/**
 * Parses the SAS of one table or queue.
 *
 * @throws ServiceError AuthenticationFailed:Sas where a field is missing or malformed.
 */
export function parseServiceSas(query: ReadonlyMap<string, string>, grammar: SasGrammar): ServiceSas {
  const { version, signature, start, addresses, httpsOnly } = parseSignedFields(
    query,
    VERSION_OF_SIGNED_VERSION,
    grammar,
  );
  const permission = field(query, 'sp');
  if (permission !== undefined && !grammar.letters.test(permission)) throw refuse('sp is not well formed.');
  return {
    kind: 'serviceSas',
    query,
    version,
    signature,
    start,
    addresses,
    httpsOnly,
    resource: grammar.resourceOf(query),
    identifier: field(query, 'si'),
    permission,
    expiry: parseTime(query, 'se'),
    range: grammar.rangeOf(query),
  };
}

/** Whether the signature in a query that has `sig` is an account's: one that names services or resource types. */
export const isAccountSas = (query: ReadonlyMap<string, string>): boolean =>
  query.has('ss') || query.has('srt');

const joinFields = (query: ReadonlyMap<string, string>, names: readonly string[]): string =>
  names.map(name => query.get(name) ?? '').join('\n');

const ACCOUNT_FIELDS = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv'];
const ACCOUNT_FIELDS_WITH_SCOPE = [...ACCOUNT_FIELDS, 'ses'];
const TIME_FIELDS = ['sp', 'st', 'se'];
const POLICY_FIELDS = ['si', 'sv'];
const POLICY_FIELDS_WITH_ADDRESS = ['si', 'sip', 'spr', 'sv'];

/** Every line of an account's string ends in a line feed (protocol: sas#account-string). */
export function accountSasStringToSign({ query, version }: AccountSas, account: string): string {
  const names = version >= VERSION_OF_ENCRYPTION_SCOPE ? ACCOUNT_FIELDS_WITH_SCOPE : ACCOUNT_FIELDS;
  return `${account}\n${joinFields(query, names)}\n`;
}

/**
 * A service's string names the resource between the times and the fields of the policy, and has no line feed at its end
 * (protocol: sas#table-string, sas#queue-string). Since 2015 the resource begins with the service, and addresses and protocols are signed.
 *
 * @param more further fields of the service.
 */
export function serviceSasStringToSign(
  { query, version, resource }: ServiceSas,
  account: string,
  service: string,
  more: readonly string[],
): string {
  const prefix = version >= VERSION_OF_SERVICE_IN_RESOURCE ? `/${service}` : '';
  const fields = version >= VERSION_OF_ACCOUNT_SAS ? POLICY_FIELDS_WITH_ADDRESS : POLICY_FIELDS;
  return `${joinFields(query, TIME_FIELDS)}\n${prefix}/${account}/${resource}\n${joinFields(query, [...fields, ...more])}`;
}

/** Every parameter of an account SAS, and the common ones of services, that is signed or checked. */
const PARAMETERS = ['sv', 'ss', 'srt', 'sp', 'st', 'se', 'sip', 'spr', 'ses', 'si'] as const;
const SIGNATURE_AND_PARAMETERS: readonly string[] = ['sig', ...PARAMETERS];

/**
 * The identity of a token: equal texts have equal strings to sign. It contains no secret.
 *
 * @param more further parameters of the service.
 */
export function sasIdentity(query: ReadonlyMap<string, string>, more: readonly string[]): string {
  return identityOf(query, PARAMETERS) + identityOf(query, more);
}

function identityOf(query: ReadonlyMap<string, string>, names: readonly string[]): string {
  let identity = '';
  for (const name of names) {
    const value = query.get(name);
    if (value !== undefined) identity += `${name}=${value.length}:${value};`;
  }
  return identity;
}

const QUEUE_LETTERS = /^[raup]+$/;

/** The signature covers the queue in the path, which no parameter names (protocol: sas#queue-string). @throws ServiceError AuthenticationFailed:Sas. */
export const parseQueueSas = (query: ReadonlyMap<string, string>, queue: string): ServiceSas =>
  parseServiceSas(query, {
    fields: [],
    letters: QUEUE_LETTERS,
    resourceOf: () => queue,
    rangeOf: () => undefined,
  });

export const queueSasStringToSign = (sas: ServiceSas, account: string): string =>
  serviceSasStringToSign(sas, account, 'queue', []);
