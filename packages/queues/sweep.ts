// Reclaims what no operation will show again: expired messages, and what was in a queue when it was cleared. In small steps, which
// whoever runs a server takes one after another with the pauses that each asks for. A store without a sweep shows nothing wrong:
// expired messages are passed by, but counted.
//
// A step looks at a bounded number of rows and changes a bounded number, so it holds up nobody. A pass goes over all queues of all
// accounts; it reads every place of every queue once, in the background, because an index by expiry would cost each put another row.
import type { Clock } from '#base';
import type { Decision, ReadRows, Row, ScanEnd, Space, Store } from '#store';
import { COUNT_KEY, changeCount, decodeCount } from './message-count.js';
import { allPlaces, decodePlace, isExpired, messageKey, partitionOf } from './message-rows.js';

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** Messages that one commit of a step removes: two rows each, about as many as of the longest transaction. */
export const RECLAIMED_A_STEP = 64;
export const EXAMINED_A_STEP = 1000;
/** There is more to reclaim. */
const PAUSE_OF_WORK_MS = 5;
/** Between two looks at a long queue: 10,000 messages a second are passed by, a hundredth or two of a processor. */
const PAUSE_OF_SEARCH_MS = 100;
const PAUSE_OF_PASSES_MS = 30_000;

export interface SweepOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Asked again as the sweep goes on. */
  readonly accounts: () => readonly string[];
}

export interface SweepStep {
  readonly reclaimed: number;
  /** All queues were looked at since the last time that this was so. */
  readonly isPassOver: boolean;
  /** How long to wait before the next step. */
  readonly pauseMs: number;
}

/** Messages of a part of a queue that are expired, by their places. */
interface Expired extends ScanEnd {
  readonly places: readonly string[];
}

interface Standpoint {
  readonly account: string;
  /** The first name to look at. */
  readonly queue: string;
  /** The first place to look at, in a queue that was begun. */
  readonly place: string | undefined;
}

export class Sweep {
  readonly #options: SweepOptions;
  #at: Standpoint | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** Not to be called again before it has ended. After a failure the next step goes on with the next queue. */
  async step(): Promise<SweepStep> {
    const { store } = this.#options;
    const at = this.#at ?? this.#accountFrom('');
    if (!at) return this.#passOver();
    const [space] = await store.listSpaces(at.account, 'queue', at.queue, 1);
    if (!space) {
      this.#at = this.#accountFrom(`${at.account}\0`);
      return this.#at ? { reclaimed: 0, isPassOver: false, pauseMs: 0 } : this.#passOver();
    }
    this.#at = { account: at.account, queue: `${space.name}\0`, place: undefined };
    const cleared = await this.#reclaimCleared(space);
    if (cleared > 0) {
      this.#at = at;
      return { reclaimed: cleared, isPassOver: false, pauseMs: PAUSE_OF_WORK_MS };
    }
    const place = space.name === at.queue ? at.place : undefined;
    return this.#reclaimExpired(at.account, space, place);
  }

  #passOver(): SweepStep {
    this.#at = undefined;
    return { reclaimed: 0, isPassOver: true, pauseMs: PAUSE_OF_PASSES_MS };
  }

  #accountFrom(name: string): Standpoint | undefined {
    const later = this.#options.accounts().filter(account => account >= name);
    const account = later.reduce<string | undefined>(
      (first, other) => (first === undefined || other < first ? other : first),
      undefined,
    );
    return account === undefined ? undefined : { account, queue: '', place: undefined };
  }

  /** Rows of earlier generations; none are added but by a put that was under way when its queue was cleared. */
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
    // Values are long and not wanted: keys are noted as they pass.
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

  async #reclaimExpired(account: string, space: Space, place: string | undefined): Promise<SweepStep> {
    const { store, clock } = this.#options;
    const { places, next, examined } = await this.#expired(space, place ?? allPlaces.from, clock());
    const keys = [COUNT_KEY, ...places];
    const reclaimed =
      places.length === 0 ? 0 : ((await store.commit(space, partitionOf(space), { keys }, reclaim)) ?? 0);
    if (place === undefined && !next) await this.#checkCount(space, examined - reclaimed);
    if (next) this.#at = { account, queue: space.name, place: next.key };
    const pauseMs = reclaimed > 0 ? PAUSE_OF_WORK_MS : next ? PAUSE_OF_SEARCH_MS : 0;
    return { reclaimed, isPassOver: false, pauseMs };
  }

  /** A delete that could not put anything has left the count too high. That shows in a queue of which a step saw all. */
  async #checkCount(space: Space, seen: number): Promise<void> {
    const { store } = this.#options;
    const partition = partitionOf(space);
    const [count] = await store.read(space, partition, [COUNT_KEY]);
    if (decodeCount(count) === seen) return;
    const range = { ...allPlaces, rows: EXAMINED_A_STEP + 1 };
    await store.commit(space, partition, { keys: [COUNT_KEY], range }, recount);
  }

  async #expired(space: Space, key: string, now: bigint): Promise<Expired> {
    const partition = partitionOf(space);
    const range = { from: { partition, key }, until: { partition, key: allPlaces.until } };
    const budget = {
      rows: RECLAIMED_A_STEP,
      bytes: UNBOUNDED,
      examined: EXAMINED_A_STEP,
      milliseconds: UNBOUNDED,
    };
    const places: string[] = [];
    const { next, examined } = await this.#options.store.scan(space, range, budget, row => {
      if (!isExpired(row, now)) return false;
      places.push(row.key);
      return true;
    });
    return { places, next, examined };
  }
}

/** Pure: the messages that are still at their places, and expired. */
function reclaim({ keys: [count, ...places] }: ReadRows, tick: bigint): Decision<number> {
  const expired = places.flatMap(row => (row && isExpired(row, tick) ? [row.key] : []));
  if (expired.length === 0) return { result: 0 };
  const deletes = expired.flatMap(key => [key, messageKey(decodePlace(key).id)]);
  return { result: expired.length, puts: [changeCount(count, -expired.length)], deletes };
}

/** Pure: the count as it should be, if all places are in the range. */
function recount({ keys: [count], range }: ReadRows): Decision<boolean> {
  const difference = range.length - decodeCount(count);
  if (difference === 0 || range.length > EXAMINED_A_STEP) return { result: false };
  return { result: true, puts: [changeCount(count, difference)] };
}
