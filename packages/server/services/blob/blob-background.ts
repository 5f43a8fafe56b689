// The background work of the Blob service: it sweeps away what no row names (blobs/sweep.ts), and finishes what requests left to be done.
import { BlobSweep } from '#blobs';
import { BackgroundSteps } from '../../frame/background-steps.js';
import type { ServerContext } from '../../frame/server-context.js';
import { backgroundOf } from './blob-request.js';

export class BlobBackground {
  readonly #server: ServerContext;
  readonly #sweep: BackgroundSteps;

  constructor(server: ServerContext) {
    const { store, content, clock, accounts, log, newId } = server;
    this.#server = server;
    const sweep = new BlobSweep({
      store,
      content,
      clock,
      background: backgroundOf(server),
      ids: server.newId,
      accounts: () => accounts.names,
    });
    this.#sweep = new BackgroundSteps(sweep, error =>
      log.failure({ service: 'blob', requestId: newId(), method: 'SWEEP', path: '/', status: 500 }, error),
    );
  }

  /** Resolves once nothing of it is under way. */
  async stop(): Promise<void> {
    await this.#sweep.stop();
    await backgroundOf(this.#server).settled();
  }
}
