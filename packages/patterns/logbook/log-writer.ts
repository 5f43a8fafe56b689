// Writes entries into the blobs of one writer, in the order of their times. Entries that arrive during an append go with the next one. Durable by entry, or buffered: then a program that ends loses
// the buffer, whose age and size the options limit.

import type { CallOptions } from '../concurrency/abort.js';
import { TickClock } from '../repo/tick-clock.js';
import type { Service } from '../repo/write/service.js';
import type { BlobContainer } from '../transport/blob-container.js';
import { joinBytes } from '../values/bytes.js';
import type { Instant } from '../values/instant.js';
import { PatternError, refuseDefinition, refuseValue } from '../values/pattern-error.js';
import { checkSize } from '../values/wire-property.js';
import { BLOCK_BYTES_MAX, BLOCKS_MAX, type Block, LogBlob } from './log-blob.js';
import { formatLine } from './log-line.js';
import { type LogPeriod, nameOfLog, periodStart } from './log-name.js';

/** The most that a program that ends loses: entries of this age, or this many bytes. */
interface LogBuffer {
  readonly milliseconds: number;
  /** Up to 4 MiB. */
  readonly bytes: number;
}

/** `each`: an entry is in the blob when its append ends. */
export type LogDurability = 'each' | LogBuffer;

interface LogWriterParts {
  readonly service: Service;
  readonly container: BlobContainer;
  readonly book: string;
  readonly every: LogPeriod;
  readonly durable: LogDurability;
  /** Of a blob: 50,000, but for tests. */
  readonly blocksMax?: number;
}

interface Line {
  readonly at: Instant;
  readonly bytes: Uint8Array;
  done(): void;
  failed(thrown: unknown): void;
}

interface LinesBlock extends Block {
  readonly lines: readonly Line[];
}

function checkBuffer(book: string, durable: LogDurability): void {
  if (durable === 'each') return;
  const { milliseconds, bytes } = durable;
  if (!(milliseconds >= 1))
    refuseDefinition(book, `a buffer is kept for 1 millisecond or more, not ${milliseconds}`);
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > BLOCK_BYTES_MAX)
    refuseDefinition(book, `a buffer has from 1 to ${BLOCK_BYTES_MAX} bytes, not ${bytes}`);
}

export class LogWriter {
  readonly #parts: LogWriterParts;
  readonly #clock: TickClock;
  readonly #blocksMax: number;
  #waiting: Line[] = [];
  #bytes = 0;
  /** A block that may or may not be in its blob: it is sent there again, and no other in its place. */
  #doubtful: LinesBlock | undefined;
  #blob: LogBlob | undefined;
  #period: Instant | undefined;
  #number = 0;
  #sending: Promise<void> | undefined;
  #timer: AbortController | undefined;
  /** Of a flush that nothing awaited. */
  #failure: unknown;
  #isClosed = false;

  constructor(parts: LogWriterParts) {
    checkBuffer(parts.book, parts.durable);
    this.#parts = parts;
    this.#clock = new TickClock(parts.service.surroundings);
    this.#blocksMax = parts.blocksMax ?? BLOCKS_MAX;
  }

  /** Returns the time of the entry. Throws TooLarge, and the error of an earlier flush that nothing awaited. */
  async append(json: string): Promise<Instant> {
    if (this.#isClosed) refuseValue('log', 'one that is open', 'it was closed');
    this.#throwFailure();
    const at = this.#clock.next();
    const bytes = formatLine(at, json);
    checkSize('block', `${this.#parts.book}, a line,`, bytes.length, BLOCK_BYTES_MAX);
    const { durable } = this.#parts;
    const written = new Promise<void>((done, failed) => {
      this.#waiting.push({ at, bytes, done, failed });
    });
    this.#bytes += bytes.length;
    if (durable === 'each') {
      this.#send();
      await written;
      return at;
    }
    written.catch(() => undefined);
    if (this.#bytes >= durable.bytes) await this.flush();
    else this.#startTimer(durable.milliseconds);
    return at;
  }

  /** Everything that was appended before is in a blob. */
  async flush(): Promise<void> {
    this.#timer?.abort();
    this.#timer = undefined;
    await this.#send();
    this.#throwFailure();
  }

  /** Writes the buffered entries, and marks the blob as complete. */
  async close(options: CallOptions): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    await this.#blob?.close(options);
    this.#blob = undefined;
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  #startTimer(milliseconds: number): void {
    if (this.#timer !== undefined) return;
    const timer = new AbortController();
    this.#timer = timer;
    const { sleep } = this.#parts.service.surroundings;
    sleep(milliseconds, timer.signal).then(
      () => {
        this.#timer = undefined;
        void this.#send();
      },
      () => undefined,
    );
  }

  /** Never fails: errors go to the lines' promises, or to the caller of flush. */
  #send(): Promise<void> {
    if (this.#waiting.length > 0 || this.#doubtful !== undefined) this.#sending ??= this.#sent();
    return this.#sending ?? Promise.resolve();
  }

  async #sent(): Promise<void> {
    for (;;) {
      const block = this.#doubtful ?? this.#nextBlock();
      if (block === undefined) {
        // At once: a line that comes now begins anew.
        this.#sending = undefined;
        return;
      }
      try {
        await this.#written(block);
        this.#doubtful = undefined;
        this.#bytes -= block.bytes.length;
        for (const line of block.lines) line.done();
      } catch (thrown) {
        if (this.#parts.durable !== 'each') {
          // It stays, and goes into the same place of the same blob.
          this.#doubtful = block;
          this.#failure = thrown;
          this.#sending = undefined;
          return;
        }
        // Its lines were reported as failed, but it may still be there, and nothing may follow it.
        this.#bytes -= block.bytes.length;
        this.#blob = undefined;
        for (const line of block.lines) line.failed(thrown);
      }
    }
  }

  /** Lines of one period, as many as a block has room for. */
  #nextBlock(): LinesBlock | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const { every } = this.#parts;
    const period = periodStart(first.at, every).ticks;
    let bytes = 0;
    let count = 0;
    for (const line of this.#waiting) {
      if (bytes + line.bytes.length > BLOCK_BYTES_MAX || periodStart(line.at, every).ticks !== period) break;
      bytes += line.bytes.length;
      count++;
    }
    const lines = this.#waiting.splice(0, count);
    const last = lines.at(-1)?.at ?? first.at;
    return { bytes: joinBytes(lines.map(line => line.bytes)), last, lines };
  }

  async #written(block: LinesBlock): Promise<void> {
    for (;;) {
      const blob = await this.#blobFor(block);
      if (await blob.append(block, {})) return;
      // Another process wrote into it.
      this.#blob = undefined;
    }
  }

  async #blobFor({ lines: [first] }: LinesBlock): Promise<LogBlob> {
    const { every, book, container, service } = this.#parts;
    if (first === undefined)
      throw new PatternError('ValueInvalid', { property: 'block', expected: 'lines', reason: 'it has none' });
    const period = periodStart(first.at, every);
    const isSame = this.#period?.ticks === period.ticks;
    if (this.#blob !== undefined && isSame && this.#blob.blocks < this.#blocksMax) return this.#blob;
    await this.#blob?.close({});
    this.#number = isSame ? this.#number + 1 : 1;
    this.#period = period;
    const name = nameOfLog(book, every, { period, writer: this.#clock.writer, number: this.#number });
    this.#blob = new LogBlob(container, service.surroundings, name, first.at);
    return this.#blob;
  }
}
