// A log book: entries of a schema in append blobs that are named by time, which any number of writers write and readers read by time.

import type { CallOptions } from '../concurrency/abort.js';
import type { Service } from '../repo/write/service.js';
import { BlobContainer } from '../transport/blob-container.js';
import { validated } from '../values/check-value.js';
import type { Instant } from '../values/instant.js';
import { PatternError, refuseDefinition, refuseValue } from '../values/pattern-error.js';
import type { OutputOf, StandardSchema } from '../values/standard-schema.js';
import { type LogPeriod, periodEnd, readLogName } from './log-format.js';
import { LogReader, type RawEntry, type SkippedLine } from './log-reader.js';
import { type LogDurability, LogWriter } from './log-writer.js';

/** Where a log's blobs are, how they are named, and what a crashed program may lose. */
export interface LogOptions {
  /** The container must be there. */
  readonly container: string;
  /** How long a blob is written at most. */
  readonly every: LogPeriod;
  readonly durable: LogDurability;
}

/** An entry as it is read. */
export interface LogEntry<T> {
  /** When it was appended, by the clock of its writer: later entries of one writer are later, also if its clock is set back. */
  readonly at: Instant;
  readonly writer: string;
  readonly value: T;
}

/** How a log is read. */
interface LogReadOptions extends CallOptions {
  /** Called for each line that is no entry. Without it the reader skips half a line at the end of a blob, left by a program that ended, and throws RowUnreadable for any other. */
  readonly onSkipped?: (line: SkippedLine) => void;
}

const BOOK = /^[a-z0-9][a-z0-9-]*$/;

/** A log, with a writer of its own. */
export class LogBook<S extends StandardSchema> {
  readonly name: string;
  readonly #schema: S;
  readonly #every: LogPeriod;
  readonly #container: BlobContainer;
  readonly #writer: LogWriter;

  /** Only tests give the blocks that a blob has. */
  constructor(service: Service, name: string, schema: S, options: LogOptions, blocksMax?: number) {
    const { container, every, durable } = options;
    if (!BOOK.test(name)) refuseDefinition(name, 'a log is named by small letters, digits and hyphens');
    if (every !== 'hour' && every !== 'day')
      refuseDefinition(name, `its blobs are of an hour or a day, not of a ${every}`);
    this.name = name;
    this.#schema = schema;
    this.#every = every;
    this.#container = new BlobContainer(service.clients, name, container);
    const parts = { service, container: this.#container, book: name, every, durable, blocksMax };
    this.#writer = new LogWriter(parts);
  }

  /** Returns the time of the entry. With `durable: 'each'` it is in the blob then, once; otherwise soon. Throws ValueInvalid and TooLarge, and the service's errors. */
  async append(value: OutputOf<S>): Promise<Instant> {
    const property = `${this.name}.entry`;
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) refuseValue(property, 'JSON', 'JSON cannot hold it');
    validated(this.#schema, JSON.parse(text), property);
    return this.#writer.append(text);
  }

  /** Writes everything that was appended into a blob. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Writes the buffered entries, and stores the last time in the blob's metadata, so that readers of later times skip it. */
  close(options: CallOptions = {}): Promise<void> {
    return this.#writer.close(options);
  }

  /** The entries of all writers from one instant up to another, which is not included, in the order of their times. Entries appended during the read may be missing. */
  async *read(
    from: Instant,
    to: Instant,
    { onSkipped, signal }: LogReadOptions = {},
  ): AsyncGenerator<LogEntry<OutputOf<S>>, void, undefined> {
    const skipped = onSkipped ?? ((line: SkippedLine) => this.#refuseUnlessHalf(line));
    const reading = { book: this.name, every: this.#every, from, to, skipped, signal };
    for await (const entry of new LogReader(this.#container, reading).run()) {
      const value = this.#valueOf(entry, skipped);
      if (value !== undefined) yield { at: entry.at, writer: entry.writer, value: value.is };
    }
  }

  /** Deletes the blobs whose time was over before the instant. Returns how many. */
  async expire(before: Instant, { signal }: CallOptions = {}): Promise<number> {
    let count = 0;
    for await (const { blobs } of this.#container.pages(`${this.name}/`, { signal }))
      for (const { name } of blobs) {
        const period = readLogName(this.name, this.#every, name)?.period;
        if (period === undefined || periodEnd(period, this.#every).ticks > before.ticks) continue;
        await this.#container.delete(name, { signal });
        count++;
      }
    return count;
  }

  #valueOf(
    { json, blob }: RawEntry,
    skipped: (line: SkippedLine) => void,
  ): { readonly is: OutputOf<S> } | undefined {
    try {
      return { is: validated(this.#schema, JSON.parse(json), `${this.name}.entry`) as OutputOf<S> };
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      skipped({ blob, text: json, reason });
      return undefined;
    }
  }

  #refuseUnlessHalf({ blob, reason }: SkippedLine): void {
    if (reason === 'it is half a line') return;
    const address = { table: this.#container.name, partitionKey: '', rowKey: blob };
    throw new PatternError('RowUnreadable', { ...address, entity: this.name, reason: `a line: ${reason}` });
  }
}
