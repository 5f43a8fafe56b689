// A server's options for where other servers of the same store may forward requests.
import type { EngineTools, Peers } from '#store';
import { ConfigurationError } from '../auth/accounts.js';
import { Forwarding } from './forwarding.js';
import { addressIn, type PeerAddress, urlOf } from './peer-socket.js';

export interface PeerOptions {
  /**
   * Where other servers of the same store may hand over requests, for stores that several machines share: an address of this machine at which they reach
   * it. Default 127.0.0.1, for servers of one machine.
   */
  readonly peerHost?: string | undefined;
  /** Default 0, a free one. `none`: nothing is handed over, either way. */
  readonly peerPort?: number | 'none' | undefined;
}

const HOST_DEFAULT = '127.0.0.1';
/** Every address of a machine: others cannot connect to that. */
const NOWHERE = ['0.0.0.0', '::'];

/** @throws ConfigurationError. */
export function checkPeerOptions(
  { peerHost, peerPort }: PeerOptions,
  { hasPeers = false }: Pick<EngineTools, 'hasPeers'>,
): void {
  if (!hasPeers && (peerHost !== undefined || (peerPort !== undefined && peerPort !== 'none')))
    throw new ConfigurationError(
      '--peer-host and --peer-port are for a store that several servers share, as cassandra://…: this one has no other.',
    );
  if (peerHost !== undefined && (peerHost === '' || NOWHERE.includes(peerHost)))
    throw new ConfigurationError(
      '--peer-host is told to other servers, which connect to it: name one address of this machine.',
    );
  if (peerHost !== undefined && addressIn(urlOf({ host: peerHost, port: 1 }))?.host !== peerHost)
    throw new ConfigurationError('--peer-host is neither an address nor a host name.');
}

/** Undefined where nothing is handed over. */
export async function openForwarding(
  { peerPort }: PeerOptions,
  peers: Peers | undefined,
): Promise<Forwarding | undefined> {
  return peers === undefined || peerPort === 'none' ? undefined : Forwarding.open(peers);
}

export const peerAddress = ({ peerHost = HOST_DEFAULT, peerPort = 0 }: PeerOptions): PeerAddress => ({
  host: peerHost,
  port: peerPort === 'none' ? 0 : peerPort,
});
