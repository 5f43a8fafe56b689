// Writes entries into the append blobs of one writer, in the order of their times. Entries that arrive during an append go with the next one. Durable by entry, or buffered: then a program that ends loses
// the buffer, whose age and size the options limit.
//
// An append names the length that the blob must have, so it is done once however often it is sent: the official client sends it again. If an answer was lost, the end of the blob shows whether the append was done.

import type { CallOptions } from '../concurrency/abort.js';
import { TickClock } from '../repo/tick-clock.js';
import type { Service } from '../repo/write/service.js';
import type { BlobContainer } from '../transport/blob-container.js';
import { compareBytes, joinBytes } from '../values/bytes.js';
import type { Instant } from '../values/instant.js';
import { PatternError, refuseDefinition, refuseValue } from '../values/pattern-error.js';
import { checkSize } from '../values/wire-property.js';
import { formatLine, type LogPeriod, nameOfLog, periodStart } from './log-format.js';

/** Of an append blob; the service's limit. */
const BLOCKS_MAX = 50_000;
/** Of a block, of every version of the service. */
const BLOCK_BYTES_MAX = 4 * 1_024 * 1_024;
/** The shortest pause before a buffer that could not be sent is sent again, so that a short one does not flood a service that refuses it. */
const RETRY_MILLISECONDS_MIN = 1_000;

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
  readonly blocksMax?: number | undefined;
}

interface Line {
  readonly at: Instant;
  readonly bytes: Uint8Array;
  /** With what was thrown, if it failed. Nothing waits for a line that is buffered. */
  readonly ended?: (thrown?: unknown) => void;
}

/** What is sent at once: lines of one period. */
interface Block {
  readonly bytes: Uint8Array;
  readonly first: Instant;
  readonly last: Instant;
  readonly lines: readonly Line[];
}

interface LogBlob {
  readonly name: string;
  readonly period: Instant;
  readonly number: number;
  /** Of its first entry. */
  readonly first: Instant;
  isMade: boolean;
  /** Nothing may follow: its end is unknown, or another process wrote into it or deleted it. */
  isEnded: boolean;
  length: number;
  blocks: number;
  last: Instant | undefined;
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
  #waiting: Line[] = [];
  #bytes = 0;
  /** A block that may or may not be in its blob: it is sent there again, and no other in its place. */
  #doubtful: Block | undefined;
  #blob: LogBlob | undefined;
  #sending: Promise<void> | undefined;
  #timer: AbortController | undefined;
  /** The timer is of a block that could not be sent. */
  #isRetry = false;
  /** Of a flush that nothing awaited. */
  #failure: unknown;
  #isClosed = false;

  constructor(parts: LogWriterParts) {
    checkBuffer(parts.book, parts.durable);
    this.#parts = parts;
    this.#clock = new TickClock(parts.service.surroundings);
  }

  /** Returns the time of the entry. Throws TooLarge, and the error of an earlier flush that nothing awaited. */
  async append(json: string): Promise<Instant> {
    if (this.#isClosed) refuseValue('log', 'one that is open', 'it was closed');
    this.#throwFailure();
    const at = this.#clock.next();
    const bytes = formatLine(at, json);
    checkSize('block', `${this.#parts.book}, a line,`, bytes.length, BLOCK_BYTES_MAX);
    const { durable } = this.#parts;
    this.#bytes += bytes.length;
    if (durable === 'each')
      return new Promise((done, failed) => {
        this.#waiting.push({
          at,
          bytes,
          ended: thrown => (thrown === undefined ? done(at) : failed(thrown)),
        });
        void this.#send();
      });
    this.#waiting.push({ at, bytes });
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
    await this.#end(options);
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  /** A retry is idle: a log that cannot be written does not keep the process from ending. New entries do not wait for it. */
  #startTimer(milliseconds: number, isRetry = false): void {
    if (this.#timer !== undefined && !this.#isRetry) return;
    this.#timer?.abort();
    const timer = new AbortController();
    this.#timer = timer;
    this.#isRetry = isRetry;
    const { sleep } = this.#parts.service.surroundings;
    sleep(milliseconds, timer.signal, isRetry).then(
      () => {
        if (timer.signal.aborted) return;
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
      if (block === undefined) break;
      try {
        while (!(await this.#appended(await this.#blobFor(block), block)));
        this.#doubtful = undefined;
        this.#failure = undefined;
        this.#bytes -= block.bytes.length;
        for (const { ended } of block.lines) ended?.();
      } catch (thrown) {
        const { durable } = this.#parts;
        if (durable !== 'each') {
          // It stays, and goes into the same place of the same blob: at the next flush, or after a pause.
          this.#doubtful = block;
          this.#failure = thrown;
          if (!this.#isClosed) this.#startTimer(Math.max(durable.milliseconds, RETRY_MILLISECONDS_MIN), true);
          break;
        }
        // Its lines were reported as failed, but it may still be there, and nothing may follow it.
        this.#bytes -= block.bytes.length;
        if (this.#blob !== undefined) this.#blob.isEnded = true;
        for (const { ended } of block.lines) ended?.(thrown);
      }
    }
    // At once: a line that comes now begins anew.
    this.#sending = undefined;
  }

  /** Lines of one period, as many as a block has room for. */
  #nextBlock(): Block | undefined {
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
    return { bytes: joinBytes(lines.map(line => line.bytes)), first: first.at, last, lines };
  }

  async #blobFor({ first }: Block): Promise<LogBlob> {
    const { every, book, blocksMax = BLOCKS_MAX } = this.#parts;
    const period = periodStart(first, every);
    const before = this.#blob;
    const isSame = before?.period.ticks === period.ticks;
    if (before !== undefined && isSame && !before.isEnded && before.blocks < blocksMax) return before;
    await this.#end({});
    const number = isSame ? before.number + 1 : 1;
    const name = nameOfLog(book, every, { period, writer: this.#clock.writer, number });
    const empty = { isMade: false, isEnded: false, length: 0, blocks: 0, last: undefined };
    this.#blob = { name, period, number, first, ...empty };
    return this.#blob;
  }

  /** Whether the block is in the blob; false if another process wrote into it or deleted it. If it throws, the block may be there or not, and the same one may be appended again. */
  async #appended(blob: LogBlob, { bytes, last }: Block): Promise<boolean> {
    const { container } = this.#parts;
    if (!blob.isMade) await container.createAppendBlob(blob.name, { first: String(blob.first) }, {});
    blob.isMade = true;
    if (!(await container.append(blob.name, bytes, blob.length, {}))) {
      const found = await container.read(blob.name, { from: blob.length });
      blob.isEnded = found === undefined || compareBytes(found, bytes) !== 0;
      if (blob.isEnded) return false;
    }
    blob.length += bytes.length;
    blob.blocks++;
    blob.last = last;
    return true;
  }

  /** Lets readers of later times skip the blob. A failure loses nothing. */
  async #end(options: CallOptions): Promise<void> {
    const blob = this.#blob;
    if (blob === undefined || blob.isEnded || blob.last === undefined) return;
    const metadata = { first: String(blob.first), last: String(blob.last) };
    try {
      await this.#parts.container.setMetadata(blob.name, metadata, options);
    } catch (thrown) {
      if (!PatternError.is(thrown)) throw thrown;
    }
    blob.isEnded = true;
  }
}
