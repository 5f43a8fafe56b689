// Decides whether a grant covers an operation: by kind, table and key (protocol: sas#rights-of-tables).
// Parts of a batch are asked for one by one; the batch itself needs no right.
import { type EntityKey, type OperationKind, TableError } from '#tables';
import { isInKeyRange, type KeyRange } from '#wire';
import type { Grant } from '../../auth/grant.js';
import { ACTIONS, type Action, ROLES, type Role } from '../../auth/roles.js';

/** Of each text in `needs`, one letter must have been granted. */
interface Right {
  readonly on: 'service' | 'table' | 'entity';
  readonly needs: readonly string[];
}

const READ: Right = { on: 'entity', needs: ['r'] };
const UPDATE: Right = { on: 'entity', needs: ['u'] };
/** Without If-Match a write may add as well as update, so it needs both. */
const UPSERT: Right = { on: 'entity', needs: ['a', 'u'] };
const LIST: Right = { on: 'table', needs: ['l'] };
const INSPECT: Right = { on: 'service', needs: ['r'] };

/** `owner`: no signature grants it. */
const RIGHTS: Readonly<Record<OperationKind, Right | 'owner' | 'anyone'>> = {
  insertEntity: { on: 'entity', needs: ['a'] },
  updateEntity: UPDATE,
  mergeEntity: UPDATE,
  insertOrReplaceEntity: UPSERT,
  insertOrMergeEntity: UPSERT,
  deleteEntity: { on: 'entity', needs: ['d'] },
  submitTransaction: 'anyone',
  getEntity: READ,
  queryEntities: READ,
  queryTables: LIST,
  createTable: { on: 'table', needs: ['cw'] },
  getTable: LIST,
  deleteTable: { on: 'table', needs: ['d'] },
  getTableAcl: 'owner',
  setTableAcl: 'owner',
  getServiceProperties: INSPECT,
  setServiceProperties: { on: 'service', needs: ['w'] },
  getServiceStats: INSPECT,
};

const RESOURCE_TYPES: Readonly<Record<Right['on'], string>> = { service: 's', table: 'c', entity: 'o' };

const hasLetter = (letters: string, granted: string): boolean => {
  for (const letter of letters) if (granted.includes(letter)) return true;
  return false;
};

function checkPermission({ needs }: Right, granted: string): void {
  for (const letters of needs) {
    if (!hasLetter(letters, granted)) {
      const reason = `The operation needs ${needs.join(' and ')}, the signature grants ${granted}.`;
      throw new TableError('AuthorizationPermissionMismatch', { reason });
    }
  }
}

function authorizeRoles(roles: readonly Role[], policies: boolean, kind: OperationKind): void {
  const action = ACTIONS[kind];
  if (action === 'anyone') return;
  // Recorded: to older versions policies are not there for bearer tokens (protocol: access-policies#who-may).
  if (!policies && (kind === 'getTableAcl' || kind === 'setTableAcl'))
    throw new TableError('ResourceNotFound', { reason: 'Access policies are not open to bearer tokens.' });
  const allows = (actions: readonly Action[]): boolean => actions.includes(action);
  if (roles.some(role => allows(ROLES[role]))) return;
  const reason = `The operation needs the action ${action}, which ${roles.length === 0 ? 'no role' : `none of ${roles.join(', ')}`} allows.`;
  throw new TableError('AuthorizationPermissionMismatch', { reason });
}

/**
 * For an operation on a table, `table` is its name. Resource type comes before permission.
 *
 * @throws TableError AuthorizationFailure, AuthorizationResourceTypeMismatch, AuthorizationPermissionMismatch, ResourceNotFound.
 */
export function authorize(grant: Grant, kind: OperationKind, table: string | undefined): void {
  if (grant.kind === 'owner') return;
  if (grant.kind === 'bearer') {
    authorizeRoles(grant.roles, grant.policies, kind);
    return;
  }
  const right = RIGHTS[kind];
  if (right === 'anyone') return;
  if (right === 'owner') {
    throw new TableError('AuthorizationFailure', { reason: 'The operation needs a key of the account.' });
  }
  if (grant.kind === 'tableSas') {
    if (right.on !== 'entity' || table?.toLowerCase() !== grant.table.toLowerCase()) {
      throw new TableError('AuthorizationFailure', {
        reason: `The signature is for the entities of ${grant.table}.`,
      });
    }
  } else if (!grant.resourceTypes.includes(RESOURCE_TYPES[right.on])) {
    const reason = `The operation needs the type ${RESOURCE_TYPES[right.on]}, the signature grants ${grant.resourceTypes}.`;
    throw new TableError('AuthorizationResourceTypeMismatch', { reason });
  }
  checkPermission(right, grant.permission);
}

/** The entities that a grant is limited to: a query sees these and no others. Undefined for all. */
export function keyRangeOf(grant: Grant): KeyRange | undefined {
  return grant.kind === 'tableSas' ? grant.range : undefined;
}

/**
 * For an operation on one entity. A read outside the range finds nothing, a write is refused (protocol: sas#key-ranges).
 *
 * @throws TableError ResourceNotFound, AuthorizationFailure.
 */
export function authorizeKey(grant: Grant, kind: OperationKind, key: EntityKey): void {
  const range = keyRangeOf(grant);
  if (!range || isInKeyRange(range, key)) return;
  const code = kind === 'getEntity' ? 'ResourceNotFound' : 'AuthorizationFailure';
  throw new TableError(code, { reason: "The key is outside the signature's range." });
}
