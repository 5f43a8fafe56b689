// Starts the services of an account in this process and closes them again: the door for programs and tests.
// The command's options are turned into these by the cli.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type Clock, openMemoryStore, type Store, systemClock } from '#store';
import { openLmdbStore } from '#store-lmdb';
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
import { SignedTokens } from './signed-tokens.js';

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
  readonly limits?: ServerLimits | undefined;
  readonly clock?: Clock | undefined;
}

export interface RunningServer {
  /** The Table endpoint of the first account, as `http://127.0.0.1:10002/devstoreaccount1`. */
  readonly tableEndpoint: string;
  readonly tablePort: number;
  /** The data's directory in full; undefined if it lives in memory. */
  readonly data: string | undefined;
  /** The first account and its key, for clients and programs of this process. */
  readonly account: { readonly name: string; readonly key: string };
  /** To paste into a client; of the first account unless another is named. */
  connectionString(account?: string): string;
  /**
   * Answers what is under way, cuts what takes longer than the limit for it, then closes the sockets and the store. Closing
   * twice is harmless.
   */
  close(): Promise<void>;
}

function checkHost(host: string, accounts: Accounts, options: ServeOptions): void {
  if (isLoopback(host) || options.allowWellKnownKey || !accounts.hasWellKnownKey) return;
  throw new ConfigurationError(
    `The emulator's well-known key is no secret and must not be served on ${host}: configure accounts, listen on 127.0.0.1, or allow it in so many words.`,
  );
}

const openStore = (options: ServeOptions, directory: string | undefined): Promise<Store> | Store =>
  directory === undefined
    ? openMemoryStore({ clock: options.clock ?? systemClock })
    : openLmdbStore({
        directory,
        clock: options.clock ?? systemClock,
        durability: options.durability ?? 'full',
        isOnlyWriter: options.sharesData !== true,
        waitingMax: options.limits?.waitingWritesMax,
      });

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

function running(
  listener: Listener,
  store: Store,
  accounts: Accounts,
  data: string | undefined,
): RunningServer {
  const [name = WELL_KNOWN_ACCOUNT] = accounts.names;
  const protocol = listener.secure ? 'https' : 'http';
  const endpointOf = (account: string): string =>
    `${protocol}://${reachable(listener.host)}:${listener.port}/${account}`;
  const keyOf = (account: string): string => {
    const key = accounts.keyText(account);
    if (key === undefined) throw new ConfigurationError(`There is no account '${account}'.`);
    return key;
  };
  const close = async (): Promise<void> => {
    await listener.close();
    await store.close();
  };
  let closed: Promise<void> | undefined;
  return {
    tableEndpoint: endpointOf(name),
    tablePort: listener.port,
    data,
    account: { name, key: keyOf(name) },
    connectionString: (account = name) =>
      `DefaultEndpointsProtocol=${protocol};AccountName=${account};AccountKey=${keyOf(account)};TableEndpoint=${endpointOf(account)};`,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/**
 * Starts a server in this process and resolves once it accepts requests. Several processes on one directory are the
 * command's matter (`shelfmark serve --workers`).
 *
 * @throws ConfigurationError for settings that make no sense, StoreError where the data cannot be opened, the system's
 *   error where the address cannot be had.
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  const accounts = new Accounts(options.accounts ?? { [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] });
  const host = options.host ?? '127.0.0.1';
  checkHost(host, accounts, options);
  const bearer = new BearerTokens(accounts, options.tenant);
  const data = options.data === undefined ? undefined : resolve(options.data);
  const store = await openStore(options, data);
  const service = {
    store,
    clock: options.clock ?? systemClock,
    accounts,
    bearer,
    signed: new SignedTokens(),
    log: openLog(options.logLevel ?? 'error'),
    tableDeletionTicks: BigInt(Math.round((options.tableDeletionSeconds ?? 0) * 1e7)),
    newId: randomUUID,
  };
  try {
    const listener = await listen(listenOptionsOf(options, host), request => handle(request, service));
    return running(listener, store, accounts, data);
  } catch (error) {
    await store.close();
    throw error;
  }
}
