// The processes that have one store open, and which of them should make a commit. If many write to one partition, a
// single process that makes all of its commits groups them and avoids conflicts. This affects only speed: each process
// may make each commit, and the store stays right. The server forwards requests from one process to another.
import type { Space } from './store.js';

/** A process that takes requests from others. */
export interface Peer {
  readonly id: string;
  /** Its address for them. */
  readonly url: string;
  /** Replaced after each time that others may have taken it for ended. */
  readonly lease: string;
}

export interface Peers {
  /** From now on others may forward requests to this process; resolves when they can see it. */
  join(url: string): Promise<void>;
  /** The opposite. Others may still try for a while. */
  leave(): Promise<void>;
  /** The same for all processes that have the store open, and secret to all others. */
  secret(): Promise<string>;
  /** False where `ownerOf` is undefined for all. */
  readonly hasOwners: boolean;
  /** Which process should commit to the partition now; undefined for whichever process is asked. */
  ownerOf(space: Space, partition: string): Peer | undefined;
  /**
   * Whether the lease is this process's own. A forwarded request names the lease that its sender saw: after a pause no
   * stale request is begun.
   */
  holds(lease: string): boolean;
  /** It could not be reached, or did not answer: it owns nothing for a while, as this process sees it. */
  suspect(peer: Peer): void;
}
