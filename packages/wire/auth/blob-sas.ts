// Shared access signatures of containers, blobs and snapshots: the parts that differ from other services, also where they are signed with a
// user delegation key (protocol: sas#blob-string, sas#user-delegation-string). The signature covers what the path names.
import {
  field,
  KEY_FIELDS,
  mandatory,
  mandatoryTime,
  parseServiceSas,
  refuse,
  type ServiceSas,
  VERSION_OF_DELEGATED_USER,
  VERSION_OF_OVERRIDES,
  VERSION_OF_RESOURCE_TYPE,
} from './sas.js';

/** What a path names, as `container` or `container/blob`. */
export interface SignedBlob {
  readonly container: string;
  /** Empty for a container. */
  readonly blob: string;
}

type Query = ReadonlyMap<string, string>;

/** The version of a signature without `sv`, which blobs alone have (protocol: sas#blob-string). */
const UNVERSIONED = '2009-07-17';

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
export function parseBlobSas(query: Query, account: string, at: SignedBlob): ServiceSas {
  const isDelegated = isUserDelegation(query);
  const sas = parseServiceSas(query, account, {
    kind: isDelegated ? 'userDelegation' : 'blob',
    letters: /^[racwdxltmeiyfop]+$/,
    unversioned: UNVERSIONED,
    resourceOf: () => resourceOf(query, at),
  });
  if (!isDelegated) return sas;
  if (field(query, 'si') !== undefined) throw refuse('si is not well formed.');
  if (sas.version < VERSION_OF_RESOURCE_TYPE) throw refuse('sv is not well formed or not supported.');
  mandatory(query, 'se');
  mandatory(query, 'sp');
  // Such a signature is for one user. The server knows users only by tokens, and a request with a token needs no signature.
  for (const name of sas.version < VERSION_OF_DELEGATED_USER ? [] : ['skdutid', 'sduoid'])
    if (field(query, name) !== undefined) throw refuse(`${name} is not supported.`);
  return withinKey(sas, query);
}

/** Whether the signature covers its overrides of response headers. Anyone could add overrides to one that does not. */
export const signsOverrides = (query: Query): boolean => (query.get('sv') ?? '') >= VERSION_OF_OVERRIDES;

/** The text that an account's key signs to derive a user delegation key, so that none is stored (protocol: sas#user-delegation-keys). */
export const delegationKeyText = (query: Query): string =>
  ['user delegation key', ...KEY_FIELDS.map(name => query.get(name) ?? '')].join('\n');
