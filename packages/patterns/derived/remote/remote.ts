// Indexes in other partitions and tables: before writes of rows, their flow gets a message with the index rows that these may have before and after. Only keys, no data: a worker reads the rows, and makes the index rows
// match.
//
// For a transaction that gives rows unique keys, the keys are reserved, then it is sent with its record, and the keys are released if it was refused. If its outcome is unknown, the keys stay
// reserved until the flow settles them. reserve.ts documents reservations.

import type { CallOptions } from '../../concurrency/abort.js';
import { newUuid } from '../../concurrency/surroundings.js';
import { isSameRow } from '../../model/address.js';
import type { AnyEntity, RemoteKind } from '../../model/definition.js';
import { compileIndexes } from '../../model/index-plan.js';
import { expectedIndexRow } from '../../model/index-row.js';
import { hashText } from '../../model/keys/hash-bucket.js';
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
import { announced, type FlowMessage } from '../../transport/messages/announce.js';
import { isObject } from '../../values/is-object.js';
import { PatternError, type RowAddress, refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import { schemaOf } from '../../values/standard-schema.js';
import { wireText } from '../../values/wire-property.js';
import { hitsOf } from '../near/near.js';
import {
  type Reservation,
  type ReservationId,
  Reservations,
  type Reserved,
  recordAddress,
  recordWrite,
} from './reserve.js';

/** An index row that a row may have: the index's name and both keys. */
export type IndexRowKey = readonly [index: string, partitionKey: string, rowKey: string];

/** A row that a write changes. */
export interface ChangedRow {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** The write's condition: once the row has another ETag, or is gone, the write was done or never will be. */
  readonly etag?: string | undefined;
  /** The operation id that a create leaves in its row. */
  readonly operationId?: string | undefined;
  /** Before and after the write. */
  readonly rows: readonly IndexRowKey[];
}

/** The contents of a message. */
export interface IndexFlowInput {
  readonly table: string;
  readonly changes: readonly ChangedRow[];
  /** The transaction for which unique keys were reserved. */
  readonly transaction?: ReservationId | undefined;
}

/** A write of a row whose entity has remote indexes. `change` is undefined where their rows stay as they are. */
interface RemoteChange {
  readonly entity: AnyEntity;
  readonly table: string;
  readonly change: ChangedRow | undefined;
}

/** The flow that keeps an entity's remote indexes, and its queue. */
interface IndexFlowName {
  readonly flow: string;
  readonly queue: string;
}

/** Of inputs. */
export const INDEX_INPUT_VERSION = 1;

/** Names that stay distinct when they are spelled with small letters and hyphens: `StaffMember` is `staff-member`. */
const PLAIN_NAME = /^(?:[A-Z][a-z0-9]*)+$/;
const QUEUE_NAME_MAX = 56;
const HEX_DIGITS = 8;

/** Two entities never share a queue. */
export function indexFlowName({ name }: AnyEntity): IndexFlowName {
  const flow = `indexes of ${name}`;
  const spelled = `indexes${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
  if (PLAIN_NAME.test(name) && spelled.length <= QUEUE_NAME_MAX) return { flow, queue: spelled };
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const hash = hashText(name).toString(16).padStart(HEX_DIGITS, '0');
  const longest = QUEUE_NAME_MAX - 'indexes--'.length - HEX_DIGITS;
  return { flow, queue: ['indexes', letters.slice(0, longest), hash].filter(Boolean).join('-') };
}

/** Bytes of changes as JSON in a message of 64 KiB: base64 adds a third, and the envelope needs space. */
const CHANGES_LENGTH_MAX = 45_000;

/** Splits changes into as few messages as possible. */
function inputsOf(table: string, changes: readonly ChangedRow[]): readonly IndexFlowInput[] {
  const inputs: ChangedRow[][] = [];
  let left = 0;
  for (const change of changes) {
    const { length } = new TextEncoder().encode(JSON.stringify(change));
    const last = inputs.at(-1);
    if (last === undefined || length > left) {
      inputs.push([change]);
      left = CHANGES_LENGTH_MAX - length;
    } else {
      last.push(change);
      left -= length;
    }
  }
  return inputs.map(each => ({ table, changes: each }));
}

const isIndexRowKey = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 3 && value.every(each => typeof each === 'string');

const isChange = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.partitionKey === 'string' &&
  typeof value.rowKey === 'string' &&
  Array.isArray(value.rows) &&
  value.rows.every(isIndexRowKey);

const isInput = (value: unknown): value is IndexFlowInput =>
  isObject(value) &&
  typeof value.table === 'string' &&
  Array.isArray(value.changes) &&
  value.changes.every(isChange);

/** The schema of a message's input. */
export const INDEX_FLOW_SCHEMA = schemaOf(isInput, 'should name rows and index rows');

/** Throws DefinitionInvalid for an entity whose indexes no flow keeps. */
function refuseUnkept(
  { name, plan }: AnyEntity,
  has: { readonly queues: boolean; readonly operationIds: boolean },
): void {
  const subject = `${name}.indexes.${plan.remoteIndexes[0]?.name}`;
  if (!has.queues)
    refuseDefinition(
      subject,
      'its rows are written by a flow, which needs a QueueServiceClient: open({ tables, queues })',
    );
  if (!has.operationIds)
    refuseDefinition(subject, 'its rows are written by a flow, which knows writes by their operation ids');
}

/** The messages of writes. Throws DefinitionInvalid for entities whose indexes no flow keeps. */
function announcementsOf(
  writes: readonly RemoteChange[],
  has: { readonly queues: boolean; readonly operationIds: boolean },
  transaction?: ReservationId,
): readonly FlowMessage[] {
  const entities = new Set(writes.map(({ entity }) => entity));
  return [...entities].flatMap(entity => {
    refuseUnkept(entity, has);
    const own = writes.filter(each => each.entity === entity);
    const table = own[0]?.table ?? entity.table;
    const changes = own.flatMap(({ change }) => (change === undefined ? [] : [change]));
    const { flow, queue } = indexFlowName(entity);
    const inputs = inputsOf(table, changes).map(input => ({ ...input, transaction }));
    return inputs.map(input => ({ flow, queue, version: INDEX_INPUT_VERSION, input }));
  });
}

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
