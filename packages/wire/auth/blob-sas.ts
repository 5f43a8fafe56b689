// Shared access signatures of containers, blobs and snapshots: the parts that differ from other services, also where they are signed with a
// user delegation key (protocol: sas#blob-string, sas#user-delegation-string). The signature covers what the path names.
import {
  field,
  mandatory,
  mandatoryTime,
  parseServiceSas,
  refuse,
  type SasGrammar,
  type ServiceSas,
  VERSION_OF_ACCOUNT_SAS,
  VERSION_OF_ENCRYPTION_SCOPE,
  VERSION_OF_SERVICE_IN_RESOURCE,
  VERSION_OF_SIGNED_VERSION,
} from './sas.js';

const VERSION_OF_OVERRIDES = '2013-08-15';
const VERSION_OF_RESOURCE_TYPE = '2018-11-09';
const VERSION_OF_AGENTS = '2020-02-10';
const VERSION_OF_DELEGATED_USER = '2025-07-05';
const VERSION_OF_SIGNED_REQUEST = '2026-04-06';

const OVERRIDES = ['rscc', 'rscd', 'rsce', 'rscl', 'rsct'];
const KEY_FIELDS = ['skoid', 'sktid', 'skt', 'ske', 'sks', 'skv'];
const AGENT_FIELDS = ['saoid', 'suoid', 'scid'];
const USER_FIELDS = ['skdutid', 'sduoid'];

/** The parameters that no other service's signatures have. */
export const BLOB_SAS_FIELDS: readonly string[] = [
  'sr',
  'snapshot',
  ...OVERRIDES,
  ...KEY_FIELDS,
  ...AGENT_FIELDS,
  ...USER_FIELDS,
];

/** What a path names, as `container` or `container/blob`. */
export interface SignedBlob {
  readonly container: string;
  /** Empty for a container. */
  readonly blob: string;
}

type Query = ReadonlyMap<string, string>;

/** Whether a user delegation key signed, instead of the account's. */
export const isUserDelegation = (query: Query): boolean => query.has('skoid');

function resourceOf(query: Query, { container, blob }: SignedBlob): string {
  const type = mandatory(query, 'sr');
  if (type === 'c') return container;
  if (type === 'b' && blob !== '') return `${container}/${blob}`;
  if (type === 'bs' && blob !== '' && (query.get('sv') ?? '') >= VERSION_OF_RESOURCE_TYPE) {
    mandatory(query, 'snapshot');
    return `${container}/${blob}`;
  }
  throw refuse('sr is not well formed.');
}

const LETTERS = /^[racwdxltmeiyfop]+$/;

/** A signature is good for no longer than its key. */
function withinKey(sas: ServiceSas, query: Query): ServiceSas {
  for (const name of KEY_FIELDS) mandatory(query, name);
  if (query.get('sks') !== 'b') throw refuse('sks is not well formed.');
  const [start, expiry] = [mandatoryTime(query, 'skt'), mandatoryTime(query, 'ske')];
  return {
    ...sas,
    start: sas.start === undefined || sas.start < start ? start : sas.start,
    expiry: sas.expiry === undefined || sas.expiry > expiry ? expiry : sas.expiry,
  };
}

/** @throws ServiceError AuthenticationFailed:Sas where a field is missing or malformed. */
export function parseBlobSas(query: Query, at: SignedBlob): ServiceSas {
  const grammar: SasGrammar = {
    fields: BLOB_SAS_FIELDS,
    hasUnversioned: true,
    letters: LETTERS,
    resourceOf: () => resourceOf(query, at),
    rangeOf: () => undefined,
  };
  const sas = parseServiceSas(query, grammar);
  if (!isUserDelegation(query)) return sas;
  if (field(query, 'si') !== undefined) throw refuse('si is not well formed.');
  if (sas.version < VERSION_OF_RESOURCE_TYPE) throw refuse('sv is not well formed or not supported.');
  mandatory(query, 'se');
  mandatory(query, 'sp');
  // For one user alone, whom the server cannot recognize without a token, and with one it needs no signature.
  for (const name of sas.version < VERSION_OF_DELEGATED_USER ? [] : USER_FIELDS)
    if (field(query, name) !== undefined) throw refuse(`${name} is not supported.`);
  return withinKey(sas, query);
}

/** The parameters between the version and what the answer's headers are overridden with. */
function middleFields(version: string): readonly string[] {
  if (version < VERSION_OF_SIGNED_VERSION) return [];
  if (version < VERSION_OF_ACCOUNT_SAS) return ['sv'];
  const common = ['sip', 'spr', 'sv'];
  if (version < VERSION_OF_RESOURCE_TYPE) return common;
  return version < VERSION_OF_ENCRYPTION_SCOPE
    ? [...common, 'sr', 'snapshot']
    : [...common, 'sr', 'snapshot', 'ses'];
}

function delegationFields(version: string): readonly string[] {
  const agents = version >= VERSION_OF_AGENTS ? AGENT_FIELDS : [];
  const users = version >= VERSION_OF_DELEGATED_USER ? USER_FIELDS : [];
  return [...KEY_FIELDS, ...agents, ...users];
}

/** Any snapshot may be read by the signature of its container, which signs none; a blob's is not for its snapshots. */
const parameter = (query: Query, name: string): string =>
  name === 'snapshot' && query.get('sr') === 'c' ? '' : (query.get(name) ?? '');

export function blobSasStringToSign({ query, version, resource }: ServiceSas, account: string): string {
  const place = `${version >= VERSION_OF_SERVICE_IN_RESOURCE ? '/blob' : ''}/${account}/${resource}`;
  const who = isUserDelegation(query) ? delegationFields(version) : ['si'];
  const names = [...who, ...middleFields(version)];
  const lines = ['sp', 'st', 'se'].map(name => parameter(query, name));
  lines.push(place, ...names.map(name => parameter(query, name)));
  // Headers and parameters of the request that are signed: none.
  if (isUserDelegation(query) && version >= VERSION_OF_SIGNED_REQUEST) lines.push('', '');
  if (version >= VERSION_OF_OVERRIDES) lines.push(...OVERRIDES.map(name => parameter(query, name)));
  return lines.join('\n');
}

/** Whether the signature covers its overrides of response headers. Anyone could add overrides to one that does not. */
export const signsOverrides = (query: Query): boolean => (query.get('sv') ?? '') >= VERSION_OF_OVERRIDES;

/** The text that an account's key signs to derive a user delegation key, so that none is stored (protocol: sas#user-delegation-keys). */
export const delegationKeyText = (query: Query): string =>
  ['user delegation key', ...KEY_FIELDS.map(name => query.get(name) ?? '')].join('\n');
