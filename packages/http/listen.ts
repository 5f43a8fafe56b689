// Sockets: accepts connections, plain or under TLS, counts the time for them, and ends them when it is told to. What goes over
// one is http/connection.ts's. Knows nothing of tables.
import net from 'node:net';
import tls from 'node:tls';
import type { Respond, Site, Timeouts } from './connection.js';
import { Connections } from './connections.js';
import { KEPT_SECONDS } from './format-head.js';
import { Handshakes } from './handshakes.js';
import { BODY_BYTES_MAX } from './request-body.js';

export type { Respond, Timeouts };
export { BODY_BYTES_MAX };

/** Azure gives a request 30 seconds; a body may take longer to arrive. */
const TIMEOUTS: Timeouts = {
  head: 60_000,
  request: 300_000,
  idle: KEPT_SECONDS * 1_000,
  linger: 2_000,
  taking: 300_000,
  takingWhenShort: 10_000,
  closing: 10_000,
};
/** A handshake is two round trips. */
const HANDSHAKE_MILLISECONDS_MAX = 10_000;
/** How exact timeouts are, at most. */
const SWEEP_MILLISECONDS = 1_000;
const SWEEP_MILLISECONDS_MIN = 25;
export const CONNECTIONS_MAX = 10_000;
/**
 * Connections that the system completes while nobody accepts them; Linux allows no more by itself. Of more than these it lets the client try
 * again, which clients do after a second. Node would have 511: as many come in a pause of a tenth of a second.
 */
const ACCEPTING_MAX = 4_096;
/** Connections that are being told that there are too many; more are closed without a word. */
const TURNED_AWAY_MAX = 100;
/** What 64 bodies of the longest kind take. */
export const HELD_BYTES_MAX = 64 * BODY_BYTES_MAX;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Certificate and key in PEM; without them the socket speaks plain HTTP. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** At a time; more are answered 503 and closed. */
  readonly connectionsMax?: number | undefined;
  /** Bytes of requests and answers, of all connections, beyond which requests with a body are answered 503. */
  readonly heldBytesMax?: number | undefined;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Open at the moment. */
  readonly connections: number;
  /** Stops to accept, closes idle connections, and answers what is under way; what takes longer than `closing` is cut. */
  close(): Promise<void>;
}

/** A client may end its half of a connection and still wait for the answer. */
const SOCKETS = { allowHalfOpen: true, noDelay: true };

function createServer(options: ListenOptions, timeouts: Timeouts, accept: (socket: net.Socket) => void) {
  if (!options.tls) return { server: net.createServer(SOCKETS, accept), handshakes: new Handshakes() };
  const handshakeTimeout = Math.min(HANDSHAKE_MILLISECONDS_MAX, timeouts.head);
  const secured = { ...options.tls, ALPNProtocols: ['http/1.1'], handshakeTimeout };
  const handshakes = new Handshakes();
  const server = tls.createServer({ ...SOCKETS, ...secured }, socket => {
    handshakes.end(socket);
    accept(socket);
  });
  server.on('connection', (socket: net.Socket) => handshakes.begin(socket));
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return { server, handshakes };
}

const timeoutsOf = (given: Partial<Timeouts> = {}): Timeouts => ({ ...TIMEOUTS, ...given });

/** @throws the system's error where the address cannot be had. */
export function listen(options: ListenOptions, respond: Respond): Promise<Listener> {
  const { host, connectionsMax = CONNECTIONS_MAX, heldBytesMax = HELD_BYTES_MAX } = options;
  const timeouts = timeoutsOf(options.timeouts);
  const secure = options.tls !== undefined;
  const now = performance.now();
  const site: Site = {
    respond,
    secure,
    timeouts,
    now,
    isClosing: false,
    closingSince: now,
    heldBytes: 0,
    heldBytesMax,
  };
  const connections = new Connections(site, connectionsMax);
  const { server, handshakes } = createServer(options, timeouts, socket => connections.accept(socket));
  server.maxConnections = connectionsMax + TURNED_AWAY_MAX;
  const shortest = Math.min(...Object.values(timeouts));
  const period = Math.min(SWEEP_MILLISECONDS, Math.max(SWEEP_MILLISECONDS_MIN, shortest / 4));
  const close = (): Promise<void> =>
    new Promise(resolve => {
      // Its only error is that it was closed already.
      server.close(() => resolve());
      if (!site.isClosing) site.closingSince = performance.now();
      site.isClosing = true;
      handshakes.abort();
      connections.closeIdle();
    });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(options.port, host, ACCEPTING_MAX, () => {
      const sweeping = setInterval(() => connections.expire(performance.now()), period).unref();
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
