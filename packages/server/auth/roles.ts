// Azure's roles for tables and queues, the actions that they allow, and the actions that operations need (protocol: authentication#roles).
import type { OperationKind as QueueOperationKind } from '#queues';
import type { OperationKind } from '#tables';

/** Below `Microsoft.Storage/storageAccounts/tableServices/` or `queueServices/`; the first two are of both. */
export type Action =
  | 'read'
  | 'write'
  | 'tables/read'
  | 'tables/write'
  | 'tables/delete'
  | 'tables/entities/read'
  | 'tables/entities/write'
  | 'tables/entities/delete'
  | 'queues/read'
  | 'queues/write'
  | 'queues/delete'
  | 'queues/acl'
  | 'queues/messages/read'
  | 'queues/messages/write'
  | 'queues/messages/delete'
  | 'queues/messages/add'
  | 'queues/messages/process';

const READER: readonly Action[] = ['tables/read', 'tables/entities/read'];
const CONTRIBUTOR: readonly Action[] = [
  ...READER,
  'tables/write',
  'tables/delete',
  'tables/entities/write',
  'tables/entities/delete',
];

const QUEUE_READER: readonly Action[] = ['queues/read', 'queues/messages/read'];
const QUEUE_CONTRIBUTOR: readonly Action[] = [
  ...QUEUE_READER,
  'queues/write',
  'queues/delete',
  'queues/messages/write',
  'queues/messages/delete',
  'queues/messages/add',
  'queues/messages/process',
];

/** Role names as Azure has them. The service's own properties belong to who manages the account. */
export const ROLES = {
  'Storage Table Data Reader': READER,
  'Storage Table Data Contributor': CONTRIBUTOR,
  'Storage Queue Data Reader': QUEUE_READER,
  'Storage Queue Data Contributor': QUEUE_CONTRIBUTOR,
  'Storage Queue Data Message Processor': ['queues/messages/read', 'queues/messages/process'],
  'Storage Queue Data Message Sender': ['queues/messages/add'],
  'Storage Account Contributor': [...CONTRIBUTOR, ...QUEUE_CONTRIBUTOR, 'queues/acl', 'read', 'write'],
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

/** One of them is enough: who may write messages may add them, who may process them may delete what they got. */
export const QUEUE_ACTIONS: Readonly<Record<QueueOperationKind, readonly Action[]>> = {
  listQueues: ['queues/read'],
  createQueue: ['queues/write'],
  deleteQueue: ['queues/delete'],
  getQueueMetadata: ['queues/read'],
  setQueueMetadata: ['queues/write'],
  getQueueAcl: ['queues/acl'],
  setQueueAcl: ['queues/acl'],
  putMessage: ['queues/messages/add', 'queues/messages/write'],
  getMessages: ['queues/messages/process'],
  peekMessages: ['queues/messages/read'],
  updateMessage: ['queues/messages/write'],
  deleteMessage: ['queues/messages/process', 'queues/messages/delete'],
  clearMessages: ['queues/messages/delete'],
  getServiceProperties: ['read'],
  setServiceProperties: ['write'],
  getServiceStats: ['read'],
};
