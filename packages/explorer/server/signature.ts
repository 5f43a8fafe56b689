// Makes shared access signatures for the page's SAS maker (docs/protocol/sas.md): the key stays here, the page gets the
// URL. The wire has the grammars and the strings to sign, and checks the fields before they are signed.
import { ServiceError } from '#account';
import type { Address, Service } from '#data-tools';
import {
  accountSasStringToSign,
  blobSasStringToSign,
  parseAccountSas,
  parseBlobSas,
  parseQueueSas,
  parseTableSas,
  queueSasStringToSign,
  tableSasStringToSign,
} from '#wire';
import type { Scope } from '../model/sas-words.js';
import { Refusal } from './answer.js';

export interface SignatureRequest {
  readonly scope: Scope;
  /** The table, queue or container; for a blob `container/blob`. Empty for the account. */
  readonly resource: string;
  /** The query's fields except version, signature and what the scope implies: `sp`, `se`, `spk` and so on. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Covers the service in the resource, addresses, protocols and the resource type of blobs. */
const VERSION = '2019-02-02';
/** Stands in for the signature during validation. */
const NO_SIGNATURE = Buffer.alloc(32).toString('base64');
const FIELDS: ReadonlySet<string> = new Set('sp st se sip spr si ss srt spk srk epk erk snapshot'.split(' '));

const SERVICE_OF: Readonly<Record<Exclude<Scope, 'account'>, Service>> = {
  table: 'table',
  queue: 'queue',
  container: 'blob',
  blob: 'blob',
};

/** Fields that the scope itself sets. */
function impliedFields(scope: Scope, resource: string): readonly (readonly [string, string])[] {
  if (scope === 'table') return [['tn', resource]];
  if (scope === 'container') return [['sr', 'c']];
  return scope === 'blob' ? [['sr', 'b']] : [];
}

function stringToSign(scope: Scope, resource: string, query: ReadonlyMap<string, string>, account: string) {
  const [container = '', ...rest] = resource.split('/');
  switch (scope) {
    case 'account':
      return accountSasStringToSign(parseAccountSas(query), account);
    case 'table':
      return tableSasStringToSign(parseTableSas(query), account);
    case 'queue':
      return queueSasStringToSign(parseQueueSas(query, resource), account);
    case 'container':
    case 'blob':
      return blobSasStringToSign(parseBlobSas(query, { container, blob: rest.join('/') }), account);
  }
}

function checkFields({ scope, resource, fields }: SignatureRequest): void {
  const unknown = Object.keys(fields).find(name => !FIELDS.has(name));
  if (unknown !== undefined) throw new Refusal(400, 'BadSignature', `A signature has no field ${unknown}.`);
  if (scope !== 'account' && resource === '')
    throw new Refusal(400, 'BadSignature', `The signature of a ${scope} needs its name.`);
  if (!fields.si && (!fields.sp || !fields.se))
    throw new Refusal(400, 'BadSignature', 'Without a stored policy a signature needs rights and an expiry.');
}

/**
 * The signature's query, and the URL that it belongs to: of the resource, or for an account of each of its services.
 *
 * @throws Refusal for fields that no service would accept.
 */
export function signatureOf(
  address: Address,
  request: SignatureRequest,
): { readonly query: string; readonly urls: Readonly<Record<string, string>> } {
  checkFields(request);
  if (!address.hasKey)
    throw new Refusal(409, 'NoKey', `Account ${address.account} is opened with a SAS: only a key can sign.`);
  const { scope, resource, fields } = request;
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  const all = [['sv', VERSION] as const, ...impliedFields(scope, resource), ...given];
  const query = new Map<string, string>(all);
  try {
    const text = stringToSign(scope, resource, new Map([...query, ['sig', NO_SIGNATURE]]), address.account);
    query.set('sig', address.sign(text));
  } catch (error) {
    if (error instanceof ServiceError)
      throw new Refusal(400, 'BadSignature', String(error.detail.detail ?? error.code));
    throw error;
  }
  const text = [...query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const services: readonly Service[] = scope === 'account' ? ['table', 'queue', 'blob'] : [SERVICE_OF[scope]];
  const path = resource === '' ? '' : `/${resource.split('/').map(encodeURIComponent).join('/')}`;
  const urls = services
    .filter(service => address.has(service))
    .map(service => [service, `${address.endpoint(service)}${path}?${text}`] as const);
  return { query: text, urls: Object.fromEntries(urls) };
}
