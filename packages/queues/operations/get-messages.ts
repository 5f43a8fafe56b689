// Get Messages: leases visible messages from the head of the queue for a while (protocol: messages#life).
//
// One commit moves messages to the time at which they are visible again, so two callers never lease one message. A scan
// finds messages first, and the commit reads the keys that it found, and their texts: commits of keys share a batch of any
// engine, while one that reads a range waits alone on Cassandra and walks over what was taken last on LMDB. Gets of one
// process skip what others of it have claimed; a get that lost messages to another process, which then has them, scans again
// for a few seconds.
// No head is cached between two gets: engines find the first row without walking over deleted ones.
import type { Clock } from '#base';
import {
  type Decision,
  type Position,
  type Row,
  type ScanEnd,
  type Space,
  type Store,
  StoreError,
} from '#store';
import {
  COUNT_KEY,
  changeCount,
  decodeDeliveryState,
  decodeMessage,
  decodeVisibilityKey,
  encodeDeliveryState,
  encodeVisibilityKey,
  formatReceipt,
  isExpired,
  messageKey,
  nonceOf,
  partitionOf,
  readStanding,
  TICKS_A_SECOND,
  visibleUntil,
} from '../message-rows.js';
import type { GetMessages } from '../operation.js';
import type { LeasedMessage, Outcome } from '../outcome.js';
import { missingQueue, openQueue, type QueueContext } from '../queue-space.js';

/**
 * The visibility keys that gets of this process are about to take. A claim is only a hint: the commit decides which get
 * leases a message, also between processes.
 */
interface Claimed {
  readonly keys: Set<string>;
  /** Gets under way. */
  gets: number;
  /** The visibility key that was claimed last; most keys before it were claimed earlier. */
  last: string | undefined;
  /** Scans that began after `last` since one began at the head. */
  looks: number;
}

/** Every sixteenth scan begins at the head, and finds messages that became visible or were released before `last`. */
const LOOKS_BEHIND_MAX = 15;

/** By store, because several may be open, and by generation of a queue. */
const stores = new WeakMap<Store, Map<string, Claimed>>();

/** A get's claims on messages, which it releases when it ends, also after a failure. */
export class Claims {
  readonly #queues: Map<string, Claimed>;
  readonly #queue: string;
  readonly #claimed: Claimed;
  readonly #mine: string[] = [];

  constructor(store: Store, space: Space, partition: string) {
    this.#queues = stores.get(store) ?? new Map();
    stores.set(store, this.#queues);
    this.#queue = `${space.id}/${partition}`;
    this.#claimed = this.#queues.get(this.#queue) ?? {
      keys: new Set(),
      gets: 0,
      last: undefined,
      looks: 0,
    };
    this.#claimed.gets += 1;
    this.#queues.set(this.#queue, this.#claimed);
  }

  /** The visibility key after which the scan should begin; undefined for the head. */
  begin(): string | undefined {
    const claimed = this.#claimed;
    claimed.looks = claimed.last === undefined || claimed.looks >= LOOKS_BEHIND_MAX ? 0 : claimed.looks + 1;
    return claimed.looks === 0 ? undefined : claimed.last;
  }

  /** False if another get has claimed it. */
  claim(key: string): boolean {
    const claimed = this.#claimed;
    if (claimed.keys.has(key)) return false;
    claimed.keys.add(key);
    claimed.last = key;
    this.#mine.push(key);
    return true;
  }

  /** To be called once, at the end. */
  release(): void {
    for (const key of this.#mine) this.#claimed.keys.delete(key);
    this.#claimed.gets -= 1;
    if (this.#claimed.keys.size === 0) this.#claimed.last = undefined;
    if (this.#claimed.gets === 0) this.#queues.delete(this.#queue);
  }
}

/**
 * How long after its beginning a get may scan again. It never claims a message twice, so it comes to an end without this
 * too; but where many processes get, the end of a long queue is further away than its client's patience.
 */
const PATIENCE = 5n * TICKS_A_SECOND;
/** Expired messages that a get removes; the sweep removes the others. */
const RECLAIMED_MAX = 64;
const UNBOUNDED = Number.POSITIVE_INFINITY;

interface Aim {
  readonly timeout: bigint;
  readonly nonce: Buffer;
  /**
   * When the messages become visible again that an earlier commit of the same get has leased: those of later ones do so at the same moment,
   * so that messages of one get keep the order of their puts; once that moment is past, none is leased. Undefined for the first commit.
   */
  readonly visible: bigint | undefined;
}

/** Pure: leases those of `rows` that are visible, and removes the expired ones. `texts` has the texts of the first rows, which are to be leased. */
function take(
  rows: readonly (Row | undefined)[],
  texts: readonly (Row | undefined)[],
  count: Row | undefined,
  tick: bigint,
  aim: Aim,
): Decision<LeasedMessage[]> {
  const visible = aim.visible ?? tick + aim.timeout;
  if (visible <= tick) return { result: [] };
  const puts: { key: string; value: Buffer }[] = [];
  const deletes: string[] = [];
  const result: LeasedMessage[] = [];
  let removed = 0;
  for (const [index, row] of rows.entries()) {
    if (!row) continue;
    const { visible: seen, inserted, id } = decodeVisibilityKey(row.key);
    if (seen > tick) continue;
    if (isExpired(row, tick)) {
      deletes.push(row.key, messageKey(id));
      removed += 1;
      continue;
    }
    const text = texts[index];
    // Cleared in between.
    if (!text) continue;
    deletes.push(row.key);
    const { expires, dequeueCount: before } = decodeDeliveryState(row);
    const dequeueCount = before + 1;
    const value = encodeDeliveryState({ expires, dequeueCount, nonce: aim.nonce });
    puts.push({ key: encodeVisibilityKey({ visible, inserted, id }), value });
    const receipt = formatReceipt({ visible, inserted, nonce: aim.nonce });
    result.push({ id, ...decodeMessage(text), dequeueCount, receipt, visible });
  }
  if (removed > 0) puts.push(changeCount(count, -removed));
  return { result, puts, deletes };
}

/** The parameters of one get. */
interface Getting {
  readonly context: QueueContext;
  readonly space: Space;
  readonly partition: string;
  readonly operation: GetMessages;
  readonly timeout: bigint;
  readonly nonce: Buffer;
  readonly now: bigint;
  readonly clock: Clock;
}

interface Found {
  /** Visibility keys of messages that can be leased, at most as many as are wanted. */
  readonly keys: readonly string[];
  /** Visibility keys of some expired messages between them. */
  readonly expired: readonly string[];
}

/** At most so many messages. */
async function find(
  { context, partition, space, now }: Getting,
  claims: Claims,
  wanted: number,
): Promise<Found> {
  const bounds = visibleUntil(now);
  const until = { partition, key: bounds.until };
  const expired: string[] = [];
  const keys: string[] = [];
  const visit = (row: Row): boolean => {
    if (isExpired(row, now)) {
      // After a scan that started past the claims, one from the head may meet the same message again.
      if (expired.length < RECLAIMED_MAX && !expired.includes(row.key)) expired.push(row.key);
      return false;
    }
    if (!claims.claim(row.key)) return false;
    keys.push(row.key);
    return true;
  };
  const look = async (from: string): Promise<void> => {
    let next: Position | undefined = { partition, key: from };
    while (next && keys.length < wanted) {
      const rows = wanted - keys.length;
      const budget = { rows, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
      const end: ScanEnd = await context.store.scan(space, { from: next, until }, budget, visit);
      next = end.next;
    }
  };
  const behind = claims.begin();
  if (behind !== undefined) await look(`${behind}\0`);
  if (keys.length < wanted) await look(bounds.from);
  return { keys: keys.sort(), expired };
}

/** Adds to `all` what it leases. True if it lost some of what it found, so that there may be more. */
async function leaseFound(getting: Getting, claims: Claims, all: LeasedMessage[]): Promise<boolean> {
  const { context, space, partition, operation, timeout, nonce } = getting;
  const { keys: found, expired } = await find(getting, claims, operation.count - all.length);
  if (found.length + expired.length === 0) return false;
  const texts = found.map(key => messageKey(decodeVisibilityKey(key).id));
  const keys = [COUNT_KEY, ...found, ...expired, ...texts];
  const textsFrom = keys.length - texts.length;
  const aim: Aim = { timeout, nonce, visible: all[0]?.visible };
  const taken = await context.store.commit(space, partition, { keys }, ({ keys: rows }, tick) =>
    take(rows.slice(1, textsFrom), rows.slice(textsFrom), rows[0], tick, aim),
  );
  if (taken === undefined) throw missingQueue();
  all.push(...taken);
  return taken.length < found.length;
}

async function lease(getting: Getting): Promise<readonly LeasedMessage[]> {
  const { context, space, partition, clock } = getting;
  const claims = new Claims(context.store, space, partition);
  const all: LeasedMessage[] = [];
  const giveUp = clock() + PATIENCE;
  try {
    while (
      (await leaseFound(getting, claims, all)) &&
      clock() < (all[0]?.visible ?? giveUp) &&
      clock() < giveUp
    );
    return all;
  } catch (error) {
    // No other get returns the leased messages until they are visible again.
    if (all.length > 0 && error instanceof StoreError) return all;
    throw error;
  } finally {
    claims.release();
  }
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
  const nonce = nonceOf(context.ids());
  const messages = await lease({ context, space, partition, operation, timeout, nonce, now, clock });
  return { kind: 'messages', messages };
}
