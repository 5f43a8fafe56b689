// The stored rows of a queue's messages, their count, and pop receipts. The operations on them are in operations/.
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
import type { Clock } from '#base';
import { type Row, type Space, type Store, StoreError } from '#store';
import { QueueError } from './queue-error.js';
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

// The count is one row, changed by each commit that adds or removes messages, so that reading it costs one read at any
// depth. It includes invisible messages, and expired ones until they are reclaimed; in that it is approximate.
// It adds no contention: the commits of a queue are serial anyway.
//
// Its version is the tick of the last put, and of each update that made a message visible at once. Ticks may be ahead of the
// clock, when commits come fast or when the clock was set back; a reader without a commit takes the later of the two as the current time.
export const COUNT_KEY = 'count';
const COUNT_BYTES = 8;

function encodeCount(count: number): Buffer {
  const bytes = Buffer.alloc(COUNT_BYTES);
  bytes.writeBigUInt64BE(BigInt(count));
  return bytes;
}

export function decodeCount(row: Row | undefined): number {
  if (!row) return 0;
  if (row.value.length !== COUNT_BYTES) throw new StoreError('corrupt', "A queue's count cannot be read.");
  return Number(row.value.readBigUInt64BE());
}

/** The change that a commit makes to the count. */
export const changeCount = (row: Row | undefined, by: number): { key: string; value: Buffer } => ({
  key: COUNT_KEY,
  value: encodeCount(decodeCount(row) + by),
});

export interface Standing {
  readonly count: number;
  /** At least the tick of every message that was put to be visible at once. */
  readonly now: bigint;
}

export async function readStanding(
  store: Store,
  space: Space,
  partition: string,
  clock: Clock,
): Promise<Standing> {
  const [row] = await store.read(space, partition, [COUNT_KEY]);
  const now = clock();
  return { count: decodeCount(row), now: row && row.version > now ? row.version : now };
}

// Pop receipts are the proof that a client leases a message. A receipt encodes the message's visibility key and the nonce stored
// under it, so that it cannot be guessed, and becomes invalid when the message's visibility changes.
//
//   +--------+-------------+--------------+---------------+
//   | 1 byte | visible     | inserted     | nonce         |    24 bytes, in Base64 32 characters without padding
//   | form 1 | u64 BE tick | u64 BE tick  | 7 bytes       |
//   +--------+-------------+--------------+---------------+
//
// Azure's receipts have another form; clients must treat both as opaque (protocol: messages#receipts).
export interface PopReceipt {
  readonly visible: bigint;
  readonly inserted: bigint;
  readonly nonce: Buffer;
}

const RECEIPT_BYTES = 1 + 8 + 8 + NONCE_BYTES;
const RECEIPT = /^[A-Za-z0-9+/]{32}$/;
/** Ticks are signed where they are stored. */
const TICK_MAX = 2n ** 63n - 1n;

export function formatReceipt({ visible, inserted, nonce }: PopReceipt): string {
  const bytes = Buffer.alloc(RECEIPT_BYTES);
  bytes.writeUInt8(FORM);
  bytes.writeBigUInt64BE(visible, 1);
  bytes.writeBigUInt64BE(inserted, 9);
  nonce.copy(bytes, 17);
  return bytes.toString('base64');
}

/** @throws QueueError for a malformed receipt, as recorded (protocol: messages#parameters). */
export function parseReceipt(text: string): PopReceipt {
  if (RECEIPT.test(text)) {
    const bytes = Buffer.from(text, 'base64');
    const visible = bytes.readBigUInt64BE(1);
    const inserted = bytes.readBigUInt64BE(9);
    if (bytes[0] === FORM && visible <= TICK_MAX && inserted <= TICK_MAX)
      return { visible, inserted, nonce: bytes.subarray(17) };
  }
  const reason = 'Invalid pop receipt format';
  throw new QueueError('InvalidQueryParameterValue', { name: 'popreceipt', value: text, reason });
}

/** The last digits of a GUID, all of them random. */
export const nonceOf = (guid: string): Buffer =>
  Buffer.from(guid.replaceAll('-', '').slice(-2 * NONCE_BYTES), 'hex');
