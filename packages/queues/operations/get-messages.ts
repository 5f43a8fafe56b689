// Get Messages: takes visible messages from the head of the queue and hides them for a while (protocol: messages#life).
//
// One commit moves messages to the time at which they are visible again: no two callers take one message. Where the engine's commits
// read a range as cheaply as keys (`Store.traits`), that commit reads the head of the queue itself, where nobody can be faster.
// Elsewhere what is there is looked up first, and the commit reads the keys of what was found. Gets of one process pass by what others
// of it are about to take (claims.ts); who lost some to another process goes on from there with a range after all.
// A commit of keys reads the texts too; those of what a range found are read afterwards, when nobody else may change them. No head is
// remembered between two gets: engines find the first row without walking over what was deleted before it.
import type { Clock } from '#base';
import type { Decide, Decision, Position, Reads, Row, ScanEnd, Space } from '#store';
import { Claims } from '../claims.js';
import { COUNT_KEY, changeCount, readStanding } from '../message-count.js';
import {
  decodeMessage,
  decodePlace,
  decodeTicket,
  encodeTicket,
  isExpired,
  type Message,
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

/** Expired messages that a get takes out of the way of the next one; the rest is left to the sweep. */
const RECLAIMED_MAX = 64;
const UNBOUNDED = Number.POSITIVE_INFINITY;

interface Taken {
  readonly id: string;
  readonly dequeueCount: number;
  readonly receipt: string;
  readonly visible: bigint;
  /** Absent where it was not read with the place. */
  readonly message: Message | undefined;
}

interface Aim {
  readonly timeout: bigint;
  readonly nonce: Buffer;
}

/** Pure: moves what is visible of the rows, up to `most`, and removes what has expired. `messages` are those of the first places, as far as given. */
function take(
  places: readonly (Row | undefined)[],
  messages: readonly (Row | undefined)[],
  count: Row | undefined,
  tick: bigint,
  aim: Aim,
  most: number,
): Decision<Taken[]> {
  const visible = tick + aim.timeout;
  const puts: { key: string; value: Buffer }[] = [];
  const deletes: string[] = [];
  const result: Taken[] = [];
  let removed = 0;
  for (const [index, row] of places.entries()) {
    if (result.length === most) break;
    if (!row) continue;
    const { visible: seen, inserted, id } = decodePlace(row.key);
    if (seen > tick) continue;
    deletes.push(row.key);
    if (isExpired(row, tick)) {
      deletes.push(messageKey(id));
      removed += 1;
      continue;
    }
    const { expires, dequeueCount: before } = decodeTicket(row);
    const dequeueCount = before + 1;
    const value = encodeTicket({ expires, dequeueCount, nonce: aim.nonce });
    puts.push({ key: placeKey({ visible, inserted, id }), value });
    const receipt = formatReceipt({ visible, inserted, nonce: aim.nonce });
    const message = messages[index];
    result.push({ id, dequeueCount, receipt, visible, message: message && decodeMessage(message) });
  }
  if (removed > 0) puts.push(changeCount(count, -removed));
  return { result, puts, deletes };
}

/** Everything that a get needs while it goes on. */
interface Getting {
  readonly context: QueueContext;
  readonly space: Space;
  readonly partition: string;
  readonly operation: GetMessages;
  readonly aim: Aim;
  readonly now: bigint;
}

interface Found {
  /** Places of messages that can be got, at most as many as are wanted. */
  readonly places: readonly string[];
  /** Some of the expired ones between them. */
  readonly expired: readonly string[];
}

async function find({ context, partition, space, operation, now }: Getting, claims: Claims): Promise<Found> {
  const bounds = placesUntil(now);
  const until = { partition, key: bounds.until };
  const expired: string[] = [];
  const places: string[] = [];
  const visit = (row: Row): boolean => {
    if (isExpired(row, now)) {
      // A look behind others is followed by one from the head, which meets the same again.
      if (expired.length < RECLAIMED_MAX && !expired.includes(row.key)) expired.push(row.key);
      return false;
    }
    if (!claims.claim(row.key)) return false;
    places.push(row.key);
    return true;
  };
  const look = async (from: string): Promise<void> => {
    let next: Position | undefined = { partition, key: from };
    while (next && places.length < operation.count) {
      const rows = operation.count - places.length;
      const budget = { rows, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
      const end: ScanEnd = await context.store.scan(space, { from: next, until }, budget, visit);
      next = end.next;
    }
  };
  const behind = claims.begin();
  if (behind !== undefined) await look(`${behind}\0`);
  if (places.length < operation.count) await look(bounds.from);
  return { places: places.sort(), expired };
}

async function commit<R>(
  { context, space, partition, operation }: Getting,
  reads: Reads,
  decide: Decide<R>,
): Promise<R> {
  const made = await context.store.commit(space, partition, reads, decide);
  if (made === undefined) throw await missingQueue(context, operation.queue);
  return made;
}

/**
 * The first `count` places from `from` on, whoever else is about to take them. Each commit reads as many as are wanted, and more where
 * messages turn out to have expired: it ends, because it removes those.
 */
async function takeFrom(getting: Getting, from: string, count: number): Promise<Taken[]> {
  const { until } = placesUntil(getting.now);
  const all: Taken[] = [];
  let next: string | undefined = from;
  for (let rows = count; next !== undefined && all.length < count; rows = Math.min(2 * rows, RECLAIMED_MAX)) {
    const most: number = count - all.length;
    const reads: Reads = { keys: [COUNT_KEY], range: { from: next, until, rows } };
    const made: { readonly taken: readonly Taken[]; readonly next: string | undefined } = await commit(
      getting,
      reads,
      ({ keys: [row], range }, tick) => {
        const last = range.length < rows ? undefined : range.at(-1);
        const decision = take(range, [], row, tick, getting.aim, most);
        return { ...decision, result: { taken: decision.result, next: last && `${last.key}\0` } };
      },
    );
    all.push(...made.taken);
    next = made.next;
  }
  return all;
}

/** Looks first, and takes what is still there; keys are all that its commit reads. */
async function lookAndTake(getting: Getting): Promise<readonly Taken[]> {
  const claims = new Claims(getting.context.store, getting.space, getting.partition);
  try {
    const { places, expired } = await find(getting, claims);
    if (places.length + expired.length === 0) return [];
    const texts = places.map(place => messageKey(decodePlace(place).id));
    const keys = [COUNT_KEY, ...places, ...expired, ...texts];
    const textsFrom = keys.length - texts.length;
    const taken = await commit(getting, { keys }, ({ keys: rows }, tick) =>
      take(rows.slice(1, textsFrom), rows.slice(textsFrom), rows[0], tick, getting.aim, UNBOUNDED),
    );
    const last = places.at(-1);
    if (last === undefined || taken.length === places.length) return taken;
    const rest = await takeFrom(getting, `${last}\0`, getting.operation.count - taken.length);
    return [...taken, ...rest];
  } finally {
    claims.release();
  }
}

/** Only a clear takes a message from its holder: what has no text any more was cleared meanwhile. */
async function withTexts(
  { context, space, partition }: Getting,
  taken: readonly Taken[],
): Promise<HeldMessage[]> {
  const unread = taken.flatMap(({ id, message }) => (message ? [] : [messageKey(id)]));
  const rows = unread.length === 0 ? [] : await context.store.read(space, partition, unread);
  const later = new Map(rows.flatMap(row => (row ? [[row.key, decodeMessage(row)]] : [])));
  return taken.flatMap(({ id, dequeueCount, receipt, visible, message = later.get(messageKey(id)) }) =>
    message ? [{ id, ...message, dequeueCount, receipt, visible }] : [],
  );
}

export async function getMessages(
  context: QueueContext,
  operation: GetMessages,
  clock: Clock,
): Promise<Outcome> {
  const space = await openQueue(context, operation.queue);
  const partition = partitionOf(space);
  const { count, now } = await readStanding(context.store, space, partition, clock);
  if (count === 0) return { kind: 'messages', messages: [] };
  const timeout = BigInt(operation.visibilitySeconds) * TICKS_A_SECOND;
  const aim = { timeout, nonce: nonceOf(context.ids()) };
  const getting = { context, space, partition, operation, aim, now };
  const { cheapRangeReadsInCommit } = context.store.traits;
  const taken = cheapRangeReadsInCommit
    ? await takeFrom(getting, placesUntil(now).from, operation.count)
    : await lookAndTake(getting);
  return { kind: 'messages', messages: await withTexts(getting, taken) };
}
