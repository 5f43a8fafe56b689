// The message to the flow of an entity's remote indexes about writes: the rows that they change, and the index rows that these may have before and after (remote-change.ts). Only keys, no data: the worker
// reads the rows. Pure.

import type { AnyEntity } from '../../model/definition.js';
import { hashText } from '../../model/keys/hash-bucket.js';
import type { FlowMessage } from '../../transport/messages/announce.js';
import { isObject } from '../../values/is-object.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import { schemaOf } from '../../values/standard-schema.js';
import type { ReservationId } from './reserve.js';

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
export interface RemoteChange {
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
export function announcementsOf(
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
