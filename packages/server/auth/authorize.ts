// Decides whether a grant covers an operation, by the rights that the operation's service asks for (protocol: sas#rights-of-tables,
// sas#rights-of-queues, authentication#roles).
import { ServiceError } from '#account';
import type { AccountRight, AuthorizationProtocol, KindRight } from './auth-protocol.js';
import type { Grant } from './grant.js';
import { allowsAll, type Role } from './roles.js';

const hasOne = (letters: string, granted: string): boolean => {
  for (const letter of letters) if (granted.includes(letter)) return true;
  return false;
};

function checkPermission(needs: readonly string[], granted: string): void {
  for (const letters of needs)
    if (!hasOne(letters, granted)) {
      const named = needs.map(each => [...each].join(' or ')).join(' and ');
      const reason = `The operation needs ${named}, the signature grants ${granted}.`;
      throw new ServiceError('AuthorizationPermissionMismatch', { reason });
    }
}

function checkAccount({ types, needs }: AccountRight, resourceTypes: string, permission: string): void {
  if (!hasOne(types, resourceTypes)) {
    const reason = `The operation needs the type ${types}, the signature grants ${resourceTypes}.`;
    throw new ServiceError('AuthorizationResourceTypeMismatch', { reason });
  }
  checkPermission(needs, permission);
}

function checkRoles(
  { actions, bearerSince = '' }: KindRight,
  { roles, version }: Extract<Grant, { kind: 'bearer' }>,
  known: AuthorizationProtocol['roles'],
): void {
  // Recorded: older versions have no access policies for bearer tokens (protocol: access-policies#who-may).
  if (version < bearerSince)
    throw new ServiceError('ResourceNotFound', { reason: 'Access policies are not open to bearer tokens.' });
  const allows = (role: Role): boolean =>
    allowsAll(role) || actions.some(action => known[role]?.includes(action));
  if (roles.some(allows)) return;
  const which = roles.length === 0 ? 'no role' : `none of ${roles.join(', ')}`;
  const reason = `The operation needs the action ${actions.join(' or ')}, which ${which} allows.`;
  throw new ServiceError('AuthorizationPermissionMismatch', { reason });
}

/**
 * Resource type comes before permission.
 *
 * @param resource the table or the queue that the operation is on; a service's signature must be for it.
 * @throws ServiceError AuthorizationFailure, AuthorizationResourceTypeMismatch, AuthorizationPermissionMismatch, ResourceNotFound.
 */
export function authorize<Kind extends string>(
  protocol: AuthorizationProtocol<Kind>,
  grant: Grant,
  kind: Kind,
  resource: string | undefined,
): void {
  if (grant.kind === 'owner') return;
  const right = protocol.rights[kind];
  if (right === 'anyone') return;
  if (grant.kind === 'bearer') {
    checkRoles(right, grant, protocol.roles);
    return;
  }
  if (right.account === 'owner' || grant.kind === 'anonymous')
    throw new ServiceError('AuthorizationFailure', { reason: 'The operation needs a key of the account.' });
  if (grant.kind === 'accountSas') {
    checkAccount(right.account, grant.resourceTypes, grant.permission);
    return;
  }
  if (right.service === undefined || resource?.toLowerCase() !== grant.resource.toLowerCase())
    throw new ServiceError('AuthorizationFailure', { reason: protocol.sasScope(grant.resource) });
  checkPermission(right.service, grant.permission);
}
