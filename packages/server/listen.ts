// Sockets: accepts connections, plain or under TLS, counts the time for them, and ends them when it is told to. What goes over
// one is http/connection.ts's. Knows nothing of tables.
import net from 'node:net';
import tls from 'node:tls';
import { Connection, type Respond, type Site, type Timeouts } from './http/connection.js';
import { KEPT_SECONDS } from './http/format-head.js';

export { BODY_BYTES_MAX } from './http/request-body.js';
export type { Respond, Timeouts };

/** Azure gives a request 30 seconds; a body may take longer to arrive. */
const TIMEOUTS: Timeouts = { head: 60_000, request: 300_000, idle: KEPT_SECONDS * 1_000, linger: 2_000 };
/** How exact timeouts are, at most. */
const SWEEP_MILLISECONDS = 1_000;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Certificate and key in PEM; without them the socket speaks plain HTTP. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** Default 60 s for a head, 300 s for a request, 120 s between requests. */
  readonly timeouts?: Timeouts | undefined;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Open at the moment. */
  readonly connections: number;
  /** Stops to accept, answers what is under way, then closes idle connections. */
  close(): Promise<void>;
}

/** A client may end its half of a connection and still wait for the answer. */
const SOCKETS = { allowHalfOpen: true, noDelay: true };

function createServer(
  options: ListenOptions,
  timeouts: Timeouts,
  accept: (socket: net.Socket) => void,
): net.Server {
  if (!options.tls) return net.createServer(SOCKETS, accept);
  const secured = { ...options.tls, ALPNProtocols: ['http/1.1'], handshakeTimeout: timeouts.head };
  const server = tls.createServer({ ...SOCKETS, ...secured }, accept);
  return server.on('tlsClientError', (_error, socket) => socket.destroy());
}

/** @throws the system's error where the address cannot be had. */
export function listen(options: ListenOptions, respond: Respond): Promise<Listener> {
  const { host, timeouts = TIMEOUTS } = options;
  const secure = options.tls !== undefined;
  const site: Site = { respond, secure, timeouts, now: performance.now(), isClosing: false };
  const connections = new Set<Connection>();
  const server = createServer(options, timeouts, socket => {
    const connection = new Connection(socket, site);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  const period = Math.min(SWEEP_MILLISECONDS, ...Object.values(timeouts).map(timeout => timeout / 4));
  const sweep = (): void => {
    site.now = performance.now();
    for (const connection of connections) connection.expire();
  };
  const close = (): Promise<void> =>
    new Promise(resolve => {
      // Its only error is that it was closed already.
      server.close(() => resolve());
      site.isClosing = true;
      for (const connection of connections) connection.closeIfIdle();
    });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(options.port, host, () => {
      const sweeping = setInterval(sweep, period).unref();
      server.once('close', () => clearInterval(sweeping));
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : options.port;
      resolve({
        host,
        port,
        secure,
        get connections() {
          return connections.size;
        },
        close,
      });
    });
  });
}
