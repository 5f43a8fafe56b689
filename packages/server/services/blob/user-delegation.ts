// User delegation keys: derived from an account's key, so that none is stored. The object id in a key encodes the roles of
// its owner's token, and a signature of the key grants no more than these (protocol: sas#user-delegation-keys).

import { createHmac } from 'node:crypto';
import { ServiceError } from '#account';
import { BlobError } from '#blobs';
import {
  delegationKeyText,
  isUserDelegation,
  type ServiceSas,
  type StorageAnswer,
  storageAnswer,
} from '#wire';
import { formatUserDelegationKey, keyTimeText, parseKeyInfo } from '#wire/blob';
import type { Accounts } from '../../auth/accounts.js';
import type { Grant } from '../../auth/grant.js';
import { allowsAll, type Role } from '../../auth/roles.js';
import { ACTION_OF_LETTER, BLOB_ROLES } from './rights.js';

/** In the order of their bits, which keys that were given away hold. */
const ROLES: readonly Role[] = [
  'Storage Blob Data Reader',
  'Storage Blob Data Contributor',
  'Storage Blob Data Owner',
  'Storage Blob Delegator',
  'Storage Account Contributor',
];
const OBJECT_ID = '5be1f0aa-0000-4000-8000-0000000000';
/** There is no directory of users. */
const TENANT_ID = '00000000-0000-4000-8000-000000000000';

type Query = ReadonlyMap<string, string>;

function objectIdOf(roles: readonly Role[]): string {
  let bits = 0;
  for (const [i, role] of ROLES.entries()) if (roles.includes(role)) bits |= 1 << i;
  return OBJECT_ID + bits.toString(16).padStart(2, '0');
}

function rolesOf(objectId: string): readonly Role[] {
  const bits = objectId.startsWith(OBJECT_ID) ? Number.parseInt(objectId.slice(OBJECT_ID.length), 16) : 0;
  return ROLES.filter((_, i) => (bits & (1 << i)) !== 0);
}

const derive = (accountKey: Buffer, query: Query): Buffer =>
  createHmac('sha256', accountKey).update(delegationKeyText(query)).digest();

/** The keys that may have signed a query. */
export const delegationKeys = (query: Query, accountKeys: readonly Buffer[]): readonly Buffer[] =>
  isUserDelegation(query) ? accountKeys.map(key => derive(key, query)) : accountKeys;

const isAllowed = (letter: string, roles: readonly Role[]): boolean => {
  const action = ACTION_OF_LETTER.get(letter);
  const known: Readonly<Partial<Record<Role, readonly string[]>>> = BLOB_ROLES;
  return roles.some(role => allowsAll(role) || (action !== undefined && known[role]?.includes(action)));
};

/** Limits a user delegation signature to what the key's owner may do. */
export function withinRoles(sas: ServiceSas, query: Query): ServiceSas {
  if (!isUserDelegation(query)) return sas;
  const roles = rolesOf(query.get('skoid') ?? '');
  const letters = [...(sas.permission ?? '')].filter(letter => isAllowed(letter, roles));
  // An empty permission would count as a missing one.
  return { ...sas, permission: letters.join('') || '-' };
}

interface KeyRequest {
  readonly account: string;
  readonly body: Buffer;
  readonly version: string;
  readonly now: bigint;
}

/** @throws ServiceError AuthenticationFailed for a caller without a token, BlobError for invalid times. */
export function userDelegationKey(
  accounts: Accounts,
  grant: Grant,
  { account, body, version, now }: KeyRequest,
): StorageAnswer {
  if (grant.kind !== 'bearer')
    throw new ServiceError('AuthenticationFailed', {
      reason: 'User delegation keys are for bearer tokens.',
      detail: 'Only authentication scheme Bearer is supported',
    });
  const { start, expiry } = parseKeyInfo(body, now);
  const [accountKey] = accounts.keys.get(account) ?? [];
  if (accountKey === undefined) throw new BlobError('AuthenticationFailed');
  const objectId = objectIdOf(grant.roles);
  const fields = new Map([
    ['skoid', objectId],
    ['sktid', TENANT_ID],
    ['skt', keyTimeText(start)],
    ['ske', keyTimeText(expiry)],
    ['sks', 'b'],
    ['skv', version],
  ]);
  const value = derive(accountKey, fields).toString('base64');
  const key = { objectId, tenantId: TENANT_ID, start, expiry, version, value };
  return storageAnswer(200, { body: formatUserDelegationKey(key) });
}
