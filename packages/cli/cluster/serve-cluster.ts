// Serves with a cluster of processes: chooses the ports that they share, handles signals, and opens the port for health and
// metrics.
import { once } from 'node:events';
import { createServer } from 'node:net';
import {
  type AccountKeys,
  ConfigurationError,
  type MetricFamily,
  type OperationsOptions,
  type OperationsView,
} from '#server';
import { counter, gauge, mergeMetrics, openOperationsPort, processFamilies } from '#server/parts';
import type { Ready } from '../ready.js';
import { Primary } from './primary.js';
import type { Started } from './worker-message.js';

/** The health and metrics of a cluster: the primary's own metrics and the sum of the workers'. */
class ClusterView implements OperationsView {
  /** Undefined until the ports are chosen; replaced where a port was taken. */
  primary: Primary | undefined;

  async unreadiness(): Promise<string | undefined> {
    return this.primary === undefined ? 'starting' : (await this.primary.metrics()).unreadiness;
  }

  async families(): Promise<readonly MetricFamily[]> {
    const metrics = await this.primary?.metrics();
    const isReady = metrics !== undefined && metrics.unreadiness === undefined;
    const ready = 'shelfmark_ready';
    return [
      gauge(ready, '1 where /readyz says ok, else 0.', isReady ? 1 : 0),
      gauge('shelfmark_workers', 'Processes that answer requests.', metrics?.workers ?? 0),
      counter('shelfmark_worker_restarts_total', 'Workers that were replaced.', metrics?.restarts ?? 0),
      ...mergeMetrics([(metrics?.families ?? []).filter(({ name }) => name !== ready), processFamilies()]),
    ];
  }
}

/** Attempts to find free ports, if another program takes one first. */
const PORTS_MAX = 5;

interface Endpoint {
  readonly host: string;
  /** 0 chooses a free one. */
  readonly port: number | 'none';
}

interface ClusterOptions {
  readonly workers: number;
  /** By the options that set the ports of the services, as `--table-port`. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly accounts: AccountKeys;
  readonly operations: OperationsOptions | undefined;
}

/** A server in this process, or a cluster of several. */
export interface Serving {
  readonly ready: Ready;
  readonly operationsPort: number | undefined;
  /** The metrics of all processes. */
  families(): Promise<readonly MetricFamily[]>;
  /** Resolves once no process accepts other accounts. @throws ConfigurationError for accounts that it does not take. */
  replaceAccounts(accounts: AccountKeys): Promise<void>;
}

/**
 * Resolves once all workers accept connections. From the call on signals stop all of them. The ports are chosen before any worker starts,
 * because a replacement has to use the same ones.
 *
 * @throws ConfigurationError with the reason why a worker could not start, the system's error where a host has no free port.
 */
export async function serveCluster(options: ClusterOptions): Promise<Serving> {
  const view = new ClusterView();
  const stop = (): void => (view.primary === undefined ? process.exit(0) : view.primary.stop());
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const operations = options.operations && (await openOperationsPort(options.operations, view));
  for (let ports = 1; ; ports++) {
    const { primary, started } = await startOnce(options, view);
    if (started.kind === 'ready') {
      return {
        ready: started.ready,
        operationsPort: operations?.port,
        families: () => view.families(),
        replaceAccounts: accounts => primary.replaceAccounts(accounts),
      };
    }
    const isOurs = Object.values(options.endpoints).some(({ port }) => port === 0);
    const isTaken = isOurs && started.code === 'EADDRINUSE';
    if (!isTaken || ports === PORTS_MAX) throw new ConfigurationError(started.text);
  }
}

/** The port is free at this moment and not reserved: another program may take it before it is used. */
async function freePort(host: string): Promise<number> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error(`${host} has no ports.`);
  return address.port;
}

const portOf = async ({ host, port }: Endpoint): Promise<string> =>
  String(port === 0 ? await freePort(host) : port);

async function startOnce(
  { workers, endpoints, accounts }: ClusterOptions,
  view: ClusterView,
): Promise<{ readonly primary: Primary; readonly started: Started }> {
  const ports: string[] = [];
  for (const [option, endpoint] of Object.entries(endpoints)) ports.push(option, await portOf(endpoint));
  // If an option is given twice the last one counts.
  const primary = new Primary({ workers, args: [...process.argv.slice(2), ...ports], accounts });
  view.primary = primary;
  return { primary, started: await primary.start() };
}
