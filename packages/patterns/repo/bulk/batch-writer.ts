// Bulk writes: groups any number of changes by partition into batches, sends a limited number of batches at a time, buffers a limited number of changes,
// and reports each. The source is read only as reports are consumed (back-pressure).

import { unlessAborted } from '../../concurrency/abort.js';
import { addressOf, type RowWrite } from '../../transport/row-write.js';
import { PatternError } from '../../values/pattern-error.js';
import { checkWhole } from '../read/results.js';
import type { Service } from '../write/service.js';
import type { RowChange } from './change.js';
import { WriteLanes } from './write-lanes.js';
import { type WriteReport, writeLoad } from './write-load.js';

/** How bulk writes are sent and buffered. */
export interface WriterOptions {
  /** Batches that are under way at a time; 8 by default. */
  readonly concurrency?: number | undefined;
  /** Changes in memory at most, waiting and under way; 2,000 by default. */
  readonly buffered?: number | undefined;
  /** What they may count, as rows do; 32 MiB by default. A single change may be more. */
  readonly bufferedBytes?: number | undefined;
  /** Changes of one row are done in their order. `false` lets several batches of a partition go at a time, for changes of different rows. */
  readonly ordered?: boolean | undefined;
  /** Milliseconds after which a partial batch is sent, if the source gives no more and no request is under way; 100 by default. */
  readonly linger?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const CONCURRENCY = 8;
const BUFFERED = 2_000;
const BUFFERED_BYTES = 32 * 1_048_576;
const LINGER_MILLISECONDS = 100;
/** Of a delete. */
const LEAST_BYTES = 64;

const bytesOf = (write: RowWrite): number => Math.max(LEAST_BYTES, 'row' in write ? write.row.bytes : 0);

export class BatchWriter {
  readonly #service: Service;
  readonly #limits: { readonly concurrency: number; readonly buffered: number; readonly bytes: number };
  readonly #linger: number;
  readonly #signal: AbortSignal | undefined;
  readonly #lanes: WriteLanes;
  readonly #source: AsyncIterator<RowChange> | Iterator<RowChange>;
  readonly #end = new AbortController();
  /** Batches. None rejects. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #reports: WriteReport[] = [];
  /** Of a batch: what is no error of the service. Nothing more is sent; what is done is reported first. */
  #failure: { readonly thrown: unknown } | undefined;
  /** What the source threw. What it gave before that is written and reported first. */
  #broken: { readonly thrown: unknown } | undefined;
  #index = 0;
  #buffered = 0;
  #bufferedBytes = 0;
  #isAtEnd = false;
  #reading: Promise<void> | undefined;
  #lingering: Promise<void> | undefined;
  /** Batches go that are not full. */
  #isUrgent = false;

  constructor(
    service: Service,
    changes: Iterable<RowChange> | AsyncIterable<RowChange>,
    {
      concurrency = CONCURRENCY,
      buffered = BUFFERED,
      bufferedBytes = BUFFERED_BYTES,
      ordered = true,
      linger = LINGER_MILLISECONDS,
      signal,
    }: WriterOptions = {},
  ) {
    this.#service = service;
    this.#limits = {
      concurrency: checkWhole('concurrency', concurrency),
      buffered: checkWhole('buffered', buffered),
      bytes: checkWhole('bufferedBytes', bufferedBytes),
    };
    this.#linger = linger;
    this.#signal = signal;
    this.#lanes = new WriteLanes(ordered);
    this.#source =
      Symbol.asyncIterator in changes ? changes[Symbol.asyncIterator]() : changes[Symbol.iterator]();
  }

  /** The outcome of each change, in the order in which outcomes became known. Waits for requests under way before it returns. */
  async *reports(): AsyncGenerator<WriteReport, void, undefined> {
    try {
      for (;;) {
        if (this.#signal?.aborted) this.#failure ??= { thrown: this.#signal.reason };
        if (!this.#failure) this.#send();
        if (this.#reports.length > 0) yield* this.#reports.splice(0);
        else if (this.#underWay.size === 0 && (this.#failure || this.#isAtEnd)) {
          const end = this.#failure ?? this.#broken;
          if (end) throw end.thrown;
          return;
        } else await this.#step();
      }
    } finally {
      this.#end.abort();
      await Promise.all(this.#underWay);
      if (!this.#isAtEnd) await this.#leave();
    }
  }

  /** Ends the source. If it is about to yield a change, it ends after that change, without anything waiting for it. */
  async #leave(): Promise<void> {
    const ended = Promise.resolve(this.#source.return?.());
    if (this.#reading === undefined) await ended;
    else ended.catch(() => undefined);
  }

  get #isFull(): boolean {
    const { buffered, bytes } = this.#limits;
    return this.#buffered >= buffered || this.#bufferedBytes >= bytes;
  }

  /** Waits for the next change, if there is room for one, or until something was written, or the signal comes. After a failure for what is under way alone. */
  async #step(): Promise<void> {
    if (this.#failure) return Promise.race(this.#underWay);
    const awaited = [...this.#underWay];
    if (!this.#isAtEnd && !this.#isFull) {
      this.#reading ??= this.#read();
      awaited.push(this.#reading);
      if (this.#lanes.count > 0) this.#lingering ??= this.#wait();
      if (this.#lingering) awaited.push(this.#lingering);
    }
    // What was done by then is reported before the signal's reason is thrown.
    await unlessAborted(Promise.race(awaited), this.#signal).catch(() => undefined);
  }

  async #wait(): Promise<void> {
    // It may be left when the whole ends.
    await this.#service.surroundings.sleep(this.#linger, this.#end.signal).catch(() => undefined);
    this.#lingering = undefined;
    this.#isUrgent = true;
  }

  async #read(): Promise<void> {
    try {
      const next = await this.#source.next();
      this.#reading = undefined;
      if (next.done) this.#isAtEnd = true;
      else this.#take(next.value);
    } catch (thrown) {
      this.#breakOff(thrown);
    }
  }

  /** The source gives no more. */
  #breakOff(thrown: unknown): void {
    this.#isAtEnd = true;
    this.#broken ??= { thrown };
  }

  #take(change: RowChange): void {
    const index = this.#index++;
    try {
      const planned = change.plan(this.#service);
      this.#service.requests.check?.(planned.write);
      const { write, indexWrites = [] } = planned;
      const others = indexWrites.map(each => each.write);
      const bytes = others.reduce((sum, each) => sum + bytesOf(each), bytesOf(write));
      this.#lanes.add({ index, planned, rows: [addressOf(write), ...others.map(addressOf)], bytes });
      this.#buffered++;
      this.#bufferedBytes += bytes;
    } catch (thrown) {
      if (PatternError.is(thrown)) this.#reports.push({ index, kind: 'failed', error: thrown });
      else {
        this.#breakOff(thrown);
        // What the source throws at its end is not why it ends.
        void (async () => this.#source.return?.())().catch(() => undefined);
      }
    }
  }

  #send(): void {
    while (this.#underWay.size < this.#limits.concurrency) {
      const load = this.#lanes.take(this.#isAtEnd || this.#isFull || this.#isUrgent);
      if (load === undefined) {
        this.#isUrgent = false;
        return;
      }
      const { changes } = load;
      const report = (done: WriteReport): unknown => this.#reports.push(done);
      const written = writeLoad(this.#service, changes, report, { signal: this.#signal })
        .catch((thrown: unknown) => {
          this.#failure ??= { thrown };
        })
        .then(() => {
          this.#lanes.release(load);
          this.#buffered -= changes.length;
          for (const { bytes } of changes) this.#bufferedBytes -= bytes;
          this.#underWay.delete(written);
        });
      this.#underWay.add(written);
    }
  }
}
