// Keeps a message hidden while its steps run: at half of its time it is hidden anew. Pauses are timers, so that a clock which is set harms nothing.
import { linkedController } from '../concurrency/abort.js';
import type { Surroundings } from '../concurrency/surroundings.js';
import type { MessageRef, QueueRequests } from '../transport/queue-requests.js';

export class Renewal {
  /** Ends when another worker has the message. */
  readonly signal: AbortSignal;
  readonly #queue: QueueRequests;
  readonly #seconds: number;
  readonly #sleep: Surroundings['sleep'];
  readonly #lost: ReturnType<typeof linkedController>;
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;
  #held: MessageRef | undefined;

  constructor(
    queue: QueueRequests,
    message: MessageRef,
    { seconds, sleep }: { readonly seconds: number; readonly sleep: Surroundings['sleep'] },
  ) {
    this.#queue = queue;
    this.#held = message;
    this.#seconds = seconds;
    this.#sleep = sleep;
    this.#lost = linkedController(undefined);
    this.signal = this.#lost.signal;
    this.#running = this.#run();
  }

  /** The message under its receipt of now; undefined if another worker has it. */
  async end(): Promise<MessageRef | undefined> {
    this.#ended.abort();
    // A renewal that is under way changes the receipt.
    await this.#running;
    this.#lost.release();
    return this.#held;
  }

  async #run(): Promise<void> {
    let pause = this.#seconds * 500;
    while (this.#held !== undefined && (await this.#waited(pause))) {
      try {
        this.#held = await this.#queue.hide(this.#held, this.#seconds);
        pause = this.#seconds * 500;
      } catch {
        // Until it is visible again, there is time for some attempts; after that it is still ours until another worker takes it.
        pause = this.#seconds * 125;
      }
    }
    if (this.#held === undefined) this.#lost.abort(new Error('Another worker has the message.'));
  }

  async #waited(milliseconds: number): Promise<boolean> {
    try {
      await this.#sleep(milliseconds, this.#ended.signal);
      return !this.#ended.signal.aborted;
    } catch {
      return false;
    }
  }
}
