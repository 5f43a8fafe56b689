// Pop receipts, the proof that a client leases a message. A receipt encodes the message's visibility key and the nonce stored
// under it, so that it cannot be guessed, and becomes invalid when the message's visibility changes.
//
//   +--------+-------------+--------------+---------------+
//   | 1 byte | visible     | inserted     | nonce         |    24 bytes, in Base64 32 characters without padding
//   | form 1 | u64 BE tick | u64 BE tick  | 7 bytes       |
//   +--------+-------------+--------------+---------------+
//
// Azure's receipts have another form; clients must treat both as opaque (protocol: messages#receipts).
import { NONCE_BYTES } from './message-rows.js';
import { QueueError } from './queue-error.js';

export interface PopReceipt {
  readonly visible: bigint;
  readonly inserted: bigint;
  readonly nonce: Buffer;
}

const FORM = 1;
const BYTES = 1 + 8 + 8 + NONCE_BYTES;
const TEXT = /^[A-Za-z0-9+/]{32}$/;
/** Ticks are signed where they are stored. */
const TICK_MAX = 2n ** 63n - 1n;

export function formatReceipt({ visible, inserted, nonce }: PopReceipt): string {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeUInt8(FORM);
  bytes.writeBigUInt64BE(visible, 1);
  bytes.writeBigUInt64BE(inserted, 9);
  nonce.copy(bytes, 17);
  return bytes.toString('base64');
}

/** @throws QueueError for a malformed receipt, as recorded (protocol: messages#parameters). */
export function parseReceipt(text: string): PopReceipt {
  if (TEXT.test(text)) {
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
