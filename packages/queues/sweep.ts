// The sweep, a background task that reclaims what no operation shows again: expired messages, and the messages left by a clear.
// The server runs it in small steps, with the pause that each step returns. Without a sweep answers stay right: operations skip
// expired messages, but the count includes them.
//
// A step reads and changes a bounded number of rows, so that it blocks no request for long. A pass goes over all queues of all
// accounts and reads every visibility key once: an index by expiry would cost each put another row.
import { nextSpace, placeAfter, SWEEP_START, type SweepPlace, type SweepStep } from '#account';
import type { Clock } from '#base';
import type { Decision, ReadRows, Row, ScanEnd, Space, Store } from '#store';
import {
  allVisibilityKeys,
  COUNT_KEY,
  changeCount,
  decodeCount,
  decodeVisibilityKey,
  isExpired,
  messageKey,
  partitionOf,
} from './message-rows.js';

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** Messages that one commit of a step removes: two rows each, so about as many rows as the longest transaction changes. */
export const RECLAIMED_A_STEP = 64;
export const EXAMINED_A_STEP = 1000;
/** There is more to reclaim. */
const PAUSE_OF_WORK_MS = 5;
/** Between two steps on a long queue: the sweep examines 10,000 messages a second, with 1 to 2 % of a processor. */
const PAUSE_OF_SEARCH_MS = 100;
const PAUSE_OF_PASSES_MS = 30_000;

export interface SweepOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called again for each queue of a pass. */
  readonly accounts: () => readonly string[];
}

/** The visibility keys of expired messages in a part of a queue. */
interface Expired extends ScanEnd {
  readonly keys: readonly string[];
}

interface Standpoint extends SweepPlace {
  /** The visibility key to continue at; undefined at the beginning of a queue. */
  readonly key?: string;
}

export class Sweep {
  readonly #options: SweepOptions;
  #at: Standpoint = SWEEP_START;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** Steps must not overlap. After a failure the next step continues with the next queue. */
  async step(): Promise<SweepStep> {
    const { store, accounts } = this.#options;
    const at = this.#at;
    const space = await nextSpace(store, accounts(), 'queue', at);
    if (!space) {
      this.#at = SWEEP_START;
      return { reclaimed: 0, isPassOver: true, pauseMs: PAUSE_OF_PASSES_MS };
    }
    this.#at = placeAfter(space);
    const cleared = await this.#reclaimCleared(space);
    if (cleared > 0) {
      this.#at = at;
      return { reclaimed: cleared, isPassOver: false, pauseMs: PAUSE_OF_WORK_MS };
    }
    const isSame = space.account === at.account && space.name === at.name;
    return this.#reclaimExpired(space, isSame ? at.key : undefined);
  }

  /** Removes rows of earlier generations. Only a put that was under way during the clear still adds to them. */
  async #reclaimCleared(space: Space): Promise<number> {
    const { store } = this.#options;
    const range = { from: { partition: '', key: '' }, until: { partition: partitionOf(space), key: '' } };
    const budget = {
      rows: UNBOUNDED,
      bytes: UNBOUNDED,
      examined: 2 * RECLAIMED_A_STEP,
      milliseconds: UNBOUNDED,
    };
    const keys: string[] = [];
    let partition: string | undefined;
    // Values are long and not needed: the visitor keeps the keys alone.
    const visit = (row: Row): boolean => {
      partition ??= row.partition;
      if (row.partition === partition) keys.push(row.key);
      return false;
    };
    await store.scan(space, range, budget, visit);
    if (partition === undefined) return 0;
    await store.commit(space, partition, { keys: [] }, () => ({ result: true, deletes: keys }));
    return keys.length;
  }

  async #reclaimExpired(space: Space, key: string | undefined): Promise<SweepStep> {
    const { store, clock } = this.#options;
    const from = key ?? allVisibilityKeys.from;
    const { keys: expired, next, examined } = await this.#expired(space, from, clock());
    const keys = [COUNT_KEY, ...expired];
    const reclaimed =
      expired.length === 0 ? 0 : ((await store.commit(space, partitionOf(space), { keys }, reclaim)) ?? 0);
    if (key === undefined && !next) await this.#checkCount(space, examined - reclaimed);
    if (next) this.#at = { account: space.account, name: space.name, key: next.key };
    const pauseMs = reclaimed > 0 ? PAUSE_OF_WORK_MS : next ? PAUSE_OF_SEARCH_MS : 0;
    return { reclaimed, isPassOver: false, pauseMs };
  }

  /** Corrects a count that a delete on a full disk left too high; only in queues that one step examines whole. */
  async #checkCount(space: Space, seen: number): Promise<void> {
    const { store } = this.#options;
    const partition = partitionOf(space);
    const [count] = await store.read(space, partition, [COUNT_KEY]);
    if (decodeCount(count) === seen) return;
    const range = { ...allVisibilityKeys, rows: EXAMINED_A_STEP + 1 };
    await store.commit(space, partition, { keys: [COUNT_KEY], range }, recount);
  }

  async #expired(space: Space, key: string, now: bigint): Promise<Expired> {
    const partition = partitionOf(space);
    const range = { from: { partition, key }, until: { partition, key: allVisibilityKeys.until } };
    const budget = {
      rows: RECLAIMED_A_STEP,
      bytes: UNBOUNDED,
      examined: EXAMINED_A_STEP,
      milliseconds: UNBOUNDED,
    };
    const keys: string[] = [];
    const { next, examined } = await this.#options.store.scan(space, range, budget, row => {
      if (!isExpired(row, now)) return false;
      keys.push(row.key);
      return true;
    });
    return { keys, next, examined };
  }
}

/** Pure: removes the messages that still have these keys and are expired. */
function reclaim({ keys: [count, ...rows] }: ReadRows, tick: bigint): Decision<number> {
  const expired = rows.flatMap(row => (row && isExpired(row, tick) ? [row.key] : []));
  if (expired.length === 0) return { result: 0 };
  const deletes = expired.flatMap(key => [key, messageKey(decodeVisibilityKey(key).id)]);
  return { result: expired.length, puts: [changeCount(count, -expired.length)], deletes };
}

/** Pure: corrects the count, if the range has all visibility keys. */
function recount({ keys: [count], range }: ReadRows): Decision<boolean> {
  const difference = range.length - decodeCount(count);
  if (difference === 0 || range.length > EXAMINED_A_STEP) return { result: false };
  return { result: true, puts: [changeCount(count, difference)] };
}
