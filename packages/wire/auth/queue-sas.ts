// Shared access signatures of queues: reading them from a query and building what they sign (protocol: sas#queue-string). Those of
// accounts are the same for every service, see sas.ts.
import {
  type AccountSas,
  field,
  joinFields,
  parseAccountSas,
  parseSignedFields,
  parseTime,
  refuse,
  type SignedFields,
  TIME_FIELDS,
  VERSION_FIRST,
  VERSION_OF_ACCOUNT_SAS,
  VERSION_OF_SERVICE_IN_RESOURCE,
} from './sas.js';

/** What is undefined may come from the stored policy that `identifier` names. */
export interface QueueSas extends SignedFields {
  readonly kind: 'queueSas';
  /** The one in the path: no parameter names it, but the signature covers it. */
  readonly queue: string;
  readonly identifier: string | undefined;
  /** Letters out of `raup`, in any order. */
  readonly permission: string | undefined;
  readonly expiry: bigint | undefined;
}

const LETTERS = /^[raup]+$/;
const POLICY_FIELDS = ['si', 'sv'];
const POLICY_FIELDS_WITH_ADDRESS = ['si', 'sip', 'spr', 'sv'];

/**
 * The signature in a query that has `sig`: an account's if it names services or resource types, else that of the queue in the path.
 *
 * @throws ServiceError AuthenticationFailed:Sas where a field is missing or malformed.
 */
export function parseQueueSas(query: ReadonlyMap<string, string>, queue: string): AccountSas | QueueSas {
  if (query.has('ss') || query.has('srt')) return parseAccountSas(query);
  const fields = parseSignedFields(query, VERSION_FIRST);
  const permission = field(query, 'sp');
  if (permission !== undefined && !LETTERS.test(permission)) throw refuse('sp is not well formed.');
  const { version, signature, start, addresses, httpsOnly } = fields;
  const [identifier, expiry] = [field(query, 'si'), parseTime(query, 'se')];
  return {
    kind: 'queueSas',
    query,
    version,
    signature,
    start,
    addresses,
    httpsOnly,
    queue,
    identifier,
    permission,
    expiry,
  };
}

export function queueSasStringToSign({ query, version, queue }: QueueSas, account: string): string {
  const service = version >= VERSION_OF_SERVICE_IN_RESOURCE ? '/queue' : '';
  const names = version >= VERSION_OF_ACCOUNT_SAS ? POLICY_FIELDS_WITH_ADDRESS : POLICY_FIELDS;
  return `${joinFields(query, TIME_FIELDS)}\n${service}/${account}/${queue}\n${joinFields(query, names)}`;
}
