// Watches the cluster's settings that a running store's durability promise depends on. They are read again whenever a
// host comes up or is new: it may have been started with others. prepare.ts lists them.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Prepared, sentenceOf, unsafeIn, type Wanted } from './prepare.js';
import type { Session } from './session.js';

/** A host that has just come up may not answer yet. */
const AGAIN_MS = 1000;

export class Settings {
  readonly #session: Session;
  readonly #wanted: Wanted;
  readonly #dataCenter: string;
  readonly #ended = new AbortController();
  #unsafe: readonly string[];
  #running: Promise<void> | undefined;
  #isAsked = false;

  constructor(session: Session, wanted: Wanted, { dataCenter, unsafe }: Prepared) {
    this.#session = session;
    this.#wanted = wanted;
    this.#dataCenter = dataCenter;
    this.#unsafe = unsafe;
    session.onHosts(() => this.#ask());
  }

  /** Settings that break the promise, `name=value`. */
  get unsafe(): readonly string[] {
    return this.#unsafe;
  }

  /** Why the store would refuse to open the cluster as it is now. */
  health(): string | undefined {
    const [first] = this.#unsafe;
    return first === undefined || this.#wanted.unsafe ? undefined : sentenceOf(first, this.#wanted);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  #ask(): void {
    this.#isAsked = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (this.#isAsked && !signal.aborted) {
      this.#isAsked = false;
      try {
        this.#take(await unsafeIn(this.#session.cluster(), this.#dataCenter, this.#wanted));
      } catch {
        this.#isAsked = true;
        await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Reports new findings: through Node.js on standard error, unless the program listens. */
  #take(unsafe: readonly string[]): void {
    for (const setting of unsafe)
      if (!this.#unsafe.includes(setting)) process.emitWarning(sentenceOf(setting, this.#wanted), WARNING);
    this.#unsafe = unsafe;
  }
}

const WARNING = { type: 'ShelfmarkWarning', code: 'SHELFMARK_CASSANDRA_UNSAFE' };
