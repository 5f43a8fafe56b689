// Which processes are alive, as this one sees it: those whose count rises. Each uses its own monotonic clock; no two
// clocks are compared. A process that could not count for the time of a lease gives its lease up and takes another:
// requests meant for the old one are refused. members.ts reads and writes the rows.
import { randomBytes } from 'node:crypto';
import type { Peer } from '#store';

/** Four counts; a busy cluster may miss some. */
export const LEASE_MS = 4000;
/** How long a process that did not answer is avoided. */
export const SUSPECT_MS = 10_000;
const LEASE_BYTES = 10;

export interface Seen {
  readonly beat: bigint;
  readonly peer: Peer | undefined;
}

interface Noted extends Seen {
  /** When its count was seen to rise. */
  readonly at: number;
}

const newLease = (): string => randomBytes(LEASE_BYTES).toString('hex');

export class LiveMembers {
  /** For this process; undefined if it takes no requests from others. */
  url: string | undefined;
  readonly #id: () => string;
  readonly #now: () => number;
  readonly #suspects = new Map<string, number>();
  #noted = new Map<string, Noted>();
  #lease = newLease();
  #renewed: number;

  /** `now` is in milliseconds, and monotonic. */
  constructor(id: () => string, now: () => number = () => performance.now()) {
    this.#id = id;
    this.#now = now;
    this.#renewed = now();
  }

  /** How the others should see this process. */
  get own(): Peer | undefined {
    return this.url === undefined ? undefined : { id: this.#id(), url: this.url, lease: this.lease };
  }

  get lease(): string {
    const now = this.#now();
    if (now - this.#renewed > LEASE_MS) {
      this.#lease = newLease();
      this.#renewed = now;
    }
    return this.#lease;
  }

  /** The row was written; `began` is the time before. A lease that ended in the meantime stays ended. */
  renew(began: number): void {
    void this.lease;
    this.#renewed = Math.max(this.#renewed, began);
  }

  /** The current rows, by the ids of their processes. */
  see(members: ReadonlyMap<string, Seen>): void {
    const now = this.#now();
    this.#noted = new Map(
      [...members].map(([id, { beat, peer }]) => {
        const before = this.#noted.get(id);
        return [id, { beat, peer, at: before?.beat === beat ? before.at : now }];
      }),
    );
  }

  /** Those that take requests from others, including this one. */
  living(): readonly Peer[] {
    const now = this.#now();
    const { own } = this;
    const others = [...this.#noted.values()].flatMap(({ peer, at }) => {
      if (peer === undefined || peer.id === own?.id || now - at > LEASE_MS) return [];
      return now < (this.#suspects.get(peer.id) ?? 0) ? [] : [peer];
    });
    return own === undefined ? others : [own, ...others];
  }

  suspect({ id }: Peer): void {
    const now = this.#now();
    for (const [each, until] of this.#suspects) if (until <= now) this.#suspects.delete(each);
    this.#suspects.set(id, now + SUSPECT_MS);
  }
}
