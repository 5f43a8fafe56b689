// `shelfmark serve`: runs a server in the foreground until a signal stops it, in this process or in a cluster of
// several (primary.ts, worker.ts). Takes Azurite's flags in addition to its own.
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  type AccountKeys,
  ConfigurationError,
  checkAccounts,
  ENGINES,
  LOG_LEVELS,
  type LogLevel,
  type OperationsOptions,
  type RunningServer,
  type ServeOptions,
  serve,
  WELL_KNOWN_KEY,
} from '#server';
import { type ServingCluster, serveCluster } from './cluster/serve-cluster.js';
import { ServingWorker } from './cluster/worker.js';
import { fail, textOf } from './fail.js';
import { startLocked } from './locked-directory.js';
import { AccountsFile } from './options/accounts-file.js';
import { configuredAccounts } from './options/configured-accounts.js';
import { DATA_DEFAULT } from './options/data-default.js';
import { addLimitOptions, type LimitFlags, limitsOf } from './options/limit-options.js';
import { parseProxies } from './options/parse-proxies.js';
import { parseRole } from './options/parse-role.js';
import { parseWorkers, type Workers, workersOf } from './options/parse-workers.js';
import { STORE_FLAGS, type StoreFlags, storeAddress } from './options/store-option.js';
import { oneMore, type TenantFlags, tenantsOf } from './options/tenants.js';
import { tuneHeap } from './tune-heap.js';

const PORT_MAX = 65_535;
/** Azurite's, and the default of `UseDevelopmentStorage=true`. */
const TABLE_PORT_DEFAULT = 10_002;
const QUEUE_PORT_DEFAULT = 10_001;
const BLOB_PORT_DEFAULT = 10_000;
/** The same default as `serve()`. */
const HOST_DEFAULT = '127.0.0.1';

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= PORT_MAX)) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

function parsePortOrNone(text: string): number | 'none' {
  return text === 'none' ? text : parsePort(text);
}

function parseSeconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('A number of seconds.');
  return Number(text);
}

/** Options of Azurite that are accepted without effect: what they ask for is always on here, or does not exist here. */
const IGNORED_FLAGS: readonly (readonly [flags: string, why: string])[] = [
  ['--loose', 'unknown headers and parameters are never refused'],
  ['-L, --Loose', 'as --loose'],
  ['--skipApiVersionCheck', 'every version is accepted'],
  ['--disableProductStyleUrl', 'addresses are recognised by the account'],
  ['--disableTelemetry', 'there is none'],
  ['--extentMemoryLimit <megabytes>', 'data in memory is not limited'],
  ['--blobKeepAliveTimeout <seconds>', 'connections are kept for two minutes'],
  ['--queueKeepAliveTimeout <seconds>', 'connections are kept for two minutes'],
  ['--tableKeepAliveTimeout <seconds>', 'connections are kept for two minutes'],
  ['--oauth <level>', 'bearer tokens are always checked in full'],
];

interface Flags extends LimitFlags, StoreFlags, TenantFlags {
  readonly host?: string;
  readonly tableHost?: string;
  readonly tablePort: number;
  readonly queuePort?: number | 'none';
  readonly queueHost?: string;
  readonly blobPort?: number | 'none';
  readonly blobHost?: string;
  readonly silent?: boolean;
  readonly debug?: string | true;
  readonly durability: 'full' | 'none';
  readonly workers: Workers;
  readonly allowWellKnownKey?: boolean;
  readonly cert?: string;
  readonly key?: string;
  readonly trustedProxy?: readonly string[];
  readonly tableDeletionSeconds?: number;
  readonly accounts?: string;
  readonly peerHost?: string;
  readonly peerPort?: number | 'none';
  readonly metricsPort?: number;
  readonly metricsHost?: string;
  readonly logLevel?: LogLevel;
}

/** Endpoints and data. */
const placeOptions = (): Command =>
  new Command('serve')
    .description('serve tables, queues and blobs until SIGINT or SIGTERM')
    .option('--data <directory>', `data directory (default: ./${DATA_DEFAULT})`)
    .option(
      STORE_FLAGS,
      'address of the store instead of --data: lmdb:DIR, memory: or cassandra://HOST,…/KEYSPACE',
    )
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .addOption(
      new Option('--table-port <port>', 'port of the Table service; 0 picks a free port')
        .argParser(parsePort)
        .default(TABLE_PORT_DEFAULT),
    )
    .addOption(
      new Option(
        '--queue-port <port>',
        'port of the Queue service; 0 picks a free port, none turns the service off (default: 10001, or a free port with --table-port 0)',
      ).argParser(parsePortOrNone),
    )
    .option('--queue-host <host>', 'address of the Queue service (default: --host)')
    .addOption(
      new Option(
        '--blob-port <port>',
        'port of the Blob service; 0 picks a free port, none turns the service off (default: 10000, or a free port if the other two ports are given)',
      ).argParser(parsePortOrNone),
    )
    .option('--blob-host <host>', 'address of the Blob service (default: --host)')
    .option(
      '--peer-host <host>',
      'Cassandra: address at which other front ends of the same store reach this one (default: 127.0.0.1)',
    )
    .addOption(
      new Option(
        '--peer-port <port>',
        'Cassandra: port for other front ends; 0 picks a free port, none turns forwarding off (default: 0)',
      ).argParser(parsePortOrNone),
    );

const addTenantOptions = (serving: Command): Command =>
  serving
    .option('--tenant <id>', 'accept bearer tokens of this Entra ID tenant; repeatable', oneMore)
    .option('--tenant-issuer <url>', "issuer of the tokens (default: the tenant's two issuers)")
    .option('--tenant-jwks <url or file>', "public keys of the issuer (default: the tenant's)")
    .option('--tenant-audience <audience>', 'audience of the tokens (default: https://storage.azure.com)')
    .option('--tenant-role <role>', 'role of tokens that carry none (default: no access)', parseRole);

function addAzuriteOptions(serving: Command): void {
  serving
    .option('-l, --location <directory>', "same as --data, for Azurite's users")
    .option('--tableHost <host>', "same as --host, for Azurite's users")
    .addOption(
      new Option('--tablePort <port>', "same as --table-port, for Azurite's users").argParser(parsePort),
    )
    .addOption(new Option('--queuePort <port>').argParser(parsePortOrNone).hideHelp())
    .addOption(new Option('--queueHost <host>').hideHelp())
    .addOption(new Option('--blobPort <port>').argParser(parsePortOrNone).hideHelp())
    .addOption(new Option('--blobHost <host>').hideHelp());
  for (const [flags, why] of IGNORED_FLAGS) serving.addOption(new Option(flags, why).hideHelp());
}

function command(): Command {
  const serving = placeOptions()
    .addOption(
      new Option(
        '--durability <mode>',
        'none: answer before data is synced to disk; not safe from a power cut',
      )
        .choices(['full', 'none'])
        .default('full'),
    )
    .addOption(
      new Option('--workers <n>', 'number of server processes; auto: one per core')
        .argParser(parseWorkers)
        .default(1),
    )
    .option('--allow-well-known-key', "allow the emulator's public key on addresses other than loopback")
    .option('--cert <file>', 'certificate in PEM; with --key, serves HTTPS')
    .option('--key <file>', 'private key of the certificate, in PEM')
    .addOption(
      new Option(
        '--trusted-proxy <address...>',
        'trust X-Forwarded-* and Forwarded headers from these addresses or ranges (10.0.0.0/8)',
      ).argParser(parseProxies),
    )
    .addOption(
      new Option(
        '--table-deletion-seconds <n>',
        'seconds for which the name of a deleted table or queue cannot be used again (default: 0)',
      ).argParser(parseSeconds),
    )
    .option(
      '--accounts <file>',
      'accounts and keys, NAME:KEY[:KEY2] per line; reloaded on SIGHUP and on change',
    )
    .addOption(
      new Option(
        '--metrics-port <port>',
        'serve /healthz, /readyz and /metrics on this port; 0 picks a free port (default: off)',
      ).argParser(parsePort),
    )
    .option('--metrics-host <host>', 'address of the metrics port (default: 127.0.0.1)')
    .addOption(
      new Option(
        '--log-level <level>',
        'least severe level to log, to standard error (default: warn)',
      ).choices(LOG_LEVELS),
    )
    .option('--inMemoryPersistence', 'keep all data in memory; it is lost when the server ends')
    .option('-s, --silent', 'print only the ready line and errors')
    .option('-d, --debug [file]', 'log every request to standard error');
  addAzuriteOptions(serving);
  addTenantOptions(serving);
  addLimitOptions(serving);
  return serving;
}

function readPem(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigurationError(`${flag} names a file that cannot be read: ${textOf(error)}`);
  }
}

function tlsOf({ cert, key }: Flags): ServeOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new ConfigurationError('--cert and --key go together.');
  const pair = { cert: readPem('--cert', cert), key: readPem('--key', key) };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new ConfigurationError(
      `${cert} and ${key} cannot be used as certificate and key: ${String(error)}`,
    );
  }
  return pair;
}

const logLevelOf = (flags: Flags): LogLevel =>
  flags.logLevel ?? (flags.debug !== undefined ? 'debug' : flags.silent ? 'error' : 'warn');

function operationsOf({ metricsPort: port, metricsHost: host }: Flags): OperationsOptions | undefined {
  if (port === undefined && host !== undefined)
    throw new ConfigurationError('--metrics-host needs --metrics-port.');
  return port === undefined ? undefined : { host, port };
}

/**
 * The addresses on which the accounts are served, and whether the well-known key is allowed. Azurite's --tableHost
 * applies only to tables.
 */
const exposureOf = ({ host, tableHost, queueHost, blobHost, allowWellKnownKey }: Flags) => ({
  host: host ?? tableHost,
  queueHost: queueHost ?? host ?? HOST_DEFAULT,
  blobHost: blobHost ?? host ?? HOST_DEFAULT,
  allowWellKnownKey,
});

/** With port 0 for tables the system chooses the ports of queues and blobs too, so that several servers can run. */
const queuePortOf = ({ tablePort, queuePort }: Flags): number | 'none' =>
  queuePort ?? (tablePort === 0 ? 0 : QUEUE_PORT_DEFAULT);

/** If the ports of tables and queues were given, the user runs several servers, or has another one for blobs. */
function blobPortOf(flags: Flags): number | 'none' {
  const { tablePort, blobPort } = flags;
  const areChosen = tablePort !== TABLE_PORT_DEFAULT && queuePortOf(flags) !== QUEUE_PORT_DEFAULT;
  return blobPort ?? (areChosen ? 0 : BLOB_PORT_DEFAULT);
}

function optionsOf(flags: Flags, accounts: AccountKeys): ServeOptions {
  return {
    store: storeAddress(flags),
    ...exposureOf(flags),
    tablePort: flags.tablePort,
    queuePort: queuePortOf(flags),
    blobPort: blobPortOf(flags),
    accounts,
    durability: flags.durability,
    logLevel: logLevelOf(flags),
    tls: tlsOf(flags),
    trustedProxies: flags.trustedProxy,
    tableDeletionSeconds: flags.tableDeletionSeconds,
    peerHost: flags.peerHost,
    peerPort: flags.peerPort,
    tenant: tenantsOf(flags),
    limits: limitsOf(flags),
  };
}

/** The ready line may be logged, so it contains no key of a configured account. */
function pasteable(server: RunningServer): string {
  const { key } = server.account;
  const text = server.connectionString();
  return key === WELL_KNOWN_KEY ? text : text.replace(`AccountKey=${key};`, 'AccountKey=<its key>;');
}

function readyLine(server: RunningServer, durability: Flags['durability'], workers: number): string {
  const parts = [`Shelfmark serves tables at ${server.tableEndpoint}`, `data in ${server.place}`];
  if (server.queueEndpoint !== undefined) parts.push(`queues at ${server.queueEndpoint}`);
  if (server.endpoints.blob !== undefined) parts.push(`blobs at ${server.endpoints.blob}`);
  if (durability === 'none' && server.data !== undefined)
    parts.push('durability none: not safe from a power cut');
  if (workers > 1) parts.push(`${workers} processes`);
  return [...parts, `connection string: ${pasteable(server)}`].join('; ');
}

const say = (text: string): void => {
  process.stderr.write(`shelfmark: ${text}\n`);
};

/** The first signal stops gracefully, the second at once. */
function stopOnSignal(server: RunningServer): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    server.close().then(
      () => process.exit(0),
      error => fail(error),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

/** Reports a port that the system chose. */
function tellOperationsPort(
  { metricsPort, metricsHost = HOST_DEFAULT }: Flags,
  port: number | undefined,
): void {
  if (metricsPort === 0) say(`health and metrics are served at http://${metricsHost}:${port}.`);
}

async function runCluster(flags: Flags, workers: number, file: AccountsFile | undefined): Promise<void> {
  const exposure = exposureOf(flags);
  const accounts = configuredAccounts(file);
  checkAccounts(accounts, exposure);
  const { host = HOST_DEFAULT, queueHost, blobHost } = exposure;
  const operations = operationsOf(flags);
  const endpoints = {
    '--table-port': { host, port: flags.tablePort },
    '--queue-port': { host: queueHost, port: queuePortOf(flags) },
    '--blob-port': { host: blobHost, port: blobPortOf(flags) },
  };
  const start = () => serveCluster({ workers, endpoints, accounts, operations });
  const endpointOf = ({ readyLine: line }: ServingCluster) => /https?:[^;]+/.exec(line)?.[0] ?? line;
  const starting = startLocked(ENGINES.tools(storeAddress(flags)).directory, start, endpointOf);
  const take = async (replacement: AccountKeys): Promise<void> => {
    checkAccounts(replacement, exposure);
    await (await starting).replaceAccounts(replacement);
  };
  file?.watch(take, say);
  const serving = await starting;
  tellOperationsPort(flags, serving.operationsPort);
  process.stdout.write(`${serving.readyLine}\n`);
}

async function runAlone(flags: Flags, file: AccountsFile | undefined): Promise<void> {
  const options = optionsOf(flags, configuredAccounts(file));
  const starting = startLocked(
    ENGINES.tools(storeAddress(flags)).directory,
    () => serve({ ...options, operations: operationsOf(flags) }),
    ({ tableEndpoint }) => tableEndpoint,
  );
  file?.watch(async accounts => (await starting).replaceAccounts(accounts), say);
  const server = await starting;
  stopOnSignal(server);
  tellOperationsPort(flags, server.operationsPort);
  process.stdout.write(`${readyLine(server, flags.durability, 1)}\n`);
}

async function run(flags: Flags): Promise<void> {
  tuneHeap();
  const workers = workersOf(
    flags.workers,
    ENGINES.tools(storeAddress(flags)),
    flags.inMemoryPersistence ? '--inMemoryPersistence' : 'The engine',
  );
  if (workers > 1 && cluster.isWorker) {
    const isCounted = flags.metricsPort !== undefined;
    new ServingWorker(
      accounts => serve({ ...optionsOf(flags, accounts), exclusive: false, isCounted }),
      server => readyLine(server, flags.durability, workers),
    ).run();
    return;
  }
  const file = flags.accounts === undefined ? undefined : new AccountsFile(flags.accounts);
  if (workers > 1) await runCluster(flags, workers, file);
  else await runAlone(flags, file);
}

export function serveCommand(): Command {
  return command().action((flags: Flags) => run(flags).catch(fail));
}
