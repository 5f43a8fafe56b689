// Starts the services of an account in this process and closes them again: the entry point for programs and tests.
// The cli maps the command's options to these.
import { randomUUID } from 'node:crypto';
import { type Clock, isLoopback, systemClock } from '#base';
import { type Listener, type ListenOptions, listen, TrustedProxies } from '#http';
import type { Engine } from '#store';
import {
  type AccountKeys,
  Accounts,
  ConfigurationError,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from './auth/accounts.js';
import { BearerTokens, type TenantOptions } from './auth/bearer.js';
import { addressOf, ENGINES, type Engines } from './engines.js';
import { BODY_BYTES_MAX } from './frame/handle-request.js';
import type { ServerContext } from './frame/server-context.js';
import { type LogLevel, openLog } from './observe/log.js';
import {
  type OperationsOptions,
  type OperationsView,
  openOperationsPort,
} from './observe/operations-port.js';
import { ProcessView } from './observe/process-view.js';
import { RequestMetrics } from './observe/request-metrics.js';
import { checkPeerOptions, openForwarding, type PeerOptions, peerAddress } from './peers/peer-options.js';
import {
  type BackgroundTask,
  type OpenService,
  SERVICES,
  type ServiceAddresses,
  type ServiceEntry,
} from './services/registry.js';

const HOST_DEFAULT = '127.0.0.1';
/** Names of metadata keep their spelling (protocol: queues#metadata). */
const METADATA_PREFIX = 'x-ms-meta-';

/** Limits and back-pressure; docs/limits.md has the defaults and the reasons. */
export interface ServerLimits {
  /** Maximum number of connections; more are answered 503 and closed. */
  readonly connectionsMax?: number | undefined;
  /** Bytes of in-flight requests and answers, beyond which requests with a body are answered 503. */
  readonly bufferedBytesMax?: number | undefined;
  /** Writes that wait for the disk; one more is answered 503. */
  readonly waitingWritesMax?: number | undefined;
  /** How long `close` waits for in-flight requests before it cuts them. */
  readonly drainMilliseconds?: number | undefined;
}

export interface ServeOptions extends ServiceAddresses, PeerOptions {
  /** Directory of the data, created if it does not exist; without it the data lives in memory and ends with the server. */
  readonly data?: string | undefined;
  /** The same as an address, in place of `data`: `lmdb:DIR`, or `memory:`. */
  readonly store?: string | undefined;
  /** Account name to keys in base64; default is the emulator's well-known account. */
  readonly accounts?: AccountKeys | undefined;
  /** Allows the well-known key, which is not a secret, on addresses beyond this machine. */
  readonly allowWellKnownKey?: boolean | undefined;
  /** `none` answers before the data is synced: for tests, because a power cut may lose acknowledged writes. Default `full`. */
  readonly durability?: 'full' | 'none' | undefined;
  /**
   * A promise that no other process serves from the same data at the same time, which makes writes faster; docs/durability.md describes what
   * happens if it is broken. False: others may. Default true.
   */
  readonly exclusive?: boolean | undefined;
  /** Default `error`. */
  readonly logLevel?: LogLevel | undefined;
  readonly tls?: ListenOptions['tls'];
  /**
   * Addresses of proxies that end TLS, and ranges of them as `10.0.0.0/8`: their X-Forwarded-For, -Proto and -Host, or
   * Forwarded, determine the caller's address, scheme and host. Default none.
   */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Issuers whose bearer tokens are accepted in addition to those of `shelfmark token`. */
  readonly tenant?: TenantOptions | readonly TenantOptions[] | undefined;
  /** How long the name of a dropped table or queue stays reserved (409, being deleted), as in Azure for about 40 s. Default 0. */
  readonly tableDeletionSeconds?: number | undefined;
  /** Where to serve health and metrics; off by default. */
  readonly operations?: OperationsOptions | undefined;
  /** Count requests even if no port exposes them: `view` does. */
  readonly isCounted?: boolean | undefined;
  readonly limits?: ServerLimits | undefined;
  readonly clock?: Clock | undefined;
}

export interface RunningServer {
  /** The Table endpoint of the first account, as `http://127.0.0.1:10002/devstoreaccount1`. */
  readonly tableEndpoint: string;
  readonly tablePort: number;
  /** The Queue endpoint of the first account; undefined if there is no Queue service, as is the port. */
  readonly queueEndpoint: string | undefined;
  readonly queuePort: number | undefined;
  /** The same of the Blob service. */
  readonly blobEndpoint: string | undefined;
  readonly blobPort: number | undefined;
  /** The current endpoints of the first account by the names of the services, as `table`. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Undefined if there is none. */
  readonly operationsPort: number | undefined;
  /** The data's directory in full; undefined if the engine keeps it elsewhere, as in memory. */
  readonly data: string | undefined;
  /** Where the data is, for display: its full directory, `memory`, or the engine's own description. */
  readonly place: string;
  /** The first account and its key, for clients and programs of this process. */
  readonly account: { readonly name: string; readonly key: string };
  /** A connection string for clients; of the first account unless another is named. */
  connectionString(account?: string): string;
  /**
   * Replaces all accounts: requests signed with a removed key are refused, including tokens and
   * signatures that were valid before.
   *
   * @throws ConfigurationError for accounts that `serve` would reject; then nothing has changed.
   */
  replaceAccounts(accounts: AccountKeys): void;
  /** The server's state for its operator. */
  readonly view: OperationsView;
  /**
   * Finishes in-flight requests, cuts those that exceed their limit, then closes the sockets and the store. Closing
   * twice is harmless.
   */
  close(): Promise<void>;
}

const hostOf = (service: ServiceEntry, addresses: ServiceAddresses): string =>
  service.addressOf(addresses).host ?? addresses.host ?? HOST_DEFAULT;

/** The addresses and options that decide which accounts may be served. */
type Exposure = ServiceAddresses & Pick<ServeOptions, 'allowWellKnownKey'>;

/** @throws ConfigurationError for invalid accounts, or accounts that must not be served on these addresses. */
export function checkAccounts(accounts: AccountKeys, exposure: Exposure, services = SERVICES): Accounts {
  const checked = new Accounts(accounts);
  const open = services.map(service => hostOf(service, exposure)).find(each => !isLoopback(each));
  if (open === undefined || exposure.allowWellKnownKey || !checked.hasWellKnownKey) return checked;
  throw new ConfigurationError(
    `The emulator's well-known key is not a secret and must not be served on ${open}: configure accounts, listen on 127.0.0.1, or pass --allow-well-known-key (in a program: allowWellKnownKey).`,
  );
}

const openEngine = (options: ServeOptions, engines: Engines): Promise<Engine> =>
  engines.open(addressOf(options), {
    clock: options.clock ?? systemClock,
    durability: options.durability ?? 'full',
    exclusive: options.exclusive !== false,
    waitingMax: options.limits?.waitingWritesMax,
  });

function listenOptionsOf(
  options: ServeOptions,
  service: ServiceEntry,
  port: number,
  trustedProxies: TrustedProxies | undefined,
): ListenOptions {
  const { tls, limits = {} } = options;
  const { connectionsMax, bufferedBytesMax, drainMilliseconds: closing } = limits;
  return {
    host: hostOf(service, options),
    port,
    tls,
    connectionsMax,
    bodyBytesMax: BODY_BYTES_MAX,
    bufferedBytesMax,
    trustedProxies,
    spelledPrefix: METADATA_PREFIX,
    timeouts: closing === undefined ? undefined : { closing },
  };
}

/** @throws ConfigurationError for anything except an address or a range of addresses. */
export function checkTrustedProxies(addresses: readonly string[]): TrustedProxies {
  try {
    return new TrustedProxies(addresses);
  } catch (error) {
    throw error instanceof RangeError ? new ConfigurationError(error.message) : error;
  }
}

/** Clients cannot connect to an address that means every interface; this machine's own replaces it. */
const reachable = (host: string): string =>
  ['', '0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

/** A service whose port is open. */
interface ServedService {
  readonly entry: ServiceEntry;
  readonly service: OpenService;
  readonly listener: Listener;
}

const endpointOf = ({ secure, host, port }: Listener, account: string): string =>
  `${secure ? 'https' : 'http'}://${reachable(host)}:${port}/${account}`;

function connectionStringOf(served: readonly ServedService[], account: string, key: string): string {
  const protocol = served.some(({ listener }) => listener.secure) ? 'https' : 'http';
  const endpoints = served.map(
    ({ entry, listener }) => `${entry.endpointName}=${endpointOf(listener, account)};`,
  );
  return `DefaultEndpointsProtocol=${protocol};AccountName=${account};AccountKey=${key};${endpoints.join('')}`;
}

/** The parts of a running server. */
interface Parts {
  readonly options: ServeOptions;
  readonly accounts: Accounts;
  readonly engine: Engine;
  readonly served: readonly ServedService[];
  readonly view: ProcessView;
  readonly operations: Listener | undefined;
  close(): Promise<void>;
}

function running({ options, accounts, engine, served, view, operations, close }: Parts): RunningServer {
  const keyOf = (account: string): string => {
    const key = accounts.keyText(account);
    if (key === undefined) throw new ConfigurationError(`There is no account '${account}'.`);
    return key;
  };
  /** What a change of accounts affects. */
  const current = () => {
    const [name = WELL_KNOWN_ACCOUNT] = accounts.names;
    const endpoints: RunningServer['endpoints'] = Object.fromEntries(
      served.map(({ entry, listener }) => [entry.protocol.name, endpointOf(listener, name)]),
    );
    return {
      account: { name, key: keyOf(name) },
      endpoints,
      tableEndpoint: endpoints.table ?? '',
      queueEndpoint: endpoints.queue,
      blobEndpoint: endpoints.blob,
    };
  };
  const portOf = (name: string): number | undefined =>
    served.find(({ entry }) => entry.protocol.name === name)?.listener.port;
  let closed: Promise<void> | undefined;
  const face: RunningServer = {
    ...current(),
    tablePort: portOf('table') ?? 0,
    queuePort: portOf('queue'),
    blobPort: portOf('blob'),
    operationsPort: operations?.port,
    data: engine.tools.directory,
    place: engine.tools.place,
    connectionString: (name = face.account.name) => connectionStringOf(served, name, keyOf(name)),
    replaceAccounts(replacement) {
      checkAccounts(replacement, options);
      accounts.replace(replacement);
      for (const { service } of served) service.forgetSignatures();
      Object.assign(face, current());
    },
    view,
    close() {
      closed ??= close();
      return closed;
    },
  };
  return face;
}

/** How to close what is open, the last one first. */
type Closers = (() => unknown)[];

/** Opens the port of each service, then the one for forwarded requests. */
async function listenAll(
  options: ServeOptions,
  server: ServerContext,
  services: readonly ServiceEntry[],
  closers: Closers,
): Promise<readonly ServedService[]> {
  const served: ServedService[] = [];
  const { forwarding } = server;
  const proxies = options.trustedProxies && checkTrustedProxies(options.trustedProxies);
  closers.unshift(
    () => Promise.all(served.map(({ listener }) => listener.close())),
    () => forwarding?.close(),
  );
  for (const entry of services) {
    const { port = 0 } = entry.addressOf(options);
    if (port === 'none') continue;
    const service = entry.open(server);
    const listener = await listen(listenOptionsOf(options, entry, port, proxies), service.handle);
    served.push({ entry, service, listener });
  }
  const of = (name: string) => served.find(({ entry }) => entry.protocol.name === name)?.service;
  await forwarding?.begin(peerAddress(options), asked => of(asked.service)?.carryOut(asked));
  closers.unshift(() => forwarding?.leave());
  return served;
}

/** The parts of a server: its engines, its services, and the view of itself, which exists before both are open. */
interface Make {
  readonly engines: Engines;
  readonly services: readonly ServiceEntry[];
  readonly accounts: Accounts;
  readonly view: ProcessView;
}

/** Opens the port of its state, the store, then the services' ports. */
async function start(options: ServeOptions, make: Make, closers: Closers): Promise<RunningServer> {
  const { accounts, view, engines, services } = make;
  const operations = options.operations && (await openOperationsPort(options.operations, view));
  closers.unshift(() => operations?.close());
  checkPeerOptions(options, engines.tools(addressOf(options)));
  const bearer = new BearerTokens(accounts, [options.tenant ?? []].flat());
  const engine = await openEngine(options, engines);
  const tasks: BackgroundTask[] = [];
  closers.unshift(
    () => Promise.all(tasks.map(task => task.stop())),
    () => engine.close(),
  );
  const { clock = systemClock, tableDeletionSeconds = 0 } = options;
  const ticks = BigInt(Math.round(tableDeletionSeconds * 1e7));
  const server: ServerContext = {
    store: engine,
    content: engine.content,
    clock,
    accounts,
    bearer,
    log: openLog(options.logLevel ?? 'error'),
    metrics: view.requests,
    forwarding: await openForwarding(options, engine.peers),
    deletion: ticks > 0n ? { ticks, clock } : undefined,
    newId: randomUUID,
  };
  const served = await listenAll(options, server, services, closers);
  view.begin(
    served.map(({ listener }) => listener),
    engine,
    server.forwarding,
  );
  tasks.push(...served.flatMap(({ entry }) => entry.startBackground?.(server) ?? []));
  closers.unshift(() => view.stop());
  const close = () => closeAll(closers);
  return running({ options, accounts, engine, served, view, operations, close });
}

/** Closes all, also where one of them fails. @throws the first failure. */
async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers)
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

/**
 * Starts a server in this process and resolves once it accepts requests. For several processes on one directory use the
 * command (`shelfmark serve --workers`). `engines` are those that an address may name,
 * `services` those that get a port.
 *
 * @throws ConfigurationError for invalid settings, StoreError where the data cannot be opened, the system's
 * error where the address is unavailable.
 */
export async function serve(
  options: ServeOptions = {},
  engines = ENGINES,
  services = SERVICES,
): Promise<RunningServer> {
  const keys = options.accounts ?? { [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] };
  const accounts = checkAccounts(keys, options, services);
  const isCounted = options.operations !== undefined || options.isCounted === true;
  const counted = services.map(service => service.protocol);
  const view = new ProcessView(isCounted ? new RequestMetrics(counted) : undefined);
  const closers: Closers = [];
  try {
    return await start(options, { engines, services, accounts, view }, closers);
  } catch (error) {
    await closeAll(closers).catch(() => undefined);
    throw error;
  }
}
