// Fills and drains a queue at the store contract, which is faster than by requests. Everything about a message follows from its number.
import { NEVER } from '../../packages/queues/limits.js';
import {
  COUNT_KEY,
  changeCount,
  encodeDeliveryState,
  encodeMessage,
  encodeVisibilityKey,
  messageKey,
  NONCE_BYTES,
  partitionOf,
} from '../../packages/queues/message-rows.js';
import type { Budget, Engine, Space } from '../../packages/store/index.js';
import { filler } from '../load/gaps.js';
import { messageText } from '../load/queues.js';

/** Short: a million of them have to fit on one machine three times. */
export const TEXT_LENGTH = 32;
/** 2023-11-14: they have long been visible. */
const FIRST_TICK = 17_000_000_000_000_000n;
/** Per commit: two rows each, and the count. As many waiting deletes become one commit, too. */
const MESSAGES_A_COMMIT = 400;
const NO_BOUND = Number.POSITIVE_INFINITY;
/** The maximum of a get. */
const LOOK: Budget = { rows: 32, bytes: NO_BOUND, examined: NO_BOUND, milliseconds: NO_BOUND };

const textOf = filler(messageText(TEXT_LENGTH), 1);

/** The message's two rows; a get looks for the first. */
function rowsOf(number: number) {
  // In random order, as a server's are.
  const scattered = ((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
  const id = `${scattered}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
  const inserted = FIRST_TICK + BigInt(number);
  const state = { expires: NEVER, dequeueCount: 0, nonce: Buffer.alloc(NONCE_BYTES) };
  return [
    { key: encodeVisibilityKey({ visible: inserted, inserted, id }), value: encodeDeliveryState(state) },
    { key: messageKey(id), value: encodeMessage({ inserted, expires: NEVER, text: textOf(number) }) },
  ];
}

const rowsBetween = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, offset) => rowsOf(from + offset)).flat();

export async function fillQueue(store: Engine, space: Space, messages: number): Promise<void> {
  for (let from = 0; from < messages; from += MESSAGES_A_COMMIT) {
    const until = Math.min(messages, from + MESSAGES_A_COMMIT);
    await store.commit(space, partitionOf(space), { keys: [COUNT_KEY] }, ({ keys: [count] }) => ({
      result: undefined,
      puts: [changeCount(count, until - from), ...rowsBetween(from, until)],
    }));
  }
}

/** Deletes messages like their receivers, and between the commits looks for the first message, as a get does. @returns how many. */
export async function drainQueue(store: Engine, space: Space, first: number, end: number): Promise<number> {
  const partition = partitionOf(space);
  const head = { from: { partition, key: 'at/' }, until: { partition, key: 'at0' } };
  let deleted = 0;
  for (let from = first; from < end; from += MESSAGES_A_COMMIT) {
    const keys = rowsBetween(from, Math.min(end, from + MESSAGES_A_COMMIT)).map(({ key }) => key);
    const reads = { keys: [COUNT_KEY, ...keys] };
    const gone = await store.commit(space, partition, reads, ({ keys: [count, ...found] }) => {
      // Both rows of messages that were not got, whose visibility key is as it was.
      const deletes = keys.filter((_, at) => found[at - (at % 2)] !== undefined);
      const result = deletes.length / 2;
      return { result, puts: [changeCount(count, -result)], deletes };
    });
    deleted += gone ?? 0;
    await store.scan(space, head, LOOK, () => true);
  }
  return deleted;
}
