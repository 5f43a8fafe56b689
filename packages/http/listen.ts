// Opens a port: accepts connections, plain or under TLS, keeps their clock, and ends them when the listener closes.
// connection.ts has what goes over one.
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { Connection } from './connection.js';
import { type ListenerContext, type Respond, type Timeouts, Unfinished } from './listener-context.js';
import { HEAD_BYTES_MAX } from './request-head.js';
import { TrustedProxies } from './trusted-proxies.js';
import { KEPT_SECONDS } from './write-response.js';

export { BodyError } from './request-stream.js';
export { isStreamed } from './write-response.js';
export { type Respond, type Timeouts, TrustedProxies };

/** Node's values for a head and a body; slow clients need minutes for a body. */
const TIMEOUTS: Timeouts = {
  head: 60_000,
  request: 300_000,
  idle: KEPT_SECONDS * 1_000,
  linger: 2_000,
  stall: 60_000,
  drain: 300_000,
  drainWhenShort: 10_000,
  closing: 10_000,
};
/** A handshake takes two round trips. */
const HANDSHAKE_MILLISECONDS_MAX = 10_000;
/** The precision of timeouts: a quarter of the shortest, within these bounds. */
const SWEEP_MILLISECONDS = 1_000;
const SWEEP_MILLISECONDS_MIN = 25;
const CONNECTIONS_MAX = 10_000;
/**
 * The listen backlog: connections that the system completes before they are accepted; Linux's own default allows no
 * more. Further clients retry after a second. Node's default is 511, which a pause of a tenth of a second can exceed.
 */
const BACKLOG_MAX = 4_096;
/** Connections that are being answered 503; more are closed without an answer. */
const TURNED_AWAY_MAX = 100;
const BODY_BYTES_MAX = 1_048_576;
/** The server reads and discards a longer body up to this multiple of the limit. */
const DISCARDED_TIMES = 16;
/** Default memory: this many bodies of the maximal length. */
const BODIES_BUFFERED_MAX = 64;
/** Additional memory, as a fraction, for unknown callers; it must hold a head. */
const UNKNOWN_SHARE = 1 / 8;

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Certificate and key in PEM; without them the socket speaks plain HTTP. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Concurrent; more are answered 503 and closed. */
  readonly connectionsMax?: number | undefined;
  /** For a body that is handed on with its head, default 1 MiB; of an unread body 16 times as much is discarded. */
  readonly bodyBytesMax?: number | undefined;
  /**
   * Bytes of requests and answers of all connections beyond which requests with a body get 503; default 64 bodies of
   * the maximal length.
   */
  readonly bufferedBytesMax?: number | undefined;
  /** Proxies whose fields about their clients are trusted; default none. */
  readonly trustedProxies?: TrustedProxies | undefined;
  /** Names of headers with this prefix, in lower case, keep their spelling; see `WireRequest.headers`. */
  readonly spelledPrefix?: string | undefined;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** The number of open connections. */
  readonly connections: number;
  /**
   * Stops accepting, closes idle connections, and lets requests in progress be answered; cuts what takes longer than
   * `closing`.
   */
  close(): Promise<void>;
}

/** As many as the listener admits, and briefly some more, which get 503. */
class Connections {
  readonly #context: ListenerContext;
  readonly #connectionsMax: number;
  readonly #all = new Set<Connection>();
  #admitted = 0;

  constructor(context: ListenerContext, connectionsMax: number) {
    this.#context = context;
    this.#connectionsMax = connectionsMax;
  }

  get size(): number {
    return this.#all.size;
  }

  accept(socket: Socket): void {
    const connection = new Connection(socket, this.#context);
    const isAdmitted = this.#admitted < this.#connectionsMax;
    if (isAdmitted) this.#admitted += 1;
    this.#all.add(connection);
    socket.on('close', () => {
      this.#all.delete(connection);
      if (isAdmitted) this.#admitted -= 1;
    });
    if (!isAdmitted) connection.refuse(503);
  }

  /** Called at intervals. */
  expire(now: number): void {
    this.#context.now = now;
    const { timeouts, limits, isClosing, closingSince, bufferedBytes } = this.#context;
    for (const connection of this.#all) connection.expire();
    if (bufferedBytes > limits.bufferedBytesMax) for (const connection of this.#all) connection.hurry();
    if (isClosing && now - closingSince > timeouts.closing) this.#cut();
  }

  closeIdle(): void {
    for (const connection of this.#all) connection.closeIfIdle();
  }

  #cut(): void {
    for (const connection of this.#all) connection.destroy();
  }
}

/** Under TLS a connection is another object than its socket, but both name the same peer. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** The TLS handshakes in progress, to end them when the listener closes. node:tls enforces how long one may take. */
class Handshakes {
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

/** A client may end its half of a connection and still wait for the answer. */
const SOCKETS = { allowHalfOpen: true, noDelay: true };

function createServer(options: ListenOptions, timeouts: Timeouts, accept: (socket: Socket) => void) {
  if (!options.tls) return { server: net.createServer(SOCKETS, accept), handshakes: new Handshakes() };
  const handshakeTimeout = Math.min(HANDSHAKE_MILLISECONDS_MAX, timeouts.head);
  const secured = { ...options.tls, ALPNProtocols: ['http/1.1'], handshakeTimeout };
  const handshakes = new Handshakes();
  const server = tls.createServer({ ...SOCKETS, ...secured }, socket => {
    handshakes.end(socket);
    accept(socket);
  });
  server.on('connection', (socket: Socket) => handshakes.begin(socket));
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return { server, handshakes };
}

function contextOf(options: ListenOptions, respond: Respond): ListenerContext {
  const { bodyBytesMax = BODY_BYTES_MAX, bufferedBytesMax = BODIES_BUFFERED_MAX * bodyBytesMax } = options;
  const now = performance.now();
  const unknownBytesMax = Math.max(2 * HEAD_BYTES_MAX, bufferedBytesMax * UNKNOWN_SHARE);
  return {
    respond,
    proxies: options.trustedProxies,
    secure: options.tls !== undefined,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    limits: {
      bodyBytesMax,
      discardedBytesMax: DISCARDED_TIMES * bodyBytesMax,
      bufferedBytesMax,
      unknownBytesMax,
    },
    spelledPrefix: options.spelledPrefix,
    now,
    isClosing: false,
    closingSince: now,
    bufferedBytes: 0,
    unknownBytes: 0,
    unknown: new Unfinished(),
    collecting: new Unfinished(),
  };
}

/** @throws the system's error if the address is not available. */
export function listen(options: ListenOptions, respond: Respond): Promise<Listener> {
  const { host, connectionsMax = CONNECTIONS_MAX } = options;
  const context = contextOf(options, respond);
  const { secure, timeouts } = context;
  const connections = new Connections(context, connectionsMax);
  const { server, handshakes } = createServer(options, timeouts, socket => connections.accept(socket));
  server.maxConnections = connectionsMax + TURNED_AWAY_MAX;
  const shortest = Math.min(...Object.values(timeouts));
  const period = Math.min(SWEEP_MILLISECONDS, Math.max(SWEEP_MILLISECONDS_MIN, shortest / 4));
  const close = (): Promise<void> =>
    new Promise(resolve => {
      // Its only error is that it was already closed.
      server.close(() => resolve());
      if (!context.isClosing) context.closingSince = performance.now();
      context.isClosing = true;
      handshakes.abort();
      connections.closeIdle();
    });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(options.port, host, BACKLOG_MAX, () => {
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
