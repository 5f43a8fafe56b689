// One of several processes that serve together: starts its server with the accounts that its primary gives it, takes others
// later, tells its numbers when it is asked, and ends when it is told to, or with its primary.
import type { AccountKeys, RunningServer } from '#server';
import { fail, systemCode, textOf } from '../fail.js';
import { type PrimaryMessage, parsePrimaryMessage, type WorkerMessage } from './worker-message.js';

const tell = (message: WorkerMessage): void => {
  process.send?.(message);
};

/**
 * Serves. A terminal's signal reaches the whole group, so here the second one means no more than the first, and SIGHUP is
 * for the primary; it is the primary that ends workers at once. A primary that is gone takes its workers along: node:cluster
 * ends a worker whose channel closes.
 */
export class ServingWorker {
  readonly #start: (accounts: AccountKeys) => Promise<RunningServer>;
  readonly #readyLine: (server: RunningServer) => string;
  /** The newest that the primary gave. */
  #accounts: AccountKeys | undefined;
  #server: RunningServer | undefined;
  #isStopping = false;

  constructor(
    start: (accounts: AccountKeys) => Promise<RunningServer>,
    readyLine: (server: RunningServer) => string,
  ) {
    this.#start = start;
    this.#readyLine = readyLine;
  }

  run(): void {
    process.on('message', message => {
      const heard = parsePrimaryMessage(message);
      if (heard !== undefined) this.#hear(heard);
    });
    process.on('SIGINT', () => this.#stop());
    process.on('SIGTERM', () => this.#stop());
    process.on('SIGHUP', () => undefined);
    tell({ kind: 'asking' });
  }

  #hear(message: PrimaryMessage): void {
    if (message.kind === 'stop') this.#stop();
    else if (message.kind === 'accounts') this.#take(message.accounts, message.round);
    else if (this.#server !== undefined) void this.#tellFigures(this.#server, message.round);
  }

  #take(accounts: AccountKeys, round: number): void {
    const isFirst = this.#accounts === undefined;
    this.#accounts = accounts;
    if (isFirst) {
      void this.#begin(accounts);
      return;
    }
    // One that is starting looks at the newest before it says that it is ready.
    this.#server?.replaceAccounts(accounts);
    tell({ kind: 'taken', round });
  }

  async #begin(accounts: AccountKeys): Promise<void> {
    try {
      const server = await this.#start(accounts);
      if (this.#accounts !== undefined && this.#accounts !== accounts) server.replaceAccounts(this.#accounts);
      this.#server = server;
      tell({ kind: 'ready', line: this.#readyLine(server) });
    } catch (error) {
      tell({ kind: 'failed', text: textOf(error), code: systemCode(error) });
    }
  }

  async #tellFigures({ view }: RunningServer, round: number): Promise<void> {
    const figures = { unreadiness: await view.unreadiness(), families: await view.families() };
    tell({ kind: 'figures', round, figures });
  }

  #stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (this.#server === undefined) process.exit(0);
    this.#server.close().then(() => process.exit(0), fail);
  }
}
