// Makes shared access signatures for the page's SAS maker (docs/protocol/sas.md): the key stays here, the page gets the
// URL. The wire has the grammars and the strings to sign, and checks the fields before they are signed.
import { ServiceError } from '#account';
import type { Address, Service } from '#data-tools';
import { parseAccountSas, parseBlobSas, parseQueueSas, parseTableSas } from '#wire';
import type { Scope } from '../model/sas-form.js';
import { Refusal } from './answer.js';

/** Covers the service in the resource, addresses, protocols and the resource type of blobs. */
const VERSION = '2019-02-02';
/** Stands in for the signature during validation. */
const NO_SIGNATURE = Buffer.alloc(32).toString('base64');
const FIELDS: ReadonlySet<string> = new Set('sp st se sip spr si ss srt spk srk epk erk snapshot'.split(' '));

type Fields = Readonly<Record<string, string>>;

interface Signing {
  readonly services: readonly Service[];
  /** Fields that the scope itself sets. */
  readonly implied: (resource: string) => Fields;
  readonly text: (query: ReadonlyMap<string, string>, resource: string, account: string) => string;
}

const blobText: Signing['text'] = (query, resource, account) => {
  const [container = '', ...rest] = resource.split('/');
  return parseBlobSas(query, account, { container, blob: rest.join('/') }).text;
};

const SCOPES: Readonly<Record<Scope, Signing>> = {
  account: {
    services: ['table', 'queue', 'blob'],
    implied: () => ({}),
    text: (query, _, account) => parseAccountSas(query, account).text,
  },
  table: {
    services: ['table'],
    implied: tn => ({ tn }),
    text: (query, _, account) => parseTableSas(query, account).text,
  },
  queue: {
    services: ['queue'],
    implied: () => ({}),
    text: (query, resource, account) => parseQueueSas(query, account, resource).text,
  },
  container: { services: ['blob'], implied: () => ({ sr: 'c' }), text: blobText },
  blob: { services: ['blob'], implied: () => ({ sr: 'b' }), text: blobText },
};

const bad = (sentence: string): Refusal => new Refusal(400, 'BadSignature', sentence);

/** The fields that are set. @throws Refusal */
function fieldsIn(fields: unknown): Fields {
  const given = Object.entries(fields ?? {}).filter(([, value]) => value !== '');
  const unknown = given.find(([name, value]) => !FIELDS.has(name) || typeof value !== 'string');
  if (unknown !== undefined) throw bad(`A signature has no field ${unknown[0]}.`);
  const { si, sp, se } = Object.fromEntries(given);
  if (si === undefined && (sp === undefined || se === undefined))
    throw bad('Without a stored policy a signature needs rights and an expiry.');
  return Object.fromEntries(given);
}

/**
 * The URLs with the signature: of the resource, or for an account of each of its services.
 *
 * @param wanted the scope; the table, queue, container or `container/blob`; and the query's fields except the version,
 *   the signature and what the scope implies.
 * @throws Refusal for fields that no service would accept.
 */
export function signatureOf(
  address: Address,
  { scope, resource, fields }: Readonly<Record<string, unknown>>,
): { readonly urls: Fields } {
  if (typeof scope !== 'string' || !Object.hasOwn(SCOPES, scope) || typeof resource !== 'string')
    throw bad('The request is none for a signature.');
  if (scope !== 'account' && resource === '') throw bad(`The signature of a ${scope} needs its name.`);
  if (!address.hasKey)
    throw new Refusal(409, 'NoKey', `Account ${address.account} is opened with a SAS: only a key can sign.`);
  const { services, implied, text } = SCOPES[scope as Scope];
  const query = new Map(Object.entries({ sv: VERSION, ...implied(resource), ...fieldsIn(fields) }));
  try {
    const signed = text(new Map([...query, ['sig', NO_SIGNATURE]]), resource, address.account);
    query.set('sig', address.sign(signed));
  } catch (error) {
    if (error instanceof ServiceError) throw bad(String(error.detail.detail ?? error.code));
    throw error;
  }
  const pairs = [...query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const path = resource === '' ? '' : `/${resource.split('/').map(encodeURIComponent).join('/')}`;
  const urls = services
    .filter(service => address.has(service))
    .map(service => [service, `${address.endpoint(service)}${path}?${pairs}`] as const);
  return { urls: Object.fromEntries(urls) };
}
