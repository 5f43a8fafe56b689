// The TLS handshakes that are under way, which nobody else knows of: what ends them when the listener closes. How long one may
// take is told to node:tls.
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
