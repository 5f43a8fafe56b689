// Peek Messages: shows the messages that the next get would lease, and changes nothing (protocol: messages#life).
import type { Clock } from '#base';
import { collectRows, type Page, type Position, type Row, type Space } from '#store';
import {
  decodeDeliveryState,
  decodeMessage,
  decodeVisibilityKey,
  isExpired,
  messageKey,
  partitionOf,
  readStanding,
  visibleUntil,
} from '../message-rows.js';
import type { PeekMessages } from '../operation.js';
import type { Outcome, SeenMessage } from '../outcome.js';
import { openQueue, type QueueContext } from '../queue-space.js';

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Empty for a message that was deleted between the two reads. */
function seen(stateRow: Row, row: Row | undefined): SeenMessage[] {
  if (!row) return [];
  const { inserted, expires, text } = decodeMessage(row);
  const { dequeueCount } = decodeDeliveryState(stateRow);
  return [{ id: decodeVisibilityKey(stateRow.key).id, inserted, expires, dequeueCount, text }];
}

async function findVisible(
  { store }: QueueContext,
  space: Space,
  count: number,
  now: bigint,
): Promise<readonly Row[]> {
  const partition = partitionOf(space);
  const visible = visibleUntil(now);
  const until = { partition, key: visible.until };
  const found: Row[] = [];
  let next: Position | undefined = { partition, key: visible.from };
  while (next && found.length < count) {
    const rows = count - found.length;
    const budget = { rows, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
    const range = { from: next, until };
    const page: Page = await collectRows(store, space, range, budget, row => !isExpired(row, now));
    found.push(...page.rows);
    next = page.next;
  }
  return found;
}

export async function peekMessages(
  context: QueueContext,
  { queue, count: rows }: PeekMessages,
  clock: Clock,
): Promise<Outcome> {
  const { store } = context;
  const space = await openQueue(context, queue);
  const partition = partitionOf(space);
  const { count, now } = await readStanding(store, space, partition, clock);
  if (count === 0) return { kind: 'messagesPeeked', messages: [] };
  const visible = await findVisible(context, space, rows, now);
  const keys = visible.map(({ key }) => messageKey(decodeVisibilityKey(key).id));
  const texts = await store.read(space, partition, keys);
  return { kind: 'messagesPeeked', messages: visible.flatMap((row, index) => seen(row, texts[index])) };
}
