// What a server learns about the other processes on the cluster: their addresses, what they own, and the secret that
// all of them share, which is a row of the engine's own.
import { randomBytes } from 'node:crypto';
import type { Peer, Peers, Space } from '#store';
import type { Commits } from './commit/commits.js';
import { SYSTEM } from './layout/schema.js';
import type { LiveMembers } from './live-members.js';
import type { Members } from './members.js';
import type { Owners } from './owners.js';

const PARTITION = 'peers';
const KEY = 'secret';
const SECRET_BYTES = 32;

interface Parts {
  readonly commits: Commits;
  readonly members: Members;
  readonly live: LiveMembers;
  readonly owners: Owners;
}

export class CassandraPeers implements Peers {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async join(url: string): Promise<void> {
    this.#parts.live.url = url;
    await this.#parts.members.count();
  }

  async leave(): Promise<void> {
    this.#parts.live.url = undefined;
    await this.#parts.members.count();
  }

  /** Created by the first process that asks. */
  secret(): Promise<string> {
    const made = randomBytes(SECRET_BYTES);
    return this.#parts.commits.commit(SYSTEM, PARTITION, { keys: [KEY] }, ({ keys: [row] }) => {
      if (row !== undefined) return { result: row.value.toString('hex') };
      return { result: made.toString('hex'), puts: [{ key: KEY, value: made }] };
    });
  }

  get hasOwners(): boolean {
    return this.#parts.owners.areAny;
  }

  ownerOf(space: Space, partition: string): Peer | undefined {
    return this.#parts.owners.ownerOf(BigInt(space.id), partition);
  }

  holds(lease: string): boolean {
    const { live } = this.#parts;
    return live.url !== undefined && lease === live.lease;
  }

  suspect(peer: Peer): void {
    this.#parts.live.suspect(peer);
  }
}
