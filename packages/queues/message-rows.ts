// The rows of a queue's messages: their keys and stored forms. What is done with them stands under operations/.
//
// All messages of a queue are in one partition, named after the queue's generation (queue-space.ts), because a get, and each
// move of a message, has to be one commit. A message is two rows, so that a move need not write its text again:
//
//   at/<visible><inserted><id>    its place: +------+---------+----------+-------+   form 1, i64 BE, u32 BE, 7 random bytes
//                                            | form | expires | dequeues | nonce |
//                                            +------+---------+----------+-------+
//   id/<id>                       itself:    +------+----------+---------+------+    form 1, i64 BE, i64 BE, UTF-8
//                                            | form | inserted | expires | text |
//                                            +------+----------+---------+------+
//
// <visible> and <inserted> are ticks in 16 hexadecimal digits, so places stand in the order in which messages are got: by the
// time at which they are visible, then by that of their put. Example: a message put at tick 0x386f26fc100000, to be seen at once:
//   at/00386f26fc10000000386f26fc1000006f1c1ae6-0f4e-4a92-9a2e-6a1d3b0f7c55
//
// All gets of a queue meet at its head. If one queue has to be faster than one partition, its messages can be spread over several,
// each with a head of its own, at the price of the order between them.
import { type Row, type Space, StoreError } from '#store';
import { decodeGeneration } from './queue-space.js';

export const TICKS_A_SECOND = 10_000_000n;
export const NONCE_BYTES = 7;

const FORM = 1;
const PLACES = 'at/';
const PLACES_END = 'at0';
const TICK_DIGITS = 16;

/** In order of generations. */
export const partitionOfGeneration = (generation: number): string => generation.toString(16).padStart(8, '0');
export const partitionOf = (space: Space): string => partitionOfGeneration(decodeGeneration(space.metadata));

export interface Place {
  readonly visible: bigint;
  readonly inserted: bigint;
  readonly id: string;
}

export interface Ticket {
  readonly expires: bigint;
  readonly dequeueCount: number;
  /** What the receipt has to bring along. */
  readonly nonce: Buffer;
}

export interface Message {
  readonly inserted: bigint;
  readonly expires: bigint;
  readonly text: string;
}

const digits = (tick: bigint): string => tick.toString(16).padStart(TICK_DIGITS, '0');

export const placeKey = ({ visible, inserted, id }: Place): string =>
  `${PLACES}${digits(visible)}${digits(inserted)}${id}`;

export const messageKey = (id: string): string => `id/${id}`;

/** Places of what is visible at that tick. */
export const placesUntil = (tick: bigint): { readonly from: string; readonly until: string } => ({
  from: PLACES,
  until: PLACES + digits(tick + 1n),
});

export const allPlaces = { from: PLACES, until: PLACES_END } as const;

export function decodePlace(key: string): Place {
  const inserted = PLACES.length + TICK_DIGITS;
  const id = inserted + TICK_DIGITS;
  return {
    visible: BigInt(`0x${key.slice(PLACES.length, inserted)}`),
    inserted: BigInt(`0x${key.slice(inserted, id)}`),
    id: key.slice(id),
  };
}

const TICKET_BYTES = 1 + 8 + 4 + NONCE_BYTES;
/** A message that was got more often goes on as one that was got so often. */
const DEQUEUE_COUNT_MAX = 0xffff_ffff;

export function encodeTicket({ expires, dequeueCount, nonce }: Ticket): Buffer {
  const bytes = Buffer.alloc(TICKET_BYTES);
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

export function decodeTicket(row: Row): Ticket {
  const { value } = row;
  checkForm(row, value.length === TICKET_BYTES);
  return {
    expires: value.readBigInt64BE(1),
    dequeueCount: value.readUInt32BE(9),
    nonce: Buffer.from(value.subarray(13)),
  };
}

/** All that is asked of a place that is passed by. */
export function isExpired(place: Row, tick: bigint): boolean {
  checkForm(place, place.value.length === TICKET_BYTES);
  return place.value.readBigInt64BE(1) <= tick;
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
