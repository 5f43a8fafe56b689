// The operations of the Table service as values: a discriminated union with one member for each REST operation, limits already checked.
// Options of the rendering (metadata level, projection, preferences) belong to the wire.
import type { ServiceSettings, SignedIdentifier } from '#account';
import type { Property } from './entity/edm.js';
import type { EntityKey } from './entity/entity-key.js';
import type { Filter } from './filter/filter.js';

/** If-Match: `any` requires that the entity exists; `version` also that it is unchanged. A version of undefined matches nothing. */
export type Condition =
  | { readonly kind: 'any' }
  | { readonly kind: 'version'; readonly version: bigint | undefined };

interface OnEntity {
  readonly table: string;
  readonly key: EntityKey;
}

interface Conditional {
  readonly condition: Condition;
}

interface WithProperties<Kind extends string> extends OnEntity {
  readonly kind: Kind;
  readonly properties: readonly Property[];
}

/** The operations that a changeset may contain. */
export type EntityWrite =
  | WithProperties<'insertEntity'>
  | WithProperties<'insertOrReplaceEntity'>
  | WithProperties<'insertOrMergeEntity'>
  | (WithProperties<'updateEntity'> & Conditional)
  | (WithProperties<'mergeEntity'> & Conditional)
  | (OnEntity & Conditional & { readonly kind: 'deleteEntity' });

/** 1 to 100 writes of one partition of one table, all or nothing; an empty changeset is legal and does nothing. */
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
  /** The key where the page begins, from a continuation token; it need not exist. */
  readonly from: EntityKey | undefined;
}

export interface QueryTables {
  readonly kind: 'queryTables';
  readonly filter: Filter | undefined;
  readonly top: number;
  /** The table name where the page begins. */
  readonly from: string | undefined;
}

interface OnTable<Kind extends string> {
  readonly kind: Kind;
  readonly table: string;
}

interface SetTableAcl extends OnTable<'setTableAcl'> {
  readonly identifiers: readonly SignedIdentifier[];
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
  | ServiceSettings;

export type OperationKind = Operation['kind'];
