// Derivations: what follows from a write of an entity's row, in one list that writes ask. Rows of indexes follow from the values alone, so they go with the row into batches, too. Lists and copies have to
// read first: they announce the write to a flow, and name the writes that join its transaction (write-deriving.ts).

import type { AnyEntity, Derivation } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { SentMessage } from '../../transport/messages/announce.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import type { RowAddress } from '../../values/pattern-error.js';
import { indexWrites } from '../indexes/index-write.js';
import type {
  DerivingWrite,
  FollowedRow,
  Following,
  Identity,
  PlannedWrite,
  WriteResult,
} from './planned-write.js';
import type { Service } from './service.js';

type Values = Readonly<Record<string, unknown>>;

/** A row that is about to be written by a repository. */
export interface WrittenRow extends Omit<FollowedRow, 'operationId'> {
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

/** Does the write, and what the derivations of its row have to do with it: write-deriving.ts. */
export type WriteDeriving = <T>(
  service: Service,
  planned: PlannedWrite<T>,
  deriving: DerivingWrite<T>,
  options: ReadOptions,
) => Promise<T>;

export interface RowDerivation extends Derivation {
  /** What follows from the values alone. Pure. Throws what encoding throws. */
  follow?(row: FollowedRow): Following;
  /** Sends what has to be sent before the write, so that it is finished wherever the program ends. Throws what refuses the write. */
  announce?(service: Service, row: WrittenRow, options: ReadOptions): Promise<SentMessage | undefined>;
  /** Reads what it needs, again at each attempt. Throws what refuses the write. */
  join?(service: Service, row: WrittenRow, options: ReadOptions): Promise<JoinedWrites | undefined>;
  /** Of one that has to read: set by `derive`, so that only programs with such derivations have the code. */
  transact?: WriteDeriving;
}

const SAME_PARTITION: RowDerivation = {
  name: 'indexes',
  reads: [],
  writes: [],
  follow: ({ entity, address, before, after }) => ({
    indexWrites: indexWrites(entity, address, before, after),
  }),
};

/** What follows from a write of the row, by the values before and after it. */
export function following(row: FollowedRow): Following {
  let all = SAME_PARTITION.follow?.(row) ?? {};
  for (const each of row.entity.plan.derivations as readonly RowDerivation[])
    if (each.follow !== undefined) all = { ...all, ...each.follow(row) };
  return all;
}

/** Those that have to read before a write. */
export const readingOf = ({ plan }: AnyEntity): readonly RowDerivation[] =>
  plan.derivations.filter((each: RowDerivation) => each.transact !== undefined);
