// `shelfmark serve`: runs a server in the foreground until a signal stops it. Takes Azurite's flags beside its own.
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  ConfigurationError,
  type LogLevel,
  parseAccounts,
  type RunningServer,
  type ServeOptions,
  StoreError,
  serve,
} from '#server';

const PORT_MAX = 65_535;

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= PORT_MAX)) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

/** Of Azurite, taken and without effect: what they ask for is so here anyway, or does not exist here. */
const IGNORED_FLAGS: readonly (readonly [flags: string, why: string])[] = [
  ['--loose', 'unknown headers and parameters are never refused'],
  ['-L, --Loose', 'as --loose'],
  ['--skipApiVersionCheck', 'every version is accepted'],
  ['--disableProductStyleUrl', 'addresses are recognised by the account'],
  ['--disableTelemetry', 'there is none'],
  ['--extentMemoryLimit <megabytes>', 'data in memory is not limited'],
  ['--blobHost <host>', 'there is no Blob service yet'],
  ['--queueHost <host>', 'there is no Queue service yet'],
  ['--blobKeepAliveTimeout <seconds>', 'there is no Blob service yet'],
  ['--queueKeepAliveTimeout <seconds>', 'there is no Queue service yet'],
  ['--tableKeepAliveTimeout <seconds>', 'connections are kept for two minutes'],
  ['--oauth <level>', 'bearer tokens are not accepted yet'],
];

interface Flags {
  readonly data?: string;
  readonly location?: string;
  readonly host?: string;
  readonly tableHost?: string;
  readonly tablePort: number;
  readonly inMemoryPersistence?: boolean;
  readonly silent?: boolean;
  readonly debug?: string | true;
  readonly durability: 'full' | 'none';
  readonly allowWellKnownKey?: boolean;
  readonly cert?: string;
  readonly key?: string;
}

function command(): Command {
  const serving = new Command('serve')
    .description('serve the Table API until a signal stops it')
    .option('--data <directory>', 'where the data is kept (default: ./shelfmark-data)')
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .addOption(
      new Option('--table-port <port>', 'port of the Table service; 0 takes a free one')
        .argParser(parsePort)
        .default(10_002),
    )
    .addOption(new Option('--queue-port <port>', 'reserved for the Queue service').argParser(parsePort))
    .addOption(new Option('--blob-port <port>', 'reserved for the Blob service').argParser(parsePort))
    .addOption(
      new Option('--durability <mode>', 'none: answer before the data is synced')
        .choices(['full', 'none'])
        .default('full'),
    )
    .option('--allow-well-known-key', "serve the emulator's well-known key beyond this machine")
    .option('--cert <file>', 'certificate in PEM: serve HTTPS')
    .option('--key <file>', 'its key in PEM')
    .option('-l, --location <directory>', "Azurite's name of --data")
    .option('--tableHost <host>', "Azurite's name of --host")
    .addOption(new Option('--tablePort <port>', "Azurite's name of --table-port").argParser(parsePort))
    .addOption(new Option('--queuePort <port>').argParser(parsePort).hideHelp())
    .addOption(new Option('--blobPort <port>').argParser(parsePort).hideHelp())
    .option('--inMemoryPersistence', 'keep the data in memory')
    .option('-s, --silent', 'print nothing but the ready line and errors')
    .option('-d, --debug [file]', 'log every request, to standard error');
  for (const [flags, why] of IGNORED_FLAGS) serving.addOption(new Option(flags, why).hideHelp());
  return serving;
}

function tlsOf({ cert, key }: Flags): ServeOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new ConfigurationError('--cert and --key go together.');
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

const logLevelOf = (flags: Flags): LogLevel =>
  flags.debug !== undefined ? 'debug' : flags.silent ? 'error' : 'warn';

function optionsOf(flags: Flags): ServeOptions {
  const accounts = process.env.SHELFMARK_ACCOUNTS ?? process.env.AZURITE_ACCOUNTS;
  return {
    data: flags.inMemoryPersistence ? undefined : (flags.data ?? flags.location ?? 'shelfmark-data'),
    host: flags.host ?? flags.tableHost,
    tablePort: flags.tablePort,
    accounts: accounts ? parseAccounts(accounts) : undefined,
    allowWellKnownKey: flags.allowWellKnownKey,
    durability: flags.durability,
    logLevel: logLevelOf(flags),
    tls: tlsOf(flags),
  };
}

const readyLine = (server: RunningServer, durability: Flags['durability']): string =>
  [
    `Shelfmark serves tables at ${server.tableEndpoint}`,
    server.data === undefined ? 'data in memory' : `data in ${server.data}`,
    ...(durability === 'none' && server.data !== undefined
      ? ['durability none: not safe from a power cut']
      : []),
    `connection string: ${server.connectionString()}`,
  ].join('; ');

/** The first signal lets what is under way end, the second does not. */
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

const EXPECTED_CODES = new Set([
  'EADDRINUSE',
  'EACCES',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'ENOENT',
  'EROFS',
  'EPERM',
  'ENOTDIR',
]);

/** What a user can mend is told in one sentence; anything else with its stack. */
function fail(error: unknown): never {
  const isExpected =
    error instanceof ConfigurationError ||
    error instanceof StoreError ||
    (error instanceof Error && 'code' in error && EXPECTED_CODES.has(String(error.code)));
  process.stderr.write(
    `shelfmark: ${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}

export function serveCommand(): Command {
  return command().action(async (flags: Flags) => {
    try {
      const server = await serve(optionsOf(flags));
      stopOnSignal(server);
      process.stdout.write(`${readyLine(server, flags.durability)}\n`);
    } catch (error) {
      fail(error);
    }
  });
}
