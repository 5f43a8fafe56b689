// What a request asks of the Table service, as a value: one member for each REST operation, limits already checked.
// How it was asked (metadata level, projection, preferences) is the wire's matter and not in here.
import type { ServicePropertiesChange, SignedIdentifier } from '#account';
import type { Property } from './entity/edm.js';
import type { Filter } from './filter/filter.js';

export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** If-Match: `any` asks that the entity exists; `version` also that it is unchanged. A version of undefined matches nothing. */
export type Condition =
  | { readonly kind: 'any' }
  | { readonly kind: 'version'; readonly version: bigint | undefined };

interface OnEntity {
  readonly table: string;
  readonly key: EntityKey;
}

interface WithProperties extends OnEntity {
  readonly properties: readonly Property[];
}

export interface InsertEntity extends WithProperties {
  readonly kind: 'insertEntity';
}

export interface UpdateEntity extends WithProperties {
  readonly kind: 'updateEntity';
  readonly condition: Condition;
}

export interface MergeEntity extends WithProperties {
  readonly kind: 'mergeEntity';
  readonly condition: Condition;
}

export interface InsertOrReplaceEntity extends WithProperties {
  readonly kind: 'insertOrReplaceEntity';
}

export interface InsertOrMergeEntity extends WithProperties {
  readonly kind: 'insertOrMergeEntity';
}

export interface DeleteEntity extends OnEntity {
  readonly kind: 'deleteEntity';
  readonly condition: Condition;
}

/** The operations that a changeset may hold. */
export type EntityWrite =
  | InsertEntity
  | UpdateEntity
  | MergeEntity
  | InsertOrReplaceEntity
  | InsertOrMergeEntity
  | DeleteEntity;

/** 1 to 100 writes of one partition of one table, all or nothing; none at all is legal and does nothing. */
export interface SubmitTransaction {
  readonly kind: 'submitTransaction';
  readonly operations: readonly EntityWrite[];
}

export interface GetEntity extends OnEntity {
  readonly kind: 'getEntity';
}

export interface QueryEntities {
  readonly kind: 'queryEntities';
  readonly table: string;
  readonly filter: Filter | undefined;
  /** Entities of the page, 0 to 1,000. */
  readonly top: number;
  /** The first key to look at, from a continuation token; it need not exist. */
  readonly from: EntityKey | undefined;
}

export interface QueryTables {
  readonly kind: 'queryTables';
  readonly filter: Filter | undefined;
  readonly top: number;
  /** The first table name to look at. */
  readonly from: string | undefined;
}

export interface OnTable<Kind extends string> {
  readonly kind: Kind;
  readonly table: string;
}

export interface SetTableAcl extends OnTable<'setTableAcl'> {
  readonly identifiers: readonly SignedIdentifier[];
}

export interface SetServiceProperties {
  readonly kind: 'setServiceProperties';
  readonly change: ServicePropertiesChange;
}

export type Operation =
  | EntityWrite
  | SubmitTransaction
  | GetEntity
  | QueryEntities
  | QueryTables
  | OnTable<'createTable'>
  | OnTable<'getTable'>
  | OnTable<'deleteTable'>
  | OnTable<'getTableAcl'>
  | SetTableAcl
  | { readonly kind: 'getServiceProperties' }
  | SetServiceProperties
  | { readonly kind: 'getServiceStats' };

export type OperationKind = Operation['kind'];
