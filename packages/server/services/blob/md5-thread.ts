// Computes the MD5 of long bodies in a thread of the process, which halves the work of the event loop that reads and stores
// them. A body is copied into memory that the thread shares: one piece of it is filled while the thread reads another and a third waits.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { OffThreadMd5 } from '#blobs';

/** Messages about one body come in order. */
export type Md5Job =
  /** So many bytes more, which must not change before the answer. */
  | {
      readonly kind: 'update';
      readonly sum: number;
      readonly memory: SharedArrayBuffer;
      readonly length: number;
    }
  | { readonly kind: 'end'; readonly sum: number }
  /** Without an answer. */
  | { readonly kind: 'drop'; readonly sum: number };

/** The answer to an update, or with the digest to an end. */
export interface Md5Done {
  readonly sum: number;
  readonly md5: Uint8Array | undefined;
}

const ENTRY = new URL('md5-thread-entry.js', import.meta.url);
/** Of a message: a smaller one costs more of the event loop for each megabyte. */
const MEMORY_BYTES = 256 * 1024;
/** Given to the thread and not read yet, of one body: with two of them it never waits for the event loop. */
const UNREAD_MAX = 2;
/** Bodies at a time, each with three such memories: more of them are summed up where they are read. */
const SUMS_MAX = 16;
/** More of these memories go to the garbage collector. */
const SPARE_MAX = 12;
const HEAP_MEGABYTES = 16;

interface Waiting {
  readonly resolve: (md5: Uint8Array | undefined) => void;
  readonly reject: (error: Error) => void;
}

class Md5Thread {
  readonly #worker: Worker;
  /** By sum: the pending answers, in the order of the questions. */
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #spare: SharedArrayBuffer[] = [];
  #count = 0;
  #failure: Error | undefined;

  constructor() {
    this.#worker = new Worker(ENTRY, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    this.#worker.unref();
    this.#worker.on('message', ({ sum, md5 }: Md5Done) => this.#waiting.get(sum)?.shift()?.resolve(md5));
    this.#worker.on('error', error => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The thread for digests has ended.')));
  }

  /** Undefined where it has too much to do, and once it has failed. */
  open(): OffThreadMd5 | undefined {
    if (this.#failure !== undefined || this.#waiting.size >= SUMS_MAX) return undefined;
    // A process may end only while it has nothing to do.
    if (this.#waiting.size === 0) this.#worker.ref();
    this.#count += 1;
    this.#waiting.set(this.#count, []);
    return new ThreadSum(this, this.#count);
  }

  takeMemory(): SharedArrayBuffer {
    return this.#spare.pop() ?? new SharedArrayBuffer(MEMORY_BYTES);
  }

  returnMemory(memory: SharedArrayBuffer): void {
    if (this.#spare.length < SPARE_MAX) this.#spare.push(memory);
  }

  ask(job: Md5Job): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.get(job.sum)?.push({ resolve, reject });
      this.#worker.postMessage(job);
    });
  }

  /** What the thread has of it is not answered to anybody. */
  close(sum: number): void {
    this.#waiting.delete(sum);
    this.#worker.postMessage({ kind: 'drop', sum } satisfies Md5Job);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.values())
      for (const { reject } of waiting.splice(0)) reject(this.#failure);
  }
}

class ThreadSum implements OffThreadMd5 {
  readonly #thread: Md5Thread;
  readonly #sum: number;
  #memory: SharedArrayBuffer | undefined;
  #filled = 0;
  /** The oldest first. */
  readonly #unread: Promise<void>[] = [];
  #isClosed = false;

  constructor(thread: Md5Thread, sum: number) {
    this.#thread = thread;
    this.#sum = sum;
  }

  update(piece: Buffer): Promise<void> | undefined {
    if (this.#filled + piece.length >= MEMORY_BYTES) return this.#updateLong(piece);
    this.#fill(piece);
    return undefined;
  }

  async #updateLong(piece: Buffer): Promise<void> {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + MEMORY_BYTES - this.#filled);
      this.#fill(part);
      at += part.length;
      if (this.#filled < MEMORY_BYTES) return;
      this.#send();
      if (this.#unread.length > UNREAD_MAX - 1) await this.#unread.shift();
    }
  }

  async end(): Promise<Buffer> {
    if (this.#filled > 0) this.#send();
    const md5 = await this.#thread.ask({ kind: 'end', sum: this.#sum });
    this.drop();
    if (md5 === undefined) throw new TypeError('The thread for digests gave none.');
    return Buffer.from(md5.buffer, md5.byteOffset, md5.length);
  }

  drop(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#memory !== undefined) this.#thread.returnMemory(this.#memory);
    this.#memory = undefined;
    this.#thread.close(this.#sum);
  }

  #fill(part: Buffer): void {
    this.#memory ??= this.#thread.takeMemory();
    new Uint8Array(this.#memory).set(part, this.#filled);
    this.#filled += part.length;
  }

  #send(): void {
    const memory = this.#memory;
    if (memory === undefined) return;
    const job = { kind: 'update', sum: this.#sum, memory, length: this.#filled } as const;
    this.#memory = undefined;
    this.#filled = 0;
    const reading = this.#thread.ask(job).then(() => this.#thread.returnMemory(memory));
    // A failure surfaces at the end of the sum.
    reading.catch(() => undefined);
    this.#unread.push(reading);
  }
}

let thread: Md5Thread | undefined;
const hasProcessors = availableParallelism() > 1;

/** Undefined where the event loop has to do it: on one processor, with many bodies at a time, and where the thread has failed. */
export function openMd5(): OffThreadMd5 | undefined {
  if (!hasProcessors) return undefined;
  thread ??= new Md5Thread();
  return thread.open();
}
