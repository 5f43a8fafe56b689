// The transport between front ends: TLS with the store's shared secret as its key (RFC 4279, RFC 5489), so that no other process can connect, read or replay anything, and
// no certificate is needed. The handshake proves to each side that the other has the secret.
import { connect as connectTls, createServer, type Server, type TLSSocket } from 'node:tls';
import { type Frame, FrameReader } from './frames.js';

/** The key of each connection is forgotten with it. Node.js has keys of this kind for this version alone. */
const SECURITY = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;
const IDENTITY = 'shelfmark';
const HANDSHAKE_MS_MAX = 2000;
/** Another version of the protocol has another one: its front ends then run requests themselves. */
const SCHEME = 'shelfmark3:';

/** Of either side. */
export type PeerSocket = TLSSocket;
export type PeerServer = Server;

export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

export const urlOf = ({ host, port }: PeerAddress): string =>
  `${SCHEME}//${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Undefined for an address in the form of another version of the program. */
export function addressIn(url: string): PeerAddress | undefined {
  if (!url.startsWith(SCHEME) || !URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

const keyOf = (secret: string): Buffer => Buffer.from(secret, 'hex');

export function peerServer(secret: string, accept: (socket: PeerSocket) => void): PeerServer {
  const psk = keyOf(secret);
  const pskCallback = (_socket: TLSSocket, identity: string): Buffer | null =>
    identity === IDENTITY ? psk : null;
  const server = createServer({ ...SECURITY, pskCallback, handshakeTimeout: HANDSHAKE_MS_MAX }, socket => {
    socket.setNoDelay(true);
    accept(socket);
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

export function connectPeer({ host, port }: PeerAddress, secret: string): PeerSocket {
  const psk = keyOf(secret);
  const socket = connectTls({
    ...SECURITY,
    host,
    port,
    pskCallback: () => ({ psk, identity: IDENTITY }),
    // There is no certificate: the key identifies the peer.
    checkServerIdentity: () => undefined,
  });
  socket.setNoDelay(true);
  return socket;
}

/** Whatever is no frame ends the connection. */
export function hearFrames(socket: PeerSocket, hear: (frame: Frame) => void): void {
  const reader = new FrameReader();
  socket.on('error', () => undefined);
  socket.on('data', piece => {
    try {
      for (const frame of reader.add(piece)) hear(frame);
    } catch {
      socket.destroy();
    }
  });
}
