// The messages that a queue on a cluster is filled with: everything about one follows from its number, so that a
// process can delete messages that another one put.
import { NEVER } from '../../packages/queues/limits.js';
import {
  encodeDeliveryState,
  encodeMessage,
  encodeVisibilityKey,
  messageKey,
  NONCE_BYTES,
} from '../../packages/queues/message-rows.js';
import { textOf } from '../queues/queue-requests.js';

export { COUNT_KEY, changeCount, partitionOf } from '../../packages/queues/message-rows.js';

/** Short: a million of them have to fit on one machine three times. */
export const TEXT_BYTES = 32;
/** 2023-11-14: they have long been visible. */
const FIRST_TICK = 17_000_000_000_000_000n;
const ID_DIGITS = 12;

/** A GUID each, in random order, as a server's are. */
const idOf = (number: number): string => {
  const scattered = ((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
  return `${scattered}-0000-4000-8000-${number.toString(16).padStart(ID_DIGITS, '0')}`;
};

/** The keys of the message's two rows; a get looks for the first. */
export function keysOfMessage(number: number): readonly [string, string] {
  const tick = FIRST_TICK + BigInt(number);
  const id = idOf(number);
  return [encodeVisibilityKey({ visible: tick, inserted: tick, id }), messageKey(id)];
}

export function rowsOfMessage(number: number): readonly { readonly key: string; readonly value: Buffer }[] {
  const [visibility, message] = keysOfMessage(number);
  const state = { expires: NEVER, dequeueCount: 0, nonce: Buffer.alloc(NONCE_BYTES) };
  const inserted = FIRST_TICK + BigInt(number);
  return [
    { key: visibility, value: encodeDeliveryState(state) },
    { key: message, value: encodeMessage({ inserted, expires: NEVER, text: textOf(number, TEXT_BYTES) }) },
  ];
}
