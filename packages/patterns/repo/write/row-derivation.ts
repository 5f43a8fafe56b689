// What derivations do when a row of their entity is written: they announce the write to a flow, and name the writes that join its transaction. Lists and copies are such derivations; write-deriving.ts
// calls them.

import type { AnyEntity, Derivation } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { SentMessage } from '../../transport/messages/announce.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { WriteResult } from './operations.js';
import type { DerivingWrite, Identity, PlannedWrite } from './plan-write.js';
import type { Service } from './service.js';

type Values = Readonly<Record<string, unknown>>;

/** A row as it is about to be written. */
export interface WrittenRow extends Omit<DerivingWrite, 'again' | 'by'> {
  readonly address: RowAddress;
  readonly identity: Identity;
}

/** Another row of the partition, as it was read. A patch of nothing has its ETag checked. */
export interface JoinedRow {
  readonly row: StoredOf<AnyEntity>;
  readonly patch: Values;
  /** What writes a patch. */
  plan(patch: Values, identity: Identity): PlannedWrite<WriteResult>;
}

/** What goes with a write, in its transaction. */
export interface JoinedWrites {
  /** Properties of the row itself; null takes one away. */
  readonly set?: Values | undefined;
  readonly rows?: readonly JoinedRow[] | undefined;
  readonly writes?: readonly PlannedWrite<WriteResult>[] | undefined;
  /** Called when the transaction was applied, or with the row for which it lost to another writer. */
  readonly ended?: ((lost: RowAddress | undefined) => void) | undefined;
  /** What another design would do better, for writers that are lost each time. */
  readonly advice?: string | undefined;
}

/** How writes are sent. */
export interface Sending<T> {
  /** The row by itself. */
  alone(planned: PlannedWrite<T>): Promise<T>;
  /** The row and others, all or nothing. Throws BatchFailed. */
  together(planned: PlannedWrite<T>, others: readonly PlannedWrite<WriteResult>[]): Promise<T>;
}

/** A write of a row that has derivations. */
export type Deriving<T> = PlannedWrite<T> & { readonly deriving: DerivingWrite<T> };

/** Does the write, and what the derivations of its row have to do with it: write-deriving.ts. */
export type WriteDeriving = <T>(
  service: Service,
  planned: Deriving<T>,
  options: ReadOptions,
  sending: Sending<T>,
) => Promise<T>;

export interface RowDerivation extends Derivation {
  /** Sends what has to be sent before the write, so that it is finished wherever the program ends. Throws what refuses the write. */
  announce?(service: Service, row: WrittenRow, options: ReadOptions): Promise<SentMessage | undefined>;
  /** Reads what it needs, again at each attempt. Throws what refuses the write. */
  join?(service: Service, row: WrittenRow, options: ReadOptions): Promise<JoinedWrites | undefined>;
  /** Set by `derive`, so that only programs with derivations have the code. */
  transact?: WriteDeriving;
}
