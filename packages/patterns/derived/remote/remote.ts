// Indexes in other partitions and tables: before a write of a row, their flow gets a message with the index rows that the row may have before and after it. A worker makes the index rows match.
//
// For a transaction that gives rows unique keys, the keys are reserved, then it is sent with its record, and the keys are released if it was refused. If its outcome is unknown, the keys stay
// reserved until the flow settles them. reserve.ts documents reservations.

import type { CallOptions } from '../../concurrency/abort.js';
import { newUuid } from '../../concurrency/surroundings.js';
import { isSameRow } from '../../model/address.js';
import type { AnyEntity, RemoteKind } from '../../model/definition.js';
import { compileIndexes } from '../../model/index-plan.js';
import { expectedIndexRow } from '../../model/index-row.js';
import { beginsWithLiteral } from '../../model/keys/key.js';
import { Attempts } from '../../repo/optimistic.js';
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
import { PatternError, type RowAddress, refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import { wireText } from '../../values/wire-property.js';
import { hitsOf } from '../near/near.js';
import { announcementsOf, type IndexRowKey, type RemoteChange } from './index-message.js';
import {
  type Reservation,
  type ReservationId,
  Reservations,
  type Reserved,
  recordAddress,
  recordWrite,
} from './reserve.js';

/** The changes of a write in remote indexes, and the unique keys that it gives its row. */
interface ChangedIndexes extends RemoteEffect {
  readonly change: RemoteChange;
  readonly reservations: readonly Reservation[];
}

/** Whether the service refused a transaction because of its record: another process found its reservations too old. */
function isAborted(thrown: unknown, record: RowAddress): boolean {
  return PatternError.is(thrown, 'BatchFailed') && thrown.detail.rowKey === record.rowKey;
}

/** It was not done, and never will be. */
const isRefused = (thrown: unknown): boolean =>
  PatternError.is(thrown) && thrown.code !== 'OutcomeUnknown' && thrown.code !== 'Unreachable';

/** Reserves the keys, and sends the transaction with its record. */
async function sendReserved<T>(
  service: Service,
  changes: readonly ChangedIndexes[],
  id: ReservationId,
  { target, send, refusal }: FollowedTransaction<T>,
  options: CallOptions,
): Promise<T> {
  const keys = new Reservations(service);
  const held: Reserved[] = [];
  try {
    for (const change of changes)
      for (const each of change.reservations) {
        const reserved = keys.reserve(each, id, options);
        held.push(await reserved.catch(thrown => Promise.reject(refusal(change, thrown))));
      }
    return await send(recordWrite(target, id, 'committed'));
  } catch (thrown) {
    if (isRefused(thrown)) for (const each of held) await keys.release(each);
    throw thrown;
  }
}

/** As long as any. */
const ANY_ID = '0'.repeat(36);

/** Announces the transaction and does it; one with reservations that was aborted in between again, under another id. Throws UniqueViolation, Contention, and what sending throws. */
async function around<T>(
  service: Service,
  effects: readonly RemoteEffect[],
  transaction: FollowedTransaction<T>,
  options: CallOptions,
): Promise<T> {
  const changes = effects as readonly ChangedIndexes[];
  const { clients, operationIds, surroundings } = service;
  const has = { queues: clients.queues !== undefined, operationIds: operationIds !== undefined };
  const announce = (id: ReservationId | undefined, write: () => Promise<T>): Promise<T> => {
    const messages = announcementsOf(
      changes.map(({ change }) => change),
      has,
      id,
    );
    return announced(service, messages, write, options);
  };
  if (changes.every(({ reservations }) => reservations.length === 0))
    return announce(undefined, () => transaction.send());
  const { target } = transaction;
  for (const attempts = new Attempts(surroundings, options); ; await attempts.next(target, undefined)) {
    const id = newUuid(surroundings.random);
    try {
      return await announce(id, () => sendReserved(service, changes, id, transaction, options));
    } catch (thrown) {
      if (!isAborted(thrown, recordAddress(target, id))) throw thrown;
    }
  }
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
