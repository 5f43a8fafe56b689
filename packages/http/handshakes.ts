// The TLS handshakes in progress, to end them when the listener closes. node:tls enforces how long one may take.
import type { Socket } from 'node:net';

/** Under TLS a connection is another object than its socket, but both name the same peer. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

export class Handshakes {
  readonly #sockets = new Map<string, Socket>();

  begin(socket: Socket): void {
    const peer = peerOf(socket);
    this.#sockets.set(peer, socket);
    socket.once('close', () => {
      if (this.#sockets.get(peer) === socket) this.#sockets.delete(peer);
    });
  }

  end(secured: Socket): void {
    this.#sockets.delete(peerOf(secured));
  }

  abort(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}
