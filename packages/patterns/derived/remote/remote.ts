// Indexes in other partitions and tables: before a write of a row, their flow gets a message with the index rows that the row may have before and after it, and unique keys are reserved. A worker makes the
// index rows match.

import type { CallOptions } from '../../concurrency/abort.js';
import { isSameRow } from '../../model/address.js';
import type { AnyEntity, RemoteKind } from '../../model/definition.js';
import { compileIndexes } from '../../model/index-plan.js';
import { expectedIndexRow } from '../../model/index-row.js';
import { beginsWithLiteral } from '../../model/keys/key.js';
import type { ReadsIndex } from '../../repo/read/reads.js';
import { type VerifiedOptions, verifiedReads } from '../../repo/read/verified-reads.js';
import type { RowDerivation } from '../../repo/write/derivation.js';
import type {
  FollowedRow,
  FollowedTransaction,
  Following,
  RemoteEffect,
} from '../../repo/write/planned-write.js';
import type { Service } from '../../repo/write/service.js';
import { announced } from '../../transport/messages/announce.js';
import { refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import { wireText } from '../../values/wire-property.js';
import { hitsOf } from '../near/hits.js';
import { announcementsOf, type IndexRowKey, type RemoteChange } from './index-message.js';
import { type Reservation, type ReservationId, recordWrite } from './reservation.js';
import { writeReserved } from './reserved-write.js';

/** The changes of a write in remote indexes, and the unique keys that it gives its row. */
interface ChangedIndexes extends RemoteEffect {
  readonly change: RemoteChange;
  readonly reservations: readonly Reservation[];
}

/** As long as any. */
const ANY_ID = '0'.repeat(36);

function around<T>(
  service: Service,
  changes: readonly RemoteEffect[],
  { target, send, refusal }: FollowedTransaction<T>,
  options: CallOptions,
): Promise<T> {
  const all = changes as readonly ChangedIndexes[];
  const { clients, operationIds } = service;
  const has = { queues: clients.queues !== undefined, operationIds: operationIds !== undefined };
  const announce = (id: ReservationId | undefined, write: () => Promise<T>): Promise<T> => {
    const writes = all.map(({ change }) => change);
    return announced(service, announcementsOf(writes, has, id), write, options);
  };
  const owners = new Map(
    all.flatMap(each => each.reservations.map(reservation => [reservation, each] as const)),
  );
  if (owners.size === 0) return announce(undefined, () => send());
  const reserved = {
    reservations: [...owners.keys()],
    announce,
    send,
    refusal: (of: Reservation, thrown: unknown) => refusal(owners.get(of) as RemoteEffect, thrown),
  };
  return writeReserved(service, reserved, target, options);
}

/** Throws KeyInvalid, ValueInvalid, TooLarge, and DefinitionInvalid for rows of another table than an index is of. */
function follow({ entity, address, before, after, operationId }: FollowedRow): Following {
  const { table, partitionKey, rowKey } = address;
  const rows: IndexRowKey[] = [];
  const reservations: Reservation[] = [];
  for (const index of entity.plan.remoteIndexes) {
    const [old, now] = [before?.value, after].map(value =>
      value === undefined ? undefined : expectedIndexRow(entity, index, table, value),
    );
    const isSameKey = old !== undefined && now !== undefined && isSameRow(old.address, now.address);
    const isAsItWas =
      isSameKey && before?.version === entity.version && wireText(old.row) === wireText(now.row);
    if (!isAsItWas)
      for (const each of isSameKey ? [old] : [old, now])
        if (each !== undefined) rows.push([index.name, each.row.partitionKey, each.row.rowKey]);
    if (index.unique && now !== undefined && !isSameKey)
      reservations.push({ entity, table, index, owner: address, expected: now, isNew: before === undefined });
  }
  const announced = before === undefined ? { operationId } : { etag: before.etag };
  const change = rows.length === 0 ? undefined : { partitionKey, rowKey, ...announced, rows };
  const record = reservations.length === 0 ? undefined : recordWrite(address, ANY_ID, 'committed');
  const remote: ChangedIndexes = { change: { entity, table, change }, reservations, record, around };
  return { remote };
}

const checkLiterals: RemoteKind['checkLiterals'] = ({ name, row }, index, { partition, unique }, table) => {
  if (unique && !beginsWithLiteral(row))
    refuseDefinition(
      `${name}.row`,
      'the row key of an entity with remote unique keys begins with a literal, so that queries of its rows leave out the records of transactions',
    );
  if (table === undefined && partition !== undefined && !beginsWithLiteral(partition))
    refuseDefinition(
      `${name}.${index}.partition`,
      'in the table of its entity, the partition key of an index begins with a literal, by which its rows are told apart; or give it a table of its own',
    );
};

const readIndex: ReadsIndex['readIndex'] = (owner, index, settings, reading, options) => {
  if (reading !== 'index-only' && reading !== 'verified')
    refuseValue('reading', "'verified' or 'index-only'", 'rows of the index may be behind');
  const hits = hitsOf(owner, index, settings);
  if (reading === 'index-only') return hits;
  const { entity, table } = owner;
  const verifying = {
    ...(options as VerifiedOptions<AnyEntity, never>),
    owner: entity,
    index,
    rows: owner,
    table,
    settings,
  };
  return verifiedReads(verifying, hits as never);
};

/** The kind of an index whose rows stand in other partitions or in another table, and are written by a flow after the entity's row: `{ kind: remote, partition, row }`. */
export const remote: RemoteKind = Object.freeze({
  kind: 'remote',
  name: 'remote indexes',
  reads: [],
  writes: [],
  compile: compileIndexes,
  checkLiterals,
  follow,
  readIndex,
} satisfies RemoteKind & RowDerivation & ReadsIndex);
