// Azure's roles for tables, the actions that they allow, and the actions that operations need (table-rest.md 12.7).
import type { OperationKind } from '#tables';

/** Below `Microsoft.Storage/storageAccounts/tableServices/`. */
export type Action =
  | 'read'
  | 'write'
  | 'tables/read'
  | 'tables/write'
  | 'tables/delete'
  | 'tables/entities/read'
  | 'tables/entities/write'
  | 'tables/entities/delete';

const READER: readonly Action[] = ['tables/read', 'tables/entities/read'];
const CONTRIBUTOR: readonly Action[] = [
  ...READER,
  'tables/write',
  'tables/delete',
  'tables/entities/write',
  'tables/entities/delete',
];

/** Role names as Azure has them. The service's own properties belong to who manages the account. */
export const ROLES = {
  'Storage Table Data Reader': READER,
  'Storage Table Data Contributor': CONTRIBUTOR,
  'Storage Account Contributor': [...CONTRIBUTOR, 'read', 'write'],
} as const satisfies Record<string, readonly Action[]>;

export type Role = keyof typeof ROLES;

export const isRole = (name: string): name is Role => Object.hasOwn(ROLES, name);

/** `anyone`: its parts are asked for one by one. Policies count as part of their table: no recording says which role they need. */
export const ACTIONS: Readonly<Record<OperationKind, Action | 'anyone'>> = {
  insertEntity: 'tables/entities/write',
  updateEntity: 'tables/entities/write',
  mergeEntity: 'tables/entities/write',
  insertOrReplaceEntity: 'tables/entities/write',
  insertOrMergeEntity: 'tables/entities/write',
  deleteEntity: 'tables/entities/delete',
  submitTransaction: 'anyone',
  getEntity: 'tables/entities/read',
  queryEntities: 'tables/entities/read',
  queryTables: 'tables/read',
  getTable: 'tables/read',
  createTable: 'tables/write',
  deleteTable: 'tables/delete',
  getTableAcl: 'tables/read',
  setTableAcl: 'tables/write',
  getServiceProperties: 'read',
  setServiceProperties: 'write',
  getServiceStats: 'read',
};
