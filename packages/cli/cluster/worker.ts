// A worker process of a cluster: starts its server with the accounts that the primary sends, applies changed accounts,
// answers requests for metrics, and ends on the primary's message or with the primary.
import type { AccountKeys, RunningServer } from '#server';
import { fail, systemCode, textOf } from '../fail.js';
import type { Ready } from '../ready.js';
import type { PrimaryMessage, WorkerMessage } from './worker-message.js';

const tell = (message: WorkerMessage): void => {
  process.send?.(message);
};

/**
 * Serves. A terminal's signal reaches the whole process group, so a worker treats every signal as the first and ignores SIGHUP;
 * only the primary ends workers at once. When the primary is gone node:cluster ends the worker, because its channel
 * closes.
 */
export class ServingWorker {
  readonly #start: (accounts: AccountKeys) => Promise<RunningServer>;
  readonly #readyOf: (server: RunningServer) => Ready;
  /** The last ones that the primary sent. */
  #accounts: AccountKeys | undefined;
  #server: RunningServer | undefined;
  #isStopping = false;

  constructor(
    start: (accounts: AccountKeys) => Promise<RunningServer>,
    readyOf: (server: RunningServer) => Ready,
  ) {
    this.#start = start;
    this.#readyOf = readyOf;
  }

  run(): void {
    process.on('message', (message: PrimaryMessage) => this.#hear(message));
    process.on('SIGINT', () => this.#stop());
    process.on('SIGTERM', () => this.#stop());
    process.on('SIGHUP', () => undefined);
    tell({ kind: 'asking' });
  }

  #hear(message: PrimaryMessage): void {
    if (message.kind === 'stop') this.#stop();
    else if (message.kind === 'accounts') this.#take(message.accounts, message.request);
    else if (this.#server !== undefined) void this.#sendMetrics(this.#server, message.request);
  }

  #take(accounts: AccountKeys, request: number): void {
    const isFirst = this.#accounts === undefined;
    this.#accounts = accounts;
    if (isFirst) {
      void this.#begin(accounts);
      return;
    }
    // A server that is still starting applies the last accounts before the worker reports that it is ready.
    this.#server?.replaceAccounts(accounts);
    tell({ kind: 'applied', request });
  }

  async #begin(accounts: AccountKeys): Promise<void> {
    try {
      const server = await this.#start(accounts);
      if (this.#accounts !== undefined && this.#accounts !== accounts) server.replaceAccounts(this.#accounts);
      this.#server = server;
      tell({ kind: 'ready', ready: this.#readyOf(server) });
    } catch (error) {
      tell({ kind: 'failed', text: textOf(error), code: systemCode(error) });
    }
  }

  async #sendMetrics({ view }: RunningServer, request: number): Promise<void> {
    const metrics = { unreadiness: await view.unreadiness(), families: await view.families() };
    tell({ kind: 'metrics', request, metrics });
  }

  #stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (this.#server === undefined) process.exit(0);
    this.#server.close().then(() => process.exit(0), fail);
  }
}
