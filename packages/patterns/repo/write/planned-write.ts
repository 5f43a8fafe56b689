// A planned write as a value: the request, what it gives, and what follows from it. plan-write.ts and operations.ts plan, derivation.ts adds what follows, write-planned.ts and planned-batch.ts send.

import type { CallOptions } from '../../concurrency/abort.js';
import type { AnyEntity, Derivation } from '../../model/definition.js';
import type { Rebucketing } from '../../model/keys/key-codec.js';
import type { RowRef, Stored, StoredOf } from '../../model/stored.js';
import type { RowSource } from '../../transport/row-source.js';
import type { RowWrite } from '../../transport/row-write.js';
import type { PatternError, RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { OperationId, OperationIds } from './operation-id.js';
import type { Service } from './service.js';
import type { IdentifiedWrite } from './settled-writes.js';

/** What a write gives: the row as it is now, its key and ETag where the write did not see all of it, and nothing for a delete. */
export type WriteResult = Stored<unknown> | RowRef | undefined;

/** A write, and what it gives when the service has done it. */
export interface PlannedWrite<T> extends IdentifiedWrite, Following {
  readonly result: (etag: string | undefined) => T;
  /** The row may stand in one of several buckets, and is written where it is found: rebucketing-writes.ts does that, a batch cannot. */
  readonly rebucketing?: RebucketingRow;
  /** Other rows follow from the entity's, and the row before is not known. */
  readonly readFirst?: ReadFirst<T>;
  /** The entity's lists and copies are written with it. */
  readonly deriving?: DerivingWrite<T>;
}

/** What the derivations of an entity have to know of a write of its row. */
export interface DerivingWrite<T = unknown> {
  readonly entity: AnyEntity;
  /** As it was read; undefined for a new one. */
  readonly before: StoredOf<AnyEntity> | undefined;
  /** The value that the write leaves; undefined if it takes the row away. */
  readonly after: Values | undefined;
  /** The derivation whose own write it is, which has nothing to do then. */
  readonly by?: Derivation;
  /** The same write with these additional properties; null removes one. */
  readonly again: (set: Values) => PlannedWrite<T>;
}

/** How a write is planned when its row has been read: `*` is any ETag. */
export interface ReadFirst<T> {
  readonly entity: AnyEntity;
  readonly etag: string;
  /** Where there is no row, it is made. */
  readonly makesRow: boolean;
  /** Undefined only for a row that is made. */
  readonly plan: (stored: StoredOf<AnyEntity> | undefined) => PlannedWrite<unknown>;
  /** What is given, by what that write gives. */
  readonly result: (given: unknown) => T;
}

/** A row of an entity whose buckets are being changed. */
export interface RebucketingRow {
  readonly entity: string;
  readonly by: Rebucketing;
  /** The one of the current number of buckets, then earlier ones. */
  readonly addresses: readonly RowAddress[];
}

/** The operation id that a write leaves; undefined where operation ids are off. */
export type Identity = { readonly operationIds: OperationIds; readonly operationId: OperationId } | undefined;

/** A row as it is about to be written. */
export interface FollowedRow extends Pick<DerivingWrite, 'entity' | 'before' | 'after'> {
  readonly address: RowAddress;
  /** What the write leaves in the row; undefined for a delete, and where operation ids are off. */
  readonly operationId: OperationId | undefined;
}

/** The transaction of rows from which others follow in other partitions or tables. */
export interface FollowedTransaction<T> {
  /** Its table and partition. */
  readonly target: RowAddress;
  /** Sends it, with this write in it if it has room for one. */
  send(record?: RowWrite): Promise<T>;
  /** What is thrown for what one of its rows is refused. */
  refusal(of: RemoteEffect, thrown: unknown): unknown;
}

/** What a write changes in other partitions or tables, and does before its transaction for that. */
export interface RemoteEffect {
  /** Does the transaction of rows that are followed in this way. */
  readonly around: <T>(
    service: Service,
    changes: readonly RemoteEffect[],
    transaction: FollowedTransaction<T>,
    options: CallOptions,
  ) => Promise<T>;
  /** As long as the write that joins its transaction, if one does. */
  readonly record: RowWrite | undefined;
}

/** A write of an index row, in the transaction of its entity's row. */
export interface IndexWrite {
  readonly write: RowWrite;
  /** The entity's row that is written with it. */
  readonly owner: RowAddress;
  /** One write instead of this and of that which a later operation has of the same row: one leaves a unique key, and the other takes it. Throws UniqueViolation if both take it. */
  joined(later: IndexWrite): IndexWrite;
  /** The write to send instead of this one, because the index row was missing, left over, or written by others. Throws UniqueViolation if another living row has the key, and errors that cannot be fixed. */
  mended(requests: Pick<RowSource, 'get'>, refused: PatternError, options: CallOptions): Promise<IndexWrite>;
}

/** What follows from the values of a row alone. */
export interface Following {
  /** Rows of its partition, which go in its transaction. */
  readonly indexWrites?: readonly IndexWrite[];
  readonly remote?: RemoteEffect | undefined;
}
