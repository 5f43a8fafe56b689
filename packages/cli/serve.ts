// `shelfmark serve`: runs a server in the foreground until a signal stops it, in this process or in a cluster of
// several (primary.ts, worker.ts). Takes Azurite's flags in addition to its own.
import cluster from 'node:cluster';
import type { Command } from 'commander';
import { systemClock } from '#base';
import {
  type AccountKeys,
  ConfigurationError,
  type LogLevel,
  type OperationsOptions,
  type RunningServer,
  type ServeOptions,
  serve,
} from '#server';
import { checkAccounts, ENGINES, PartitionCounters, servicesCounting } from '#server/parts';
import { type Serving, serveCluster } from './cluster/serve-cluster.js';
import { ServingWorker } from './cluster/worker.js';
import { openServingExplorer } from './explorer/serving-explorer.js';
import { fail, say } from './fail.js';
import { startLocked } from './locked-directory.js';
import { AccountsFile, configuredAccounts } from './options/accounts-file.js';
import { adviseOnListening, type Listening } from './options/listen-advice.js';
import { readTls } from './options/read-tls.js';
import {
  BLOB_PORT_DEFAULT,
  HOST_DEFAULT,
  QUEUE_PORT_DEFAULT,
  type ServeFlags,
  serveOptions,
  TABLE_PORT_DEFAULT,
} from './options/serve-options.js';
import { limitsOf, tenantsOf, workersOf } from './options/serve-settings.js';
import { storeAddress } from './options/store-option.js';
import { type Ready, readyOf } from './ready.js';
import { tuneHeap } from './tune-heap.js';

const logLevelOf = (flags: ServeFlags): LogLevel =>
  flags.logLevel ?? (flags.debug !== undefined ? 'debug' : flags.silent ? 'error' : 'warn');

function operationsOf({ metricsPort: port, metricsHost: host }: ServeFlags): OperationsOptions | undefined {
  if (port === undefined && host !== undefined)
    throw new ConfigurationError('--metrics-host needs --metrics-port.');
  return port === undefined ? undefined : { host, port };
}

/** The addresses on which the accounts are served, and whether the well-known key is allowed. Azurite's --tableHost applies to tables alone. */
const exposureOf = ({ host, tableHost, queueHost, blobHost, allowWellKnownKey }: ServeFlags) => ({
  host: host ?? tableHost,
  queueHost: queueHost ?? host ?? HOST_DEFAULT,
  blobHost: blobHost ?? host ?? HOST_DEFAULT,
  allowWellKnownKey,
});

/** With port 0 for tables the system chooses the ports of queues and blobs too, so that several servers can run. */
const queuePortOf = ({ tablePort, queuePort }: ServeFlags): number | 'none' =>
  queuePort ?? (tablePort === 0 ? 0 : QUEUE_PORT_DEFAULT);

/** If the ports of tables and queues are chosen, several servers run, or another one serves blobs. */
function blobPortOf(flags: ServeFlags): number | 'none' {
  const { tablePort, blobPort } = flags;
  const areChosen = tablePort !== TABLE_PORT_DEFAULT && queuePortOf(flags) !== QUEUE_PORT_DEFAULT;
  return blobPort ?? (areChosen ? 0 : BLOB_PORT_DEFAULT);
}

const listeningsOf = (flags: ServeFlags): readonly Listening[] => [
  { name: 'table', port: flags.tablePort },
  { name: 'queue', port: queuePortOf(flags) },
  { name: 'blob', port: blobPortOf(flags) },
  { name: 'metrics', port: flags.metricsPort },
  { name: 'peer', port: flags.peerPort },
  { name: 'explorer', port: flags.explorerPort },
];

function optionsOf(flags: ServeFlags, accounts: AccountKeys): ServeOptions {
  return {
    store: storeAddress(flags),
    ...exposureOf(flags),
    tablePort: flags.tablePort,
    queuePort: queuePortOf(flags),
    blobPort: blobPortOf(flags),
    accounts,
    durability: flags.durability,
    logLevel: logLevelOf(flags),
    tls: readTls(flags),
    trustedProxies: flags.trustedProxy,
    tableDeletionSeconds: flags.tableDeletionSeconds,
    peerHost: flags.peerHost,
    peerPort: flags.peerPort,
    tenant: tenantsOf(flags),
    limits: limitsOf(flags),
  };
}

const readyServer = (server: RunningServer, durability: ServeFlags['durability'], workers: number): Ready =>
  readyOf(server, [
    ...(durability === 'none' && server.data !== undefined
      ? ['durability none: not safe from a power cut']
      : []),
    ...(workers > 1 ? [`${workers} processes`] : []),
  ]);

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
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

/** Whether someone reads metrics. */
const isCounted = ({ metricsPort, explorerPort }: ServeFlags): boolean =>
  metricsPort !== undefined || explorerPort !== undefined;

/** Reports a port that the system chose. */
function tellOperationsPort(
  { metricsPort, metricsHost = HOST_DEFAULT }: ServeFlags,
  port: number | undefined,
): void {
  if (metricsPort === 0) say(`health and metrics are served at http://${metricsHost}:${port}.`);
}

function startCluster(flags: ServeFlags, workers: number, accounts: AccountKeys): () => Promise<Serving> {
  const exposure = exposureOf(flags);
  checkAccounts(accounts, exposure);
  const { host = HOST_DEFAULT, queueHost, blobHost } = exposure;
  const operations = operationsOf(flags);
  const endpoints = {
    '--table-port': { host, port: flags.tablePort },
    '--queue-port': { host: queueHost, port: queuePortOf(flags) },
    '--blob-port': { host: blobHost, port: blobPortOf(flags) },
  };
  return async () => {
    const serving = await serveCluster({ workers, endpoints, accounts, operations });
    const replaceAccounts = (replacement: AccountKeys): Promise<void> => {
      checkAccounts(replacement, exposure);
      return serving.replaceAccounts(replacement);
    };
    return { ...serving, replaceAccounts };
  };
}

function startAlone(
  flags: ServeFlags,
  accounts: AccountKeys,
  counters: PartitionCounters | undefined,
): () => Promise<Serving> {
  const options = {
    ...optionsOf(flags, accounts),
    operations: operationsOf(flags),
    isCounted: isCounted(flags),
  };
  return async () => {
    const server = await serve(options, ENGINES, counters && servicesCounting(counters));
    stopOnSignal(server);
    return {
      ready: readyServer(server, flags.durability, 1),
      operationsPort: server.operationsPort,
      families: async () => server.view.families(),
      replaceAccounts: async replacement => server.replaceAccounts(replacement),
    };
  };
}

/** Serves, under the lock of the data directory, with the explorer and the accounts file. */
async function serveHere(flags: ServeFlags, workers: number): Promise<void> {
  const file = flags.accounts === undefined ? undefined : new AccountsFile(flags.accounts);
  const accounts = configuredAccounts(file);
  const counters = workers > 1 || flags.explorerPort === undefined ? undefined : new PartitionCounters();
  const start = workers > 1 ? startCluster(flags, workers, accounts) : startAlone(flags, accounts, counters);
  const explorer = await openServingExplorer(flags, readTls(flags), say, {
    live: async () => (await starting).families(),
    heat: counters && ((account, table) => counters.heatOf(account, table, systemClock())),
  });
  const { directory } = ENGINES.tools(storeAddress(flags));
  const starting = startLocked(directory, start, ({ ready }) => ready.endpoints.table ?? '');
  const take = async (replacement: AccountKeys): Promise<void> => {
    await (await starting).replaceAccounts(replacement);
    explorer.replaceAccounts(replacement);
  };
  file?.watch(take, say);
  const serving = await starting;
  tellOperationsPort(flags, serving.operationsPort);
  explorer.ready(serving.ready, accounts, print);
}

async function run(flags: ServeFlags): Promise<void> {
  tuneHeap();
  const workers = workersOf(
    flags.workers,
    ENGINES.tools(storeAddress(flags)),
    flags.inMemoryPersistence ? '--inMemoryPersistence' : 'The engine',
  );
  if (workers > 1 && cluster.isWorker) {
    new ServingWorker(
      accounts =>
        serve({ ...optionsOf(flags, accounts), exclusive: false, isCounted: isCounted(flags) }).catch(
          error => {
            throw adviseOnListening(error, listeningsOf(flags));
          },
        ),
      server => readyServer(server, flags.durability, workers),
    ).run();
    return;
  }
  await serveHere(flags, workers);
}

export function serveCommand(): Command {
  return serveOptions().action((flags: ServeFlags) =>
    run(flags).catch(error => fail(adviseOnListening(error, listeningsOf(flags)))),
  );
}
