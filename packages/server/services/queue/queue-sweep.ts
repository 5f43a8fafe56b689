// Keeps the sweep of queues going while a server runs: a step, the pause that it asks for, the next step. What a step does is the
// domain's matter. Each process of a server has its own: two that meet only find less to do.
import { Sweep, type SweepOptions } from '#queues';
import { StoreError } from '#store';

/** After a step that failed. */
const PAUSE_OF_FAILURE_MS = 30_000;

export interface QueueSweepOptions extends SweepOptions {
  /** Told what fails for another reason than that the store has too much to do, or is closed. */
  readonly onFailure: (error: unknown) => void;
}

const isPassing = (error: unknown): boolean =>
  error instanceof StoreError && error.code !== 'corrupt' && error.code !== 'unsupported';

export class QueueSweep {
  readonly #sweep: Sweep;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #step: Promise<void> = Promise.resolve();

  /** Begins by itself, once whoever made it has gone on. */
  constructor(options: QueueSweepOptions) {
    this.#sweep = new Sweep(options);
    this.#onFailure = options.onFailure;
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
      this.#wait((await this.#sweep.step()).pauseMs);
    } catch (error) {
      if (!isPassing(error)) this.#onFailure(error);
      this.#wait(PAUSE_OF_FAILURE_MS);
    }
  }
}
