// The processes that have one store open, and which of them a commit is best made by. Where many write to one partition, a single process that makes all of its commits
// groups them, and no two run into each other. It is about speed alone: each process may make each commit, and the store stays right whoever does. How a request gets
// from one process to another is the server's.
import type { Space } from './store.js';

/** A process that takes requests of others. */
export interface Peer {
  readonly id: string;
  /** Where it takes them. */
  readonly url: string;
  /** Another one after each time that others may have taken it for ended. */
  readonly lease: string;
}

export interface Peers {
  /** From now on others may hand requests to this process; resolves when they can see it. */
  join(url: string): Promise<void>;
  /** The opposite. Others may try for a while yet. */
  leave(): Promise<void>;
  /** The same for all processes that have the store open; nobody else knows it. */
  secret(): Promise<string>;
  /** False where `ownerOf` is undefined for all. */
  readonly hasOwners: boolean;
  /** Who should commit to the partition now; undefined for whoever is asked. */
  ownerOf(space: Space, partition: string): Peer | undefined;
  /** Whether the lease is this process's own. Who hands over a request names the lease that it saw: after a pause nothing old is begun. */
  holds(lease: string): boolean;
  /** It could not be reached, or did not answer: it owns nothing for a while, as this process sees it. */
  suspect(peer: Peer): void;
}
