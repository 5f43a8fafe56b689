// The options of `shelfmark serve`: its own, and Azurite's. serve-settings.ts has what they set.
import { Command, InvalidArgumentError, Option } from 'commander';
import { ConfigurationError, type LogLevel, type Role } from '#server';
import { checkTrustedProxies, LOG_LEVELS, ROLES } from '#server/parts';
import { DATA_DEFAULT, STORE_FLAGS, type StoreFlags } from './store-option.js';
import { each, oneOf, parsePort, parsePortOrNone, wholeIn } from './values.js';

/** Azurite's, which `UseDevelopmentStorage=true` stands for. */
export const TABLE_PORT_DEFAULT = 10_002;
export const QUEUE_PORT_DEFAULT = 10_001;
export const BLOB_PORT_DEFAULT = 10_000;
/** The same default as `serve()`. */
export const HOST_DEFAULT = '127.0.0.1';

/** Options of Azurite that are accepted without effect: what they ask for is always so here, or does not exist here. */
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

/** The most for any engine; each engine declares how many may share its data. */
export const WORKERS_MAX = 64;

export type Workers = number | 'auto';

const parseCount = wholeIn(1, WORKERS_MAX, `A number of processes from 1 to ${WORKERS_MAX}, or auto.`);
const parseWorkers = (text: string): Workers => (text === 'auto' ? text : parseCount(text));

/** An address or a range of addresses. */
function parseProxy(text: string): string {
  try {
    checkTrustedProxies([text]);
  } catch (error) {
    if (error instanceof ConfigurationError) throw new InvalidArgumentError(error.message);
    throw error;
  }
  return text;
}

const LIMITS: readonly (readonly [name: string, text: string, least: number, most: number])[] = [
  ['max-connections', 'open connections per process (default: 10000)', 1, 1_000_000],
  ['max-waiting-writes', 'writes that may wait for the disk, per process (default: 5000)', 1, 1_000_000],
  [
    'max-request-megabytes',
    'memory for requests and responses in flight, per process (default: 256)',
    8,
    1_000_000,
  ],
  ['drain-seconds', 'how long requests in flight may run on after SIGTERM (default: 10)', 0, 3_600],
];

export interface ServeFlags extends StoreFlags {
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
  readonly explorerPort?: number;
  readonly explorerHost?: string;
  readonly allowRemoteExplorer?: boolean;
  readonly logLevel?: LogLevel;
  /** All named tenants, in their order. */
  readonly tenant?: readonly string[];
  readonly tenantIssuer?: string;
  readonly tenantJwks?: string;
  readonly tenantAudience?: string;
  readonly tenantRole?: Role;
  readonly maxConnections?: number;
  readonly maxWaitingWrites?: number;
  readonly maxRequestMegabytes?: number;
  readonly drainSeconds?: number;
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
    .option(
      '--table-port <port>',
      'port of the Table service; 0 picks a free port',
      parsePort,
      TABLE_PORT_DEFAULT,
    )
    .option(
      '--queue-port <port>',
      'port of the Queue service; 0 picks a free port, none turns the service off (default: 10001, or a free port with --table-port 0)',
      parsePortOrNone,
    )
    .option('--queue-host <host>', 'address of the Queue service (default: --host)')
    .option(
      '--blob-port <port>',
      'port of the Blob service; 0 picks a free port, none turns the service off (default: 10000, or a free port if the other two ports are given)',
      parsePortOrNone,
    )
    .option('--blob-host <host>', 'address of the Blob service (default: --host)')
    .option(
      '--peer-host <host>',
      'Cassandra: address at which other front ends of the same store reach this one (default: 127.0.0.1)',
    )
    .option(
      '--peer-port <port>',
      'Cassandra: port for other front ends; 0 picks a free port, none turns forwarding off (default: 0)',
      parsePortOrNone,
    );

const addExplorerOptions = (serving: Command): Command =>
  serving
    .option(
      '--explorer-port <port>',
      'serve the explorer, a page that shows and edits all accounts, on this port; 0 picks a free port (default: off)',
      parsePort,
    )
    .option('--explorer-host <host>', 'address of the explorer (default: 127.0.0.1)')
    .option(
      '--allow-remote-explorer',
      'allow --explorer-host to be an address other than loopback; needs --cert and --key',
    );

const addTenantOptions = (serving: Command): Command =>
  serving
    .option('--tenant <id>', 'accept bearer tokens of this Entra ID tenant; repeatable', each(String))
    .option('--tenant-issuer <url>', "issuer of the tokens (default: the tenant's two issuers)")
    .option('--tenant-jwks <url or file>', "public keys of the issuer (default: the tenant's)")
    .option('--tenant-audience <audience>', 'audience of the tokens (default: https://storage.azure.com)')
    .option('--tenant-role <role>', 'role of tokens that carry none (default: no access)', oneOf(ROLES));

function addAzuriteOptions(serving: Command): void {
  serving
    .option('-l, --location <directory>', "same as --data, for Azurite's users")
    .option('--tableHost <host>', "same as --host, for Azurite's users")
    .option('--tablePort <port>', "same as --table-port, for Azurite's users", parsePort)
    .addOption(new Option('--queuePort <port>').argParser(parsePortOrNone).hideHelp())
    .addOption(new Option('--queueHost <host>').hideHelp())
    .addOption(new Option('--blobPort <port>').argParser(parsePortOrNone).hideHelp())
    .addOption(new Option('--blobHost <host>').hideHelp());
  for (const [flags, why] of IGNORED_FLAGS) serving.addOption(new Option(flags, why).hideHelp());
}

/** `shelfmark serve` with its options, without an action. */
export function serveOptions(): Command {
  const serving = placeOptions()
    .addOption(
      new Option(
        '--durability <mode>',
        'none: answer before data is synced to disk; not safe from a power cut',
      )
        .choices(['full', 'none'])
        .default('full'),
    )
    .option('--workers <n>', 'number of server processes; auto: one per core', parseWorkers, 1)
    .option('--allow-well-known-key', "allow the emulator's public key on addresses other than loopback")
    .option('--cert <file>', 'certificate in PEM; with --key, serves HTTPS')
    .option('--key <file>', 'private key of the certificate, in PEM')
    .option(
      '--trusted-proxy <address...>',
      'trust X-Forwarded-* and Forwarded headers from these addresses or ranges (10.0.0.0/8)',
      each(parseProxy),
    )
    .option(
      '--table-deletion-seconds <n>',
      'seconds for which the name of a deleted table or queue cannot be used again (default: 0)',
      wholeIn(0, 999_999, 'A number of seconds.'),
    )
    .option(
      '--accounts <file>',
      'accounts and keys, NAME:KEY[:KEY2] per line; reloaded on SIGHUP and on change',
    )
    .option(
      '--metrics-port <port>',
      'serve /healthz, /readyz and /metrics on this port; 0 picks a free port (default: off)',
      parsePort,
    )
    .option('--metrics-host <host>', 'address of the metrics port (default: 127.0.0.1)');
  addExplorerOptions(serving)
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
  for (const [name, text, least, most] of LIMITS) serving.option(`--${name} <n>`, text, wholeIn(least, most));
  return serving;
}
