// The stored rows of a queue's messages: their keys and values. The operations on them are in operations/.
//
// All messages of a queue are in one partition, named after the queue's generation (queue-space.ts), because a get, and each
// change of a message's visibility, has to be one commit. A message is two rows, so that such a change does not write the text again:
//
//   at/<visible><inserted><id>    visibility key, with the delivery state:
//                                            +------+---------+----------+-------+   form 1, i64 BE, u32 BE, 7 random bytes
//                                            | form | expires | dequeues | nonce |
//                                            +------+---------+----------+-------+
//   id/<id>                       message:   +------+----------+---------+------+    form 1, i64 BE, i64 BE, UTF-8
//                                            | form | inserted | expires | text |
//                                            +------+----------+---------+------+
//
// <visible> and <inserted> are ticks in 16 hexadecimal digits, so visibility keys are in delivery order: by the time at which a message
// becomes visible, then by that of its put. Example: a message put at tick 0x386f26fc100000, visible at once:
//   at/00386f26fc10000000386f26fc1000006f1c1ae6-0f4e-4a92-9a2e-6a1d3b0f7c55
//
// All gets of a queue contend for its head. If one queue has to be faster than one partition, its messages can be spread over several
// partitions, each with a head of its own, at the price of the order between them.
import { type Row, type Space, StoreError } from '#store';
import { decodeGeneration } from './queue-space.js';

export const TICKS_A_SECOND = 10_000_000n;
export const NONCE_BYTES = 7;

const FORM = 1;
const VISIBILITY_PREFIX = 'at/';
const VISIBILITY_END = 'at0';
const TICK_DIGITS = 16;

/** Partitions are ordered as their generations. */
export const partitionOfGeneration = (generation: number): string => generation.toString(16).padStart(8, '0');
export const partitionOf = (space: Space): string => partitionOfGeneration(decodeGeneration(space.metadata));

export interface VisibilityKey {
  readonly visible: bigint;
  readonly inserted: bigint;
  readonly id: string;
}

export interface DeliveryState {
  readonly expires: bigint;
  readonly dequeueCount: number;
  /** A pop receipt is valid if it has these bytes. */
  readonly nonce: Buffer;
}

export interface Message {
  readonly inserted: bigint;
  readonly expires: bigint;
  readonly text: string;
}

const digits = (tick: bigint): string => tick.toString(16).padStart(TICK_DIGITS, '0');

export const encodeVisibilityKey = ({ visible, inserted, id }: VisibilityKey): string =>
  `${VISIBILITY_PREFIX}${digits(visible)}${digits(inserted)}${id}`;

export const messageKey = (id: string): string => `id/${id}`;

/** The range of the messages that are visible at that tick. */
export const visibleUntil = (tick: bigint): { readonly from: string; readonly until: string } => ({
  from: VISIBILITY_PREFIX,
  until: VISIBILITY_PREFIX + digits(tick + 1n),
});

export const allVisibilityKeys = { from: VISIBILITY_PREFIX, until: VISIBILITY_END } as const;

export function decodeVisibilityKey(key: string): VisibilityKey {
  const inserted = VISIBILITY_PREFIX.length + TICK_DIGITS;
  const id = inserted + TICK_DIGITS;
  return {
    visible: BigInt(`0x${key.slice(VISIBILITY_PREFIX.length, inserted)}`),
    inserted: BigInt(`0x${key.slice(inserted, id)}`),
    id: key.slice(id),
  };
}

const DELIVERY_STATE_BYTES = 1 + 8 + 4 + NONCE_BYTES;
/** The count stops here: the field has 32 bits. */
const DEQUEUE_COUNT_MAX = 0xffff_ffff;

export function encodeDeliveryState({ expires, dequeueCount, nonce }: DeliveryState): Buffer {
  const bytes = Buffer.alloc(DELIVERY_STATE_BYTES);
  bytes.writeUInt8(FORM);
  bytes.writeBigInt64BE(expires, 1);
  bytes.writeUInt32BE(Math.min(dequeueCount, DEQUEUE_COUNT_MAX), 9);
  nonce.copy(bytes, 13);
  return bytes;
}

function checkForm(row: Row, isLongEnough: boolean): void {
  if (!isLongEnough) throw new StoreError('corrupt', `A message's row '${row.key}' is cut short.`);
  if (row.value[0] !== FORM)
    throw new StoreError('unsupported', `A message's row '${row.key}' has the unknown form ${row.value[0]}.`);
}

export function decodeDeliveryState(row: Row): DeliveryState {
  const { value } = row;
  checkForm(row, value.length === DELIVERY_STATE_BYTES);
  return {
    expires: value.readBigInt64BE(1),
    dequeueCount: value.readUInt32BE(9),
    nonce: Buffer.from(value.subarray(13)),
  };
}

/** Reads only the expiry of a delivery state: scans call it for every row. */
export function isExpired(row: Row, tick: bigint): boolean {
  checkForm(row, row.value.length === DELIVERY_STATE_BYTES);
  return row.value.readBigInt64BE(1) <= tick;
}

const MESSAGE_HEAD_BYTES = 1 + 8 + 8;

export function encodeMessage({ inserted, expires, text }: Message): Buffer {
  const bytes = Buffer.alloc(MESSAGE_HEAD_BYTES + Buffer.byteLength(text));
  bytes.writeUInt8(FORM);
  bytes.writeBigInt64BE(inserted, 1);
  bytes.writeBigInt64BE(expires, 9);
  bytes.write(text, MESSAGE_HEAD_BYTES);
  return bytes;
}

export function decodeMessage(row: Row): Message {
  const { value } = row;
  checkForm(row, value.length >= MESSAGE_HEAD_BYTES);
  return {
    inserted: value.readBigInt64BE(1),
    expires: value.readBigInt64BE(9),
    text: value.toString('utf8', MESSAGE_HEAD_BYTES),
  };
}
