// Keeps a service's background work going while a server runs: a step, the pause that it returns, the next step. The domain
// defines the steps. Each process of a server runs its own: two that meet only find less to do.
import { StoreError } from '#store';
import type { ServerContext } from './server-context.js';

/** After a step that failed. */
const PAUSE_OF_FAILURE_MS = 30_000;

/** Work in small steps. Each returns the pause before the next. */
export interface Steps {
  step(): Promise<{ readonly pauseMs: number }>;
}

/** How a failed sweep of a service is logged. */
export const sweepFailed =
  (service: string, { log, newId }: Pick<ServerContext, 'log' | 'newId'>) =>
  (error: unknown): void =>
    log.failure({ service, requestId: newId(), method: 'SWEEP', path: '/', status: 500 }, error);

const isPassing = (error: unknown): boolean =>
  error instanceof StoreError && error.code !== 'corrupt' && error.code !== 'unsupported';

export class BackgroundSteps {
  readonly #steps: Steps;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #step: Promise<void> = Promise.resolve();

  /**
   * Begins on its own, after the caller's current turn.
   *
   * @param onFailure called with errors other than a busy or a closed store.
   */
  constructor(steps: Steps, onFailure: (error: unknown) => void) {
    this.#steps = steps;
    this.#onFailure = onFailure;
    this.#wait(0);
  }

  /** Resolves once no step is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#step;
  }

  #wait(milliseconds: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#step = this.#take();
    }, milliseconds);
    this.#timer.unref();
  }

  async #take(): Promise<void> {
    try {
      this.#wait((await this.#steps.step()).pauseMs);
    } catch (error) {
      if (!isPassing(error)) this.#onFailure(error);
      this.#wait(PAUSE_OF_FAILURE_MS);
    }
  }
}
