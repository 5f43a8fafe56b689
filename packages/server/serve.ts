// Starts the services of an account in this process and closes them again: the door for programs and tests.
// The command's options are turned into these by the cli.
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '#base';
import { type Listener, type ListenOptions, listen } from '#http';
import type { Engine } from '#store';
import {
  type AccountKeys,
  Accounts,
  ConfigurationError,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from './auth/accounts.js';
import { BearerTokens, type TenantOptions } from './auth/bearer.js';
import { isLoopback } from './auth/loopback.js';
import { SignedTokens } from './auth/signed-tokens.js';
import { addressOf, ENGINES, type Engines } from './engines.js';
import type { ServerContext } from './frame/server-context.js';
import { type LogLevel, openLog } from './observe/log.js';
import {
  type OperationsOptions,
  type OperationsView,
  openOperationsPort,
} from './observe/operations-port.js';
import { ProcessView } from './observe/process-view.js';
import { RequestMetrics } from './observe/request-metrics.js';
import { handleQueue } from './services/queue/handle-queue.js';
import { QueueSweep } from './services/queue/queue-sweep.js';
import { handle } from './services/table/handle.js';

const HOST_DEFAULT = '127.0.0.1';
/** The body of any request that is not streamed (protocol: requests#bounds). */
export const BODY_BYTES_MAX = 4 * 1_048_576;
/** Names of metadata keep their spelling (protocol: queues#metadata). */
const METADATA_PREFIX = 'x-ms-meta-';

/** How much a server takes on; docs/limits.md has the defaults and why. */
export interface ServerLimits {
  /** Connections at a time; more are answered 503 and closed. */
  readonly connectionsMax?: number | undefined;
  /** Bytes of requests and answers under way, beyond which requests with a body are answered 503. */
  readonly heldBytesMax?: number | undefined;
  /** Writes that wait for the disk; one more is answered 503. */
  readonly waitingWritesMax?: number | undefined;
  /** How long `close` waits for what is under way before it cuts it. */
  readonly drainMilliseconds?: number | undefined;
}

export interface ServeOptions {
  /** Directory of the data, made if it is not there; without it the data lives in memory and ends with the server. */
  readonly data?: string | undefined;
  /** The same as an address, in place of `data`: `lmdb:DIR`, or `memory:`. */
  readonly store?: string | undefined;
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port of the Table service; default 0, a free one. */
  readonly tablePort?: number | undefined;
  /** Port of the Queue service, on the same data; default 0, a free one. `none`: there is no Queue service. */
  readonly queuePort?: number | 'none' | undefined;
  /** Address of the Queue service; default that of the Table service. */
  readonly queueHost?: string | undefined;
  /** Account name to keys in base64; default is the emulator's well-known account. */
  readonly accounts?: AccountKeys | undefined;
  /** Lets the well-known key, which is no secret, open the server to other machines. */
  readonly allowWellKnownKey?: boolean | undefined;
  /** `none` answers before the data is synced: for tests, it promises nothing after a power cut. Default `full`. */
  readonly durability?: 'full' | 'none' | undefined;
  /**
   * A promise that no other process serves from the same data meanwhile, which makes writes faster; docs/durability.md says what
   * happens if it is broken. False: others may. Default true.
   */
  readonly exclusive?: boolean | undefined;
  /** Default `error`. */
  readonly logLevel?: LogLevel | undefined;
  readonly tls?: ListenOptions['tls'];
  /** Whose bearer tokens are accepted beside those of `shelfmark token`. */
  readonly tenant?: TenantOptions | undefined;
  /** How long the name of a dropped table or queue is refused as being deleted, as Azure does for about 40 s. Default 0. */
  readonly tableDeletionSeconds?: number | undefined;
  /** Where health and metrics are told; default nowhere. */
  readonly operations?: OperationsOptions | undefined;
  /** Count requests although no port tells of them: `view` does. */
  readonly isCounted?: boolean | undefined;
  readonly limits?: ServerLimits | undefined;
  readonly clock?: Clock | undefined;
}

export interface RunningServer {
  /** The Table endpoint of the first account, as `http://127.0.0.1:10002/devstoreaccount1`. */
  readonly tableEndpoint: string;
  readonly tablePort: number;
  /** The Queue endpoint of the first account; undefined if there is no Queue service, as the port is then. */
  readonly queueEndpoint: string | undefined;
  readonly queuePort: number | undefined;
  /** Undefined if there is none. */
  readonly operationsPort: number | undefined;
  /** The data's directory in full; undefined if the engine keeps it elsewhere, as in memory. */
  readonly data: string | undefined;
  /** Where the data is, for people: its directory in full, `memory`, or what another engine says. */
  readonly place: string;
  /** The first account and its key, for clients and programs of this process. */
  readonly account: { readonly name: string; readonly key: string };
  /** To paste into a client; of the first account unless another is named. */
  connectionString(account?: string): string;
  /**
   * From now on these are the accounts and no others: what was signed with a key that is gone is refused, tokens and
   * signatures that held before among it.
   *
   * @throws ConfigurationError for accounts that `serve` would not have taken; then nothing has changed.
   */
  replaceAccounts(accounts: AccountKeys): void;
  /** What the server tells of itself to who runs it. */
  readonly view: OperationsView;
  /**
   * Answers what is under way, cuts what takes longer than the limit for it, then closes the sockets and the store. Closing
   * twice is harmless.
   */
  close(): Promise<void>;
}

/** What accounts may be served where. */
type Exposure = Pick<ServeOptions, 'host' | 'queueHost' | 'allowWellKnownKey'>;

/** @throws ConfigurationError for accounts that must not be served so, or that there cannot be. */
export function checkAccounts(accounts: AccountKeys, exposure: Exposure): Accounts {
  const { host = HOST_DEFAULT, queueHost = host, allowWellKnownKey } = exposure;
  const checked = new Accounts(accounts);
  const open = [host, queueHost].find(each => !isLoopback(each));
  if (open === undefined || allowWellKnownKey || !checked.hasWellKnownKey) return checked;
  throw new ConfigurationError(
    `The emulator's well-known key is no secret and must not be served on ${open}: configure accounts, listen on 127.0.0.1, or allow it in so many words.`,
  );
}

const openEngine = (options: ServeOptions, engines: Engines): Promise<Engine> =>
  engines.open(addressOf(options), {
    clock: options.clock ?? systemClock,
    durability: options.durability ?? 'full',
    exclusive: options.exclusive !== false,
    waitingMax: options.limits?.waitingWritesMax,
  });

function listenOptionsOf({ tls, limits = {} }: ServeOptions, host: string, port: number): ListenOptions {
  const { connectionsMax, heldBytesMax: bufferedBytesMax, drainMilliseconds: closing } = limits;
  return {
    host,
    port,
    tls,
    connectionsMax,
    bodyBytesMax: BODY_BYTES_MAX,
    bufferedBytesMax,
    spelledPrefix: METADATA_PREFIX,
    timeouts: closing === undefined ? undefined : { closing },
  };
}

/** Addresses that mean every interface cannot be connected to; this machine's own stands for them. */
const reachable = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

interface Listeners {
  readonly tables: Listener;
  readonly queues: Listener | undefined;
}

/** The parts of a server that runs. */
interface Parts {
  readonly options: ServeOptions;
  readonly engine: Engine;
  readonly service: ServerContext;
  readonly listeners: Listeners;
  readonly view: ProcessView;
  readonly operations: Listener | undefined;
}

/** What replaced accounts change. */
interface Changing {
  tableEndpoint: string;
  queueEndpoint: string | undefined;
  account: RunningServer['account'];
}

const endpointOf = ({ secure, host, port }: Listener, account: string): string =>
  `${secure ? 'https' : 'http'}://${reachable(host)}:${port}/${account}`;

function endpointsOf({ tables, queues }: Listeners, account: string) {
  return {
    tableEndpoint: endpointOf(tables, account),
    queueEndpoint: queues && endpointOf(queues, account),
  };
}

function connectionStringOf(listeners: Listeners, account: string, key: string): string {
  const protocol = listeners.tables.secure ? 'https' : 'http';
  const { tableEndpoint, queueEndpoint } = endpointsOf(listeners, account);
  const queues = queueEndpoint === undefined ? '' : `QueueEndpoint=${queueEndpoint};`;
  return `DefaultEndpointsProtocol=${protocol};AccountName=${account};AccountKey=${key};TableEndpoint=${tableEndpoint};${queues}`;
}

const closeAll = async (listeners: readonly (Listener | undefined)[]): Promise<void> => {
  await Promise.all(listeners.map(listener => listener?.close()));
};

const sweepOf = ({ store, clock, accounts, log, newId }: ServerContext): QueueSweep =>
  new QueueSweep({
    store,
    clock,
    accounts: () => accounts.names,
    onFailure: error =>
      log.failure({ service: 'queue', requestId: newId(), method: 'SWEEP', path: '/', status: 500 }, error),
  });

function running({ options, engine, service, listeners, view, operations }: Parts): RunningServer {
  const { accounts, signed, signedForQueues, store } = service;
  const { tables, queues } = listeners;
  const sweep = queues && sweepOf(service);
  const keyOf = (account: string): string => {
    const key = accounts.keyText(account);
    if (key === undefined) throw new ConfigurationError(`There is no account '${account}'.`);
    return key;
  };
  const close = async (): Promise<void> => {
    view.stop();
    await closeAll([tables, queues]);
    await sweep?.stop();
    await store.close();
    await operations?.close();
  };
  const first = (): RunningServer['account'] => {
    const [name = WELL_KNOWN_ACCOUNT] = accounts.names;
    return { name, key: keyOf(name) };
  };
  let closed: Promise<void> | undefined;
  const account = first();
  const server: RunningServer & Changing = {
    ...endpointsOf(listeners, account.name),
    tablePort: tables.port,
    queuePort: queues?.port,
    operationsPort: operations?.port,
    data: engine.tools.directory,
    place: engine.tools.place,
    account,
    connectionString: (name = server.account.name) => connectionStringOf(listeners, name, keyOf(name)),
    replaceAccounts: (replacement: AccountKeys) => {
      checkAccounts(replacement, options);
      accounts.replace(replacement);
      signed.forget();
      signedForQueues.forget();
      server.account = first();
      Object.assign(server, endpointsOf(listeners, server.account.name));
    },
    view,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
  return server;
}

/** Both ports or none. */
async function listenAll(options: ServeOptions, service: ServerContext): Promise<Listeners> {
  const { host = HOST_DEFAULT, queueHost = host, tablePort = 0, queuePort = 0 } = options;
  const tables = await listen(listenOptionsOf(options, host, tablePort), request => handle(request, service));
  if (queuePort === 'none') return { tables, queues: undefined };
  try {
    const queues = await listen(listenOptionsOf(options, queueHost, queuePort), request =>
      handleQueue(request, service),
    );
    return { tables, queues };
  } catch (error) {
    await tables.close();
    throw error;
  }
}

/** Opens the store, then the services' ports. */
async function start(
  options: ServeOptions,
  accounts: Accounts,
  view: ProcessView,
  operations: Listener | undefined,
  engines: Engines,
): Promise<RunningServer> {
  const bearer = new BearerTokens(accounts, options.tenant);
  const engine = await openEngine(options, engines);
  const service: ServerContext = {
    store: engine,
    clock: options.clock ?? systemClock,
    accounts,
    bearer,
    signed: new SignedTokens(),
    signedForQueues: new SignedTokens(),
    log: openLog(options.logLevel ?? 'error'),
    figures: view.requests,
    tableDeletionTicks: BigInt(Math.round((options.tableDeletionSeconds ?? 0) * 1e7)),
    newId: randomUUID,
  };
  try {
    const listeners = await listenAll(options, service);
    view.begin([listeners.tables, ...(listeners.queues ? [listeners.queues] : [])], engine);
    return running({ options, engine, service, listeners, view, operations });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Starts a server in this process and resolves once it accepts requests. Several processes on one directory are the
 * command's matter (`shelfmark serve --workers`). `engines` are those that an address may name.
 *
 * @throws ConfigurationError for settings that make no sense, StoreError where the data cannot be opened, the system's
 *   error where the address cannot be had.
 */
export async function serve(options: ServeOptions = {}, engines = ENGINES): Promise<RunningServer> {
  const accounts = checkAccounts(options.accounts ?? { [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }, options);
  const isCounted = options.operations !== undefined || options.isCounted === true;
  const view = new ProcessView(isCounted ? new RequestMetrics() : undefined);
  const operations = options.operations && (await openOperationsPort(options.operations, view));
  try {
    return await start(options, accounts, view, operations, engines);
  } catch (error) {
    await operations?.close();
    throw error;
  }
}
