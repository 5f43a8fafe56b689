// A proxy between a session and its host that can stand still.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface HostProxy {
  readonly port: number;
  /** No byte passes in either direction, and neither side is notified. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ends all connections at once. */
  readonly cut: () => void;
  readonly connections: () => number;
  readonly close: () => void;
}

export async function proxyTo(host: string, port: number): Promise<HostProxy> {
  const sockets = new Set<Socket>();
  let isPaused = false;
  const server = createServer(client => {
    const node = connect(port, host);
    for (const [socket, other] of [
      [client, node],
      [node, client],
    ] as const) {
      sockets.add(socket);
      const end = (): void => {
        sockets.delete(socket);
        other.destroy();
      };
      socket.pipe(other).on('error', () => {});
      socket.on('close', end);
      if (isPaused) socket.pause();
    }
  });
  server.listen(0, host);
  await once(server, 'listening');
  const each = (act: (socket: Socket) => void): void => {
    for (const socket of sockets) act(socket);
  };
  return {
    port: (server.address() as { port: number }).port,
    pause: () => {
      isPaused = true;
      each(socket => socket.pause());
    },
    resume: () => {
      isPaused = false;
      each(socket => socket.resume());
    },
    cut: () => each(socket => socket.destroy()),
    connections: () => sockets.size,
    close: () => server.close(),
  };
}
