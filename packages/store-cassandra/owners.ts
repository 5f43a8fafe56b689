// Which process owns a partition's commits. Only a partition in which commits of several processes collided recently
// has an owner: one of the living processes, the same for all that see the same processes. If two see different ones
// they merely collide again; only the fence keeps commits apart.
import { createHash } from 'node:crypto';
import type { Peer } from '#store';
import type { LiveMembers } from './live-members.js';

/** After this long without a conflict it has no owner; if it is still hot the next conflict shows. */
export const HOT_MS = 10_000;
/** More are forgotten, the oldest first. */
export const HOT_MAX = 10_000;

export class Owners {
  readonly #live: LiveMembers;
  readonly #now: () => number;
  /** When each partition last had a conflict, oldest first. */
  readonly #hot = new Map<string, number>();

  /** `now` is in milliseconds, and monotonic. */
  constructor(live: LiveMembers, now: () => number = () => performance.now()) {
    this.#live = live;
    this.#now = now;
  }

  noteConflict(sid: bigint, partition: string): void {
    const place = placeOf(sid, partition);
    const now = this.#now();
    this.#hot.delete(place);
    this.#hot.set(place, now);
    for (const [each, at] of this.#hot) {
      if (now - at < HOT_MS && this.#hot.size <= HOT_MAX) break;
      this.#hot.delete(each);
    }
  }

  /** Whether any partition was hot recently. */
  get areAny(): boolean {
    return this.#hot.size > 0;
  }

  /** Undefined if it is this process, or none. */
  ownerOf(sid: bigint, partition: string): Peer | undefined {
    if (this.#hot.size === 0) return undefined;
    const place = placeOf(sid, partition);
    const since = this.#hot.get(place);
    if (since === undefined || this.#now() - since >= HOT_MS) return undefined;
    const owner = highest(this.#live.living(), place);
    return owner?.id === this.#live.own?.id ? undefined : owner;
  }
}

const placeOf = (sid: bigint, partition: string): string => `${sid} ${partition}`;

/** Rendezvous hashing: when a process comes or goes only its own partitions change hands. */
function highest(peers: readonly Peer[], place: string): Peer | undefined {
  let best: Peer | undefined;
  let most = '';
  for (const peer of peers) {
    const weight = createHash('sha256').update(`${peer.id} ${place}`).digest('hex');
    if (weight > most) [best, most] = [peer, weight];
  }
  return best;
}
