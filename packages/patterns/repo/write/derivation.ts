// Derivations: the rows and messages that follow from a write. Indexes follow from the values alone, so batches include them. Lists and copies need a read first: they announce the write to a flow, and
// return the writes that join its transaction (write-deriving.ts).

import type { CallOptions } from '../../concurrency/abort.js';
import type { AnyEntity, Derivation } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { SentMessage } from '../../transport/messages/announce.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type {
  DerivingWrite,
  FollowedRow,
  Following,
  Identity,
  PlannedWrite,
  WriteResult,
} from './planned-write.js';
import type { Service } from './service.js';

/** A row that a repository is about to write. */
export interface WrittenRow extends Omit<FollowedRow, 'operationId'> {
  readonly identity: Identity;
}

/** Another row of the partition, as it was read. An empty patch only checks its ETag. */
export interface JoinedRow {
  readonly row: StoredOf<AnyEntity>;
  readonly patch: Values;
  /** Plans the write of a patch. */
  plan(patch: Values, identity: Identity): PlannedWrite<WriteResult>;
}

/** Additions to a write's transaction. */
export interface JoinedWrites {
  /** Properties of the row itself; null removes one. */
  readonly set?: Values | undefined;
  readonly rows?: readonly JoinedRow[] | undefined;
  readonly writes?: readonly PlannedWrite<WriteResult>[] | undefined;
  /** Called after the transaction; with the row that another writer changed, if it lost. */
  readonly ended?: ((lost: RowAddress | undefined) => void) | undefined;
  /** A better design, for the error of writers that lose each time. */
  readonly advice?: string | undefined;
}

/** Does the write with its derivations: write-deriving.ts. */
export type WriteDeriving = <T>(
  service: Service,
  planned: PlannedWrite<T>,
  deriving: DerivingWrite<T>,
  options: CallOptions,
) => Promise<T>;

export interface RowDerivation extends Derivation {
  /** The rows that follow from the values alone. Pure. Throws what encoding throws. */
  follow?(row: FollowedRow): Following;
  /** Sends the message that must precede the write, so that a flow finishes the work if the program ends. A throw refuses the write. */
  announce?(service: Service, row: WrittenRow, options: CallOptions): Promise<SentMessage | undefined>;
  /** Reads what it needs, again at each attempt. A throw refuses the write. */
  join?(service: Service, row: WrittenRow, options: CallOptions): Promise<JoinedWrites | undefined>;
  /** Set by `derive` for derivations that read, so that only programs with such derivations bundle the code. */
  transact?: WriteDeriving;
}

/** The writes that follow from a row's values before and after a write. */
export function following(row: FollowedRow): Following {
  let all: Following = {};
  for (const each of row.entity.plan.derivations as readonly RowDerivation[])
    if (each.follow !== undefined) all = { ...all, ...each.follow(row) };
  return all;
}

/** The derivations that read before a write. */
export const readingOf = ({ plan }: AnyEntity): readonly RowDerivation[] =>
  plan.derivations.filter((each: RowDerivation) => each.transact !== undefined);
