// Removes dropped contents, and the directories of dropped spaces, once no process has them pinned: in the background,
// in order, a few at a time. What is not removed before the store closes is found again: dropped spaces at the next
// opening, contents by the next listing of contents that no row names.
import { setTimeout as pause } from 'node:timers/promises';
import { type ContentPin, StoreError } from '#store';
import { isAbsent, openDirectory, removeDirectory, unlinkFile } from '../lmdb/system-call.js';
import { spacePath } from './content-path.js';
import { monotonicNow } from './process-entry.js';

/** How often to look at pins of other processes while something waits for them. */
const LOOK_MS = 200;
/** For a caller that waits for them and has something else to do. */
const LOOKS_MAX = 5;
/** Concurrent unlinks: they share libuv's threads with reads and writes. */
const UNLINKS_MAX = 2;
/** Names of a directory that are read in one call. */
const NAMES = 256;

interface Drop {
  /** The path of the file, or of the space's directory. */
  readonly path: string;
  readonly isSpace: boolean;
  readonly time: bigint;
  readonly done: () => void;
}

interface DropsOptions {
  /** The directory of all contents. */
  readonly directory: string;
  /** The time of the oldest pin of other processes. */
  readonly oldestForeignPin: () => bigint | undefined;
  /** Publishes the time of this process's oldest pin to other processes. */
  readonly publishPin: (time: bigint | undefined) => void;
  readonly onRemoved: () => void;
}

export class Drops {
  readonly #options: DropsOptions;
  /** In the order of their times. */
  readonly #pins = new Set<{ readonly time: bigint }>();
  #waiting: Drop[] = [];
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: DropsOptions) {
    this.#options = options;
  }

  /** Contents, and directories of spaces, that are still there. */
  get waiting(): number {
    return this.#waiting.length;
  }

  pin(): ContentPin {
    if (this.#isClosed) throw new StoreError('closed', 'The store is closed.');
    const pin = { time: monotonicNow() };
    this.#pins.add(pin);
    if (this.#pins.size === 1) this.#options.publishPin(pin.time);
    return {
      release: () => {
        const [oldest] = this.#pins;
        if (!this.#pins.delete(pin) || this.#isClosed) return;
        if (oldest === pin) this.#options.publishPin(this.#oldestPin());
        this.#begin();
      },
    };
  }

  /** Fulfilled when the file is gone, or when it has to wait for a pin. */
  dropContent(path: string): Promise<void> {
    return this.#drop(path, false);
  }

  dropSpace(space: number): void {
    void this.#drop(spacePath(this.#options.directory, space), true);
  }

  /** False if another process holds a pin for long, or if the store closes first. */
  async unpinnedElsewhere(): Promise<boolean> {
    const time = monotonicNow();
    for (let looks = 0; looks < LOOKS_MAX && !this.#isClosed; looks += 1) {
      if (looks > 0) await pause(LOOK_MS, undefined, { ref: false });
      const other = this.#options.oldestForeignPin();
      if (other === undefined || other > time) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#work;
    for (const { done } of this.#waiting) done();
  }

  #drop(path: string, isSpace: boolean): Promise<void> {
    return new Promise(done => {
      this.#waiting.push({ path, isSpace, time: monotonicNow(), done });
      this.#begin();
    });
  }

  #oldestPin(): bigint | undefined {
    for (const { time } of this.#pins) return time;
    return undefined;
  }

  #begin(): void {
    if (this.#isClosed || this.#waiting.length === 0 || this.#work !== undefined) return;
    clearTimeout(this.#timer);
    this.#work = this.#run().finally(() => {
      this.#work = undefined;
    });
  }

  async #run(): Promise<void> {
    // Drops of one turn share a look at the pins.
    await undefined;
    while (!this.#isClosed) {
      const ready = this.#takeReady();
      if (ready.length === 0) break;
      await eachOf(ready, drop => this.#remove(drop));
    }
    if (this.#waiting.length === 0 || this.#isClosed) return;
    for (const { done } of this.#waiting) done();
    this.#timer = setTimeout(() => this.#begin(), LOOK_MS);
    this.#timer.unref();
  }

  /** The drops without a pin: they are in the order of their times, so these are a prefix. */
  #takeReady(): readonly Drop[] {
    if (this.#waiting.length === 0) return [];
    const [own, other] = [this.#oldestPin(), this.#options.oldestForeignPin()];
    const isReady = ({ time }: Drop): boolean =>
      (own === undefined || time < own) && (other === undefined || time < other);
    const pinned = this.#waiting.findIndex(drop => !isReady(drop));
    return this.#waiting.splice(0, pinned < 0 ? this.#waiting.length : pinned);
  }

  async #remove({ path, isSpace, done }: Drop): Promise<void> {
    try {
      if (isSpace) await this.#removeSpace(path);
      else await this.#unlink(path);
    } catch {
      // The next opening finds it, as after a kill.
    }
    done();
  }

  async #removeSpace(path: string): Promise<void> {
    const directory = await openDirectory(path, { bufferSize: NAMES });
    for await (const { name } of directory) {
      if (this.#isClosed) return;
      await this.#unlink(`${path}/${name}`);
    }
    await removeDirectory(path);
  }

  async #unlink(path: string): Promise<void> {
    try {
      await unlinkFile(path);
      this.#options.onRemoved();
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
}

async function eachOf<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let item = items[next]; item !== undefined; item = items[next]) {
      next += 1;
      await task(item);
    }
  };
  await Promise.all(Array.from({ length: UNLINKS_MAX }, worker));
}
