// Background work of one server: readers that hold rows which others would remove, and deferred removals. The sweep does
// what fails or is left undone here.
import { Contests } from './contests.js';

export class BackgroundWork {
  readonly contests = new Contests();
  readonly #readers = new Map<string, Set<Promise<void>>>();
  readonly #tasks = new Set<Promise<void>>();
  /** By name: whether it is to run again. */
  readonly #once = new Map<string, boolean>();

  /** Rows of that name are kept until the returned function is called. */
  hold(name: string): () => void {
    let release: () => void = () => undefined;
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    const readers = this.#readers.get(name) ?? new Set();
    this.#readers.set(name, readers.add(held));
    return () => {
      readers.delete(held);
      if (readers.size === 0 && this.#readers.get(name) === readers) this.#readers.delete(name);
      release();
    };
  }

  /** Waits for the readers that hold rows of that name now. */
  async readersOf(name: string): Promise<void> {
    const readers = this.#readers.get(name);
    if (readers) await Promise.all(readers);
  }

  /** Ignores failures: the next sweep finds what the task left. */
  later(task: () => Promise<void>): void {
    const running: Promise<void> = task()
      .catch(() => undefined)
      .then(() => {
        this.#tasks.delete(running);
      });
    this.#tasks.add(running);
  }

  /** As `later`. While a task of that name runs, only one more is begun, after it. */
  laterOnce(name: string, task: () => Promise<void>): void {
    const isRunning = this.#once.has(name);
    this.#once.set(name, isRunning);
    if (isRunning) return;
    this.later(async () => {
      try {
        do {
          this.#once.set(name, false);
          await task();
        } while (this.#once.get(name));
      } finally {
        this.#once.delete(name);
      }
    });
  }

  /** Waits for all running tasks, before the store is closed. */
  async settled(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }
}
