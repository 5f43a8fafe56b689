// Shared access signatures of accounts and tables: reading them from a query and building what they sign
// (protocol: sas). Keys, policies and the clock are the server's matter.
import { ServiceError } from '#account';
import { parseDateTime, YEAR_ONE } from '#base';
import { type IpRange, parseIpRange } from './ip-range.js';
import { type KeyRange, keyRange } from './key-range.js';

export interface SignedFields {
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

/** What is undefined may come from the stored policy that `identifier` names. */
export interface TableSas extends SignedFields {
  readonly kind: 'tableSas';
  readonly table: string;
  readonly identifier: string | undefined;
  readonly permission: string | undefined;
  readonly expiry: bigint | undefined;
  readonly range: KeyRange | undefined;
}

const VERSION = /^\d{4}-\d\d-\d\d$/;
/** The first version with `sv`; the forms before it are not supported. */
export const VERSION_FIRST = '2012-02-12';
export const VERSION_OF_SERVICE_IN_RESOURCE = '2015-02-21';
export const VERSION_OF_ACCOUNT_SAS = '2015-04-05';
const VERSION_OF_ENCRYPTION_SCOPE = '2020-12-06';
const TABLE_LETTERS = /^[raud]+$/;
const PROTOCOLS: ReadonlySet<string> = new Set(['https', 'https,http', 'http,https']);

/** `detail` is for the client too: it says nothing that the client did not send. */
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

export function parseTime(query: ReadonlyMap<string, string>, name: string): bigint | undefined {
  const text = field(query, name);
  if (text === undefined) return undefined;
  const ticks = parseDateTime(text, YEAR_ONE);
  if (ticks === undefined) throw refuse(`${name} is not well formed.`);
  return ticks;
}

function parseAddresses(query: ReadonlyMap<string, string>): IpRange | undefined {
  const text = field(query, 'sip');
  if (text === undefined) return undefined;
  const addresses = parseIpRange(text);
  if (!addresses) throw refuse('sip is not well formed.');
  return addresses;
}

export function parseSignedFields(query: ReadonlyMap<string, string>, versionFirst: string): SignedFields {
  const version = mandatory(query, 'sv');
  if (!VERSION.test(version) || version < versionFirst)
    throw refuse('sv is not well formed or not supported.');
  const protocol = field(query, 'spr') ?? 'https,http';
  if (!PROTOCOLS.has(protocol)) throw refuse('spr is not well formed.');
  return {
    query,
    version,
    signature: mandatory(query, 'sig'),
    start: parseTime(query, 'st'),
    addresses: parseAddresses(query),
    httpsOnly: protocol === 'https',
  };
}

export function parseAccountSas(query: ReadonlyMap<string, string>): AccountSas {
  const fields = parseSignedFields(query, VERSION_OF_ACCOUNT_SAS);
  const expiry = parseTime(query, 'se');
  if (expiry === undefined) throw refuse('se is mandatory. Cannot be empty');
  return {
    ...fields,
    kind: 'accountSas',
    services: mandatory(query, 'ss'),
    resourceTypes: mandatory(query, 'srt'),
    permission: mandatory(query, 'sp'),
    expiry,
  };
}

function parseTableSas(query: ReadonlyMap<string, string>): TableSas {
  const fields = parseSignedFields(query, VERSION_FIRST);
  const permission = field(query, 'sp');
  if (permission !== undefined && !TABLE_LETTERS.test(permission)) throw refuse('sp is not well formed.');
  return {
    ...fields,
    kind: 'tableSas',
    table: mandatory(query, 'tn'),
    identifier: field(query, 'si'),
    permission,
    expiry: parseTime(query, 'se'),
    range: parseRange(query),
  };
}

function parseRange(query: ReadonlyMap<string, string>): KeyRange | undefined {
  const bounds = {
    firstPartition: field(query, 'spk'),
    firstRow: field(query, 'srk'),
    lastPartition: field(query, 'epk'),
    lastRow: field(query, 'erk'),
  };
  if (bounds.firstRow !== undefined && bounds.firstPartition === undefined) throw refuse('srk requires spk.');
  if (bounds.lastRow !== undefined && bounds.lastPartition === undefined) throw refuse('erk requires epk.');
  return keyRange(bounds);
}

/**
 * The signature in a query that has `sig`: an account's if it names services or resource types, else a table's.
 *
 * @throws ServiceError AuthenticationFailed:Sas where a field is missing or malformed.
 */
export function parseSas(query: ReadonlyMap<string, string>): AccountSas | TableSas {
  return query.has('ss') || query.has('srt') ? parseAccountSas(query) : parseTableSas(query);
}

export const joinFields = (query: ReadonlyMap<string, string>, names: readonly string[]): string =>
  names.map(name => query.get(name) ?? '').join('\n');

const ACCOUNT_FIELDS = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv'];
const ACCOUNT_FIELDS_WITH_SCOPE = [...ACCOUNT_FIELDS, 'ses'];
export const TIME_FIELDS = ['sp', 'st', 'se'];
const POLICY_FIELDS = ['si', 'sv', 'spk', 'srk', 'epk', 'erk'];
const POLICY_FIELDS_WITH_ADDRESS = ['si', 'sip', 'spr', 'sv', 'spk', 'srk', 'epk', 'erk'];

/** Every line of an account's string ends in a line feed (protocol: sas#account-string). */
export function accountSasStringToSign({ query, version }: AccountSas, account: string): string {
  const names = version >= VERSION_OF_ENCRYPTION_SCOPE ? ACCOUNT_FIELDS_WITH_SCOPE : ACCOUNT_FIELDS;
  return `${account}\n${joinFields(query, names)}\n`;
}

/** A table's string has no line feed at its end (protocol: sas#table-string). */
export function sasStringToSign(sas: AccountSas | TableSas, account: string): string {
  if (sas.kind === 'accountSas') return accountSasStringToSign(sas, account);
  const { query, version } = sas;
  const service = version >= VERSION_OF_SERVICE_IN_RESOURCE ? '/table' : '';
  const resource = `${service}/${account}/${sas.table.toLowerCase()}`;
  const names = version >= VERSION_OF_ACCOUNT_SAS ? POLICY_FIELDS_WITH_ADDRESS : POLICY_FIELDS;
  return `${joinFields(query, TIME_FIELDS)}\n${resource}\n${joinFields(query, names)}`;
}

/** Every parameter that a signature may be made of or checked by, but the signature itself. */
const PARAMETERS = [
  'sv',
  'ss',
  'srt',
  'sp',
  'st',
  'se',
  'sip',
  'spr',
  'ses',
  'tn',
  'si',
  'spk',
  'srk',
  'epk',
  'erk',
] as const;

/** What tells one token from another: of equal texts what is signed is the same, to the letter. It holds no secret. */
export function sasIdentity(query: ReadonlyMap<string, string>): string {
  let identity = '';
  for (const name of PARAMETERS) {
    const value = query.get(name);
    if (value !== undefined) identity += `${name}=${value.length}:${value};`;
  }
  return identity;
}
