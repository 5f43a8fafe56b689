// Whom commits of a partition belong to. Only a partition in which commits of several processes have met lately has an owner: one of the living, the same for all who see the same
// processes. Two who see others merely meet again; what keeps commits apart is the fence alone.
import { createHash } from 'node:crypto';
import type { Peer } from '#store';
import type { LiveMembers } from './live-members.js';

/** After so long without a conflict nobody owns it; if it is still hot the next conflict tells. */
export const HOT_MS = 10_000;
/** More are forgotten, the oldest first. */
export const HOT_MAX = 10_000;

export class Owners {
  readonly #live: LiveMembers;
  readonly #now: () => number;
  /** When each partition was last seen to have a conflict, oldest first. */
  readonly #hot = new Map<string, number>();

  /** `now` is in milliseconds, and does not jump. */
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

  /** Whether any partition was hot lately. */
  get areAny(): boolean {
    return this.#hot.size > 0;
  }

  /** Undefined where it is this process, or nobody. */
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

/** Rendezvous: when a process comes or goes only its own partitions change hands. */
function highest(peers: readonly Peer[], place: string): Peer | undefined {
  let best: Peer | undefined;
  let most = '';
  for (const peer of peers) {
    const weight = createHash('sha256').update(`${peer.id} ${place}`).digest('hex');
    if (weight > most) [best, most] = [peer, weight];
  }
  return best;
}
