// What the Table service's operations need: of signatures of accounts and tables, and of roles (protocol: sas#rights-of-tables,
// authentication#roles).
import type { OperationKind } from '#tables';
import { type AuthorizationProtocol, ofOwner, type Right, right } from '../../auth/auth-protocol.js';

/** Below `Microsoft.Storage/storageAccounts/tableServices/`. */
type Action =
  | 'read'
  | 'write'
  | 'tables/read'
  | 'tables/write'
  | 'tables/delete'
  | 'tables/entities/read'
  | 'tables/entities/write'
  | 'tables/entities/delete';

/** The first version recorded in which a bearer token finds access policies. */
const POLICIES_VERSION = '2025-07-05';

/** A table's signature covers what an account's covers of its entities. */
const onEntity = (needs: readonly string[], action: Action): Right<Action> =>
  right('o', needs, [action], needs);
/** Policies count as part of their table: no recording shows which role they need. */
const onPolicies = (action: Action): Right<Action> => ofOwner(action, POLICIES_VERSION);

const WRITE = 'tables/entities/write';

/** Without If-Match a write may add as well as update, so it needs both. */
export const TABLE_RIGHTS: Readonly<Record<OperationKind, Right<Action>>> = {
  insertEntity: onEntity(['a'], WRITE),
  updateEntity: onEntity(['u'], WRITE),
  mergeEntity: onEntity(['u'], WRITE),
  insertOrReplaceEntity: onEntity(['a', 'u'], WRITE),
  insertOrMergeEntity: onEntity(['a', 'u'], WRITE),
  deleteEntity: onEntity(['d'], 'tables/entities/delete'),
  submitTransaction: 'anyone',
  getEntity: onEntity(['r'], 'tables/entities/read'),
  queryEntities: onEntity(['r'], 'tables/entities/read'),
  queryTables: right('c', 'l', ['tables/read']),
  createTable: right('c', 'cw', ['tables/write']),
  getTable: right('c', 'l', ['tables/read']),
  deleteTable: right('c', 'd', ['tables/delete']),
  getTableAcl: onPolicies('tables/read'),
  setTableAcl: onPolicies('tables/write'),
  getServiceProperties: right('s', 'r', ['read']),
  setServiceProperties: right('s', 'w', ['write']),
  getServiceStats: right('s', 'r', ['read']),
};

const READER: readonly Action[] = ['tables/read', 'tables/entities/read'];

/** Only a role that manages the account may use the service's own properties. */
export const TABLE_ROLES: AuthorizationProtocol['roles'] = {
  'Storage Table Data Reader': READER,
  'Storage Table Data Contributor': [
    ...READER,
    'tables/write',
    'tables/delete',
    'tables/entities/write',
    'tables/entities/delete',
  ],
} satisfies Readonly<Record<string, readonly Action[]>>;
