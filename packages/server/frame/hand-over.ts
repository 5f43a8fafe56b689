// Decides whether another front end should run a request. Called by a service that knows which partition a request writes to, before anything is changed; the frame then
// forwards the request.
import type { Peer, Space, SpaceAddress } from '#store';
import type { Grant } from '../auth/grant.js';
import type { RequestContext } from './service-protocol.js';

/** Not a failure: another front end owns the request's partition, and nothing has been done. */
export class HandOver extends Error {
  readonly peer: Peer;
  readonly account: string;
  readonly grant: Grant;

  constructor(peer: Peer, account: string, grant: Grant) {
    super('The request is to be handed to another front end.');
    this.peer = peer;
    this.account = account;
    this.grant = grant;
  }
}

export interface Writing {
  readonly address: SpaceAddress;
  readonly grant: Grant;
  /** Of the space as it is now. */
  readonly partition: (space: Space) => string;
}

/**
 * To be called before a request changes anything. Does nothing where the store is one process's.
 *
 * @throws HandOver where another front end owns the partition.
 */
export async function leaveToOwner(
  { server: { forwarding, store }, staysHere }: Pick<RequestContext, 'server' | 'staysHere'>,
  { address, grant, partition }: Writing,
): Promise<void> {
  if (forwarding === undefined || staysHere || !forwarding.hasOwners) return;
  const space = await store.getSpace(address);
  const owner = space && forwarding.ownerOf(space, partition(space));
  if (owner !== undefined) throw new HandOver(owner, address.account, grant);
}
