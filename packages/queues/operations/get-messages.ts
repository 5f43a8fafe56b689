// Get Messages: takes visible messages from the head of the queue and hides them for a while (queue-blob-rest.md 8.3).
//
// What is there is looked up first, which costs a poll of an empty queue one read. Then one commit reads on from that place, and
// moves what is visible now to the time at which it is visible again: whatever others took meanwhile has moved from there, so
// no two callers take one message. The texts are read last, since nobody else may change them now. No head is remembered between two
// gets: engines find the first row without walking over what was deleted before it.
import type { Clock, Decision, Page, Position, ReadRows, Row, Space } from '#store';
import { COUNT_KEY, changeCount, readStanding } from '../message-count.js';
import {
  decodeMessage,
  decodePlace,
  decodeTicket,
  encodeTicket,
  isExpired,
  messageKey,
  partitionOf,
  placeKey,
  placesUntil,
  TICKS_A_SECOND,
} from '../message-rows.js';
import type { GetMessages } from '../operation.js';
import type { HeldMessage, Outcome } from '../outcome.js';
import { formatReceipt, nonceOf } from '../pop-receipt.js';
import { missingQueue, openQueue, type QueueContext } from '../queue-space.js';

/** A further round is for messages behind expired ones, or if others took all that was seen. */
const ROUNDS_MAX = 8;
/** Expired messages that a get takes out of the way of the next one; the rest is left to the sweep. */
const RECLAIMED_MAX = 64;
const UNBOUNDED = Number.POSITIVE_INFINITY;

interface Taken {
  readonly id: string;
  readonly dequeueCount: number;
  readonly receipt: string;
  readonly visible: bigint;
}

interface Take {
  readonly taken: readonly Taken[];
  /** Where to look for more; undefined if there was nothing visible behind what was taken. */
  readonly next: string | undefined;
}

interface Aim {
  readonly count: number;
  readonly timeout: bigint;
  readonly nonce: Buffer;
}

/** Pure: moves up to `count` visible messages of the range, and removes what has expired. */
function take({ keys: [count, ...passed], range }: ReadRows, tick: bigint, aim: Aim): Decision<Take> {
  const visible = tick + aim.timeout;
  const puts: { key: string; value: Buffer }[] = [];
  const deletes: string[] = [];
  const taken: Taken[] = [];
  let removed = 0;
  const reclaim = (row: Row): void => {
    deletes.push(row.key, messageKey(decodePlace(row.key).id));
    removed += 1;
  };
  for (const row of passed) if (row && isExpired(row, tick)) reclaim(row);
  let last: string | undefined;
  for (const row of range) {
    const { visible: seen, inserted, id } = decodePlace(row.key);
    if (seen > tick) break;
    last = row.key;
    if (isExpired(row, tick)) {
      reclaim(row);
      continue;
    }
    const { expires, dequeueCount: before } = decodeTicket(row);
    const dequeueCount = before + 1;
    deletes.push(row.key);
    const value = encodeTicket({ expires, dequeueCount, nonce: aim.nonce });
    puts.push({ key: placeKey({ visible, inserted, id }), value });
    const receipt = formatReceipt({ visible, inserted, nonce: aim.nonce });
    taken.push({ id, dequeueCount, receipt, visible });
  }
  if (removed > 0) puts.push(changeCount(count, -removed));
  const isCut = last !== undefined && last === range[aim.count - 1]?.key;
  return { result: { taken, next: isCut ? `${last}\0` : undefined }, puts, deletes };
}

interface Head {
  /** The first place of a message that can be got. */
  readonly key: string | undefined;
  /** Some of the expired ones before it. */
  readonly expired: readonly string[];
}

async function findHead(
  { store }: QueueContext,
  space: Space,
  from: string | undefined,
  now: bigint,
): Promise<Head> {
  const partition = partitionOf(space);
  const places = placesUntil(now);
  const until = { partition, key: places.until };
  const expired: string[] = [];
  const accept = (row: Row): boolean => {
    if (!isExpired(row, now)) return true;
    if (expired.length < RECLAIMED_MAX) expired.push(row.key);
    return false;
  };
  const budget = { rows: 1, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
  let next: Position | undefined = { partition, key: from ?? places.from };
  while (next) {
    const page: Page = await store.scan(space, { from: next, until }, budget, accept);
    if (page.rows[0]) return { key: page.rows[0].key, expired };
    next = page.next;
  }
  return { key: undefined, expired };
}

async function takeMessages(
  context: QueueContext,
  space: Space,
  operation: GetMessages,
  now: bigint,
): Promise<Taken[]> {
  const timeout = BigInt(operation.visibilitySeconds) * TICKS_A_SECOND;
  const nonce = nonceOf(context.ids());
  const all: Taken[] = [];
  let from: string | undefined;
  for (let round = 0; round < ROUNDS_MAX && all.length < operation.count; round++) {
    const { key, expired } = await findHead(context, space, from, now);
    if (key === undefined && expired.length === 0) break;
    const aim = { count: operation.count - all.length, timeout, nonce };
    const reads = {
      keys: [COUNT_KEY, ...expired],
      range: key === undefined ? undefined : { from: key, until: placesUntil(now).until, rows: aim.count },
    };
    const made = await context.store.commit(space, partitionOf(space), reads, (rows, tick) =>
      take(rows, tick, aim),
    );
    if (!made) throw await missingQueue(context, operation.queue);
    all.push(...made.taken);
    from = made.next;
    // Without any, others were faster; who got some and reached the end has all.
    if (key === undefined || (from === undefined && all.length > 0)) break;
  }
  return all;
}

/** Only a clear takes a message from its holder: what has no text any more was cleared meanwhile. */
async function withTexts(
  context: QueueContext,
  space: Space,
  taken: readonly Taken[],
): Promise<HeldMessage[]> {
  const keys = taken.map(({ id }) => messageKey(id));
  const rows = await context.store.read(space, partitionOf(space), keys);
  return taken.flatMap(({ id, dequeueCount, receipt, visible }, index) => {
    const row = rows[index];
    if (!row) return [];
    const { inserted, expires, text } = decodeMessage(row);
    return [{ id, inserted, expires, dequeueCount, text, receipt, visible }];
  });
}

export async function getMessages(
  context: QueueContext,
  operation: GetMessages,
  clock: Clock,
): Promise<Outcome> {
  const space = await openQueue(context, operation.queue);
  const { count, now } = await readStanding(context.store, space, partitionOf(space), clock);
  const taken = count === 0 ? [] : await takeMessages(context, space, operation, now);
  const messages = taken.length === 0 ? [] : await withTexts(context, space, taken);
  return { kind: 'messages', messages };
}
