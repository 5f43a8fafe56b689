// Starts the services of an account in this process and closes them again: the door for programs and tests.
// The command's options are turned into these by the cli.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type Clock, openMemoryStore, type Store, systemClock } from '#store';
import { type LmdbStore, openLmdbStore } from '#store-lmdb';
import {
  type AccountKeys,
  Accounts,
  ConfigurationError,
  WELL_KNOWN_ACCOUNT,
  WELL_KNOWN_KEY,
} from './accounts.js';
import { BearerTokens, type TenantOptions } from './bearer.js';
import { handle } from './handle.js';
import { type Listener, type ListenOptions, listen } from './listen.js';
import { type LogLevel, openLog } from './log.js';
import { isLoopback } from './loopback.js';
import { type OperationsOptions, type OperationsView, openOperationsPort } from './operations-port.js';
import { ProcessView } from './process-view.js';
import { RequestFigures } from './request-figures.js';
import { SignedTokens } from './signed-tokens.js';
import type { TableService } from './table-service.js';

const HOST_DEFAULT = '127.0.0.1';

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
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port of the Table service; default 0, a free one. */
  readonly tablePort?: number | undefined;
  /** Account name to keys in base64; default is the emulator's well-known account. */
  readonly accounts?: AccountKeys | undefined;
  /** Lets the well-known key, which is no secret, open the server to other machines. */
  readonly allowWellKnownKey?: boolean | undefined;
  /** `none` answers before the data is synced: for tests, it promises nothing after a power cut. Default `full`. */
  readonly durability?: 'full' | 'none' | undefined;
  /** Other processes serve from the same directory at the same time. Alone, which is the default, writes are faster. */
  readonly sharesData?: boolean | undefined;
  /** Default `error`. */
  readonly logLevel?: LogLevel | undefined;
  readonly tls?: ListenOptions['tls'];
  /** Whose bearer tokens are accepted beside those of `shelfmark token`. */
  readonly tenant?: TenantOptions | undefined;
  /** How long the name of a dropped table is refused with TableBeingDeleted, as Azure does for about 40 s. Default 0. */
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
  /** Undefined if there is none. */
  readonly operationsPort: number | undefined;
  /** The data's directory in full; undefined if it lives in memory. */
  readonly data: string | undefined;
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
type Exposure = Pick<ServeOptions, 'host' | 'allowWellKnownKey'>;

/** @throws ConfigurationError for accounts that must not be served so, or that there cannot be. */
export function checkAccounts(accounts: AccountKeys, exposure: Exposure): Accounts {
  const { host = HOST_DEFAULT, allowWellKnownKey } = exposure;
  const checked = new Accounts(accounts);
  if (isLoopback(host) || allowWellKnownKey || !checked.hasWellKnownKey) return checked;
  throw new ConfigurationError(
    `The emulator's well-known key is no secret and must not be served on ${host}: configure accounts, listen on 127.0.0.1, or allow it in so many words.`,
  );
}

type Opened = { readonly store: Store; readonly engine: LmdbStore | undefined };

async function openStore(options: ServeOptions, directory: string | undefined): Promise<Opened> {
  const clock = options.clock ?? systemClock;
  if (directory === undefined) return { store: openMemoryStore({ clock }), engine: undefined };
  const engine = await openLmdbStore({
    directory,
    clock,
    durability: options.durability ?? 'full',
    isOnlyWriter: options.sharesData !== true,
    waitingMax: options.limits?.waitingWritesMax,
  });
  return { store: engine, engine };
}

function listenOptionsOf(
  { tablePort: port = 0, tls, limits = {} }: ServeOptions,
  host: string,
): ListenOptions {
  const { connectionsMax, heldBytesMax, drainMilliseconds: closing } = limits;
  const timeouts = closing === undefined ? undefined : { closing };
  return { host, port, tls, connectionsMax, heldBytesMax, timeouts };
}

/** Addresses that mean every interface cannot be connected to; this machine's own stands for them. */
const reachable = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;

/** The parts of a server that runs. */
interface Parts {
  readonly options: ServeOptions;
  readonly data: string | undefined;
  readonly service: TableService;
  readonly listener: Listener;
  readonly view: ProcessView;
  readonly operations: Listener | undefined;
}

/** What replaced accounts change. */
interface Changing {
  tableEndpoint: string;
  account: RunningServer['account'];
}

function running({ options, data, service, listener, view, operations }: Parts): RunningServer {
  const { accounts, signed, store } = service;
  const protocol = listener.secure ? 'https' : 'http';
  const endpointOf = (account: string): string =>
    `${protocol}://${reachable(listener.host)}:${listener.port}/${account}`;
  const keyOf = (account: string): string => {
    const key = accounts.keyText(account);
    if (key === undefined) throw new ConfigurationError(`There is no account '${account}'.`);
    return key;
  };
  const close = async (): Promise<void> => {
    view.stop();
    await listener.close();
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
    tableEndpoint: endpointOf(account.name),
    tablePort: listener.port,
    operationsPort: operations?.port,
    data,
    account,
    connectionString: (name = server.account.name) =>
      `DefaultEndpointsProtocol=${protocol};AccountName=${name};AccountKey=${keyOf(name)};TableEndpoint=${endpointOf(name)};`,
    replaceAccounts: (replacement: AccountKeys) => {
      checkAccounts(replacement, options);
      accounts.replace(replacement);
      signed.forget();
      server.account = first();
      server.tableEndpoint = endpointOf(server.account.name);
    },
    view,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
  return server;
}

/** Opens the store, then the service's port. */
async function start(
  options: ServeOptions,
  accounts: Accounts,
  view: ProcessView,
  operations: Listener | undefined,
): Promise<RunningServer> {
  const bearer = new BearerTokens(accounts, options.tenant);
  const data = options.data === undefined ? undefined : resolve(options.data);
  const { store, engine } = await openStore(options, data);
  const service: TableService = {
    store,
    clock: options.clock ?? systemClock,
    accounts,
    bearer,
    signed: new SignedTokens(),
    log: openLog(options.logLevel ?? 'error'),
    figures: view.requests,
    tableDeletionTicks: BigInt(Math.round((options.tableDeletionSeconds ?? 0) * 1e7)),
    newId: randomUUID,
  };
  const { host = HOST_DEFAULT } = options;
  try {
    const listener = await listen(listenOptionsOf(options, host), request => handle(request, service));
    view.begin(listener, engine);
    return running({ options, data, service, listener, view, operations });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Starts a server in this process and resolves once it accepts requests. Several processes on one directory are the
 * command's matter (`shelfmark serve --workers`).
 *
 * @throws ConfigurationError for settings that make no sense, StoreError where the data cannot be opened, the system's
 *   error where the address cannot be had.
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  const accounts = checkAccounts(options.accounts ?? { [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }, options);
  const isCounted = options.operations !== undefined || options.isCounted === true;
  const view = new ProcessView(isCounted ? new RequestFigures() : undefined);
  const operations = options.operations && (await openOperationsPort(options.operations, view));
  try {
    return await start(options, accounts, view, operations);
  } catch (error) {
    await operations?.close();
    throw error;
  }
}
