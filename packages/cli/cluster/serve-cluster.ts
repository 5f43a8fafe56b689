// Several processes that serve as one: the ports that they share, the one ready line, the signals, the accounts, the port for
// health and metrics.
import { type AccountKeys, ConfigurationError, type OperationsOptions, openOperationsPort } from '#server';
import { TogetherView } from './cluster-view.js';
import { freePort } from './free-port.js';
import { Primary, type Started } from './primary.js';

/** Times that another free port is tried, where another program was faster. */
const PORTS_MAX = 5;

interface Place {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number | 'none';
}

export interface Together {
  readonly workers: number;
  readonly tables: Place;
  readonly queues: Place;
  readonly accounts: AccountKeys;
  readonly operations: OperationsOptions | undefined;
}

export interface ServingTogether {
  readonly readyLine: string;
  readonly operationsPort: number | undefined;
  /** Resolves once no process knows any other accounts. */
  replaceAccounts(accounts: AccountKeys): Promise<void>;
}

/**
 * Resolves once all workers accept. From the call on signals stop all of them. The ports are chosen before any worker starts:
 * one that replaces others has to find those that they had.
 *
 * @throws ConfigurationError for whatever a worker could not start for, the system's error where a host has no port.
 */
export async function serveTogether(together: Together): Promise<ServingTogether> {
  const view = new TogetherView();
  const stop = (): void => (view.primary === undefined ? process.exit(0) : view.primary.stop());
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const operations = together.operations && (await openOperationsPort(together.operations, view));
  for (let ports = 1; ; ports++) {
    const { primary, started } = await startOnce(together, view);
    if (started.kind === 'ready') {
      return {
        readyLine: started.line,
        operationsPort: operations?.port,
        replaceAccounts: accounts => primary.replaceAccounts(accounts),
      };
    }
    const isOurs = together.tables.port === 0 || together.queues.port === 0;
    const isTaken = isOurs && started.code === 'EADDRINUSE';
    if (!isTaken || ports === PORTS_MAX) throw new ConfigurationError(started.text);
  }
}

const portOf = async ({ host, port }: Place): Promise<string> =>
  String(port === 0 ? await freePort(host) : port);

async function startOnce(
  { workers, tables, queues, accounts }: Together,
  view: TogetherView,
): Promise<{ readonly primary: Primary; readonly started: Started }> {
  const ports = ['--table-port', await portOf(tables), '--queue-port', await portOf(queues)];
  // Of an option that comes twice the last one counts.
  const primary = new Primary({ workers, args: [...process.argv.slice(2), ...ports], accounts });
  view.primary = primary;
  return { primary, started: await primary.start() };
}
