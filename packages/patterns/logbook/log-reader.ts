// Reads the entries of a period from the blobs of all writers, in the order of their times. Names show which blobs may have them, metadata rules out some of these, and within a blob, whose lines are
// sorted, a binary search finds the first one.
import type { CallOptions } from '../concurrency/abort.js';
import { Heap } from '../concurrency/heap.js';
import type { BlobContainer, ListedBlob } from '../transport/blob-container.js';
import { joinBytes } from '../values/bytes.js';
import type { Instant } from '../values/instant.js';
import {
  type LogLine,
  type LogName,
  type LogPeriod,
  parsed,
  parseLine,
  periodEnd,
  prefixesOf,
  readLogName,
} from './log-format.js';

const CHUNK_BYTES = 1_048_576;
/** A blob of up to so many bytes is read from its beginning. */
const SOUGHT_BYTES = 262_144;
const PROBE_BYTES = 4_096;
const LINE_END = 10;

/** A line that is no entry: half a line left by a program that ended, or foreign data. */
export interface SkippedLine {
  readonly blob: string;
  readonly text: string;
  readonly reason: string;
}

export interface RawEntry extends LogLine {
  readonly writer: string;
  readonly blob: string;
}

interface LogReading extends CallOptions {
  readonly book: string;
  readonly every: LogPeriod;
  readonly from: Instant;
  readonly to: Instant;
  readonly skipped: (line: SkippedLine) => void;
}

type Named = ListedBlob & LogName;

const DECODER = /* @__PURE__ */ new TextDecoder();

/** By names and metadata. A blob that is still written has no last time yet. */
function mayHave({ period, metadata }: Named, { every, from, to }: LogReading): boolean {
  const { ticks: first } = parsed(metadata.first) ?? period;
  const last = parsed(metadata.last);
  const isOver = last ? last.ticks < from.ticks : periodEnd(period, every).ticks <= from.ticks;
  return first < to.ticks && !isOver;
}

export class LogReader {
  readonly #container: BlobContainer;
  readonly #reading: LogReading;

  constructor(container: BlobContainer, reading: LogReading) {
    this.#container = container;
    this.#reading = reading;
  }

  async *run(): AsyncGenerator<RawEntry, void, undefined> {
    const { book, every, from, to } = this.#reading;
    for (const prefix of prefixesOf(book, every, from, to)) {
      const periods = new Map<bigint, Named[]>();
      for await (const blob of this.#named(prefix)) {
        const { ticks } = blob.period;
        periods.set(ticks, [...(periods.get(ticks) ?? []), blob]);
      }
      for (const [, blobs] of [...periods].sort(([a], [b]) => (a < b ? -1 : 1))) yield* this.#merged(blobs);
    }
  }

  async *#named(prefix: string): AsyncGenerator<Named, void, undefined> {
    const { book, every, signal } = this.#reading;
    for await (const { blobs } of this.#container.pages(prefix, { signal }))
      for (const blob of blobs) {
        const name = readLogName(book, every, blob.name);
        const named = name && { ...blob, ...name, name: blob.name };
        if (named !== undefined && mayHave(named, this.#reading)) yield named;
      }
  }

  /** Of one period: the blobs of a writer follow each other, those of several writers are parallel. */
  async *#merged(blobs: readonly Named[]): AsyncGenerator<RawEntry, void, undefined> {
    const writers = new Map<string, Named[]>();
    for (const blob of blobs) writers.set(blob.writer, [...(writers.get(blob.writer) ?? []), blob]);
    const heap = new Heap<{ entry: RawEntry; rest: AsyncGenerator<RawEntry> }>((a, b) => {
      const [x, y] = [a.entry, b.entry];
      return x.at.ticks === y.at.ticks ? x.writer < y.writer : x.at.ticks < y.at.ticks;
    });
    const push = async (rest: AsyncGenerator<RawEntry>): Promise<void> => {
      const { value, done } = await rest.next();
      if (done !== true) heap.push({ entry: value, rest });
    };
    for (const own of writers.values()) await push(this.#inOrder(own.sort((a, b) => a.number - b.number)));
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
      yield next.entry;
      await push(next.rest);
    }
  }

  async *#inOrder(blobs: readonly Named[]): AsyncGenerator<RawEntry, void, undefined> {
    const { from, to } = this.#reading;
    for (const blob of blobs)
      for await (const text of this.#texts(blob, await this.#start(blob))) {
        const line = parseLine(text);
        if (line === undefined)
          this.#reading.skipped({ blob: blob.name, text, reason: 'it is not a line of a log' });
        else if (line.at.ticks >= to.ticks) return;
        else if (line.at.ticks >= from.ticks) yield { ...line, writer: blob.writer, blob: blob.name };
      }
  }

  /** The lines from a place on, up to the length that the blob had when it was listed. */
  async *#texts({ name, length }: Named, start: number): AsyncGenerator<string, void, undefined> {
    const { signal } = this.#reading;
    let rest: Uint8Array = new Uint8Array();
    for (let at = start; at < length; at += CHUNK_BYTES) {
      const count = Math.min(CHUNK_BYTES, length - at);
      const found = await this.#container.read(name, { from: at, count, signal });
      if (found === undefined) break;
      const bytes = joinBytes([rest, found]);
      const end = bytes.lastIndexOf(LINE_END) + 1;
      rest = bytes.slice(end);
      if (end > 0) yield* DECODER.decode(bytes.subarray(0, end - 1)).split('\n');
    }
    if (rest.length > 0)
      this.#reading.skipped({ blob: name, text: DECODER.decode(rest), reason: 'it is half a line' });
  }

  /** The beginning of a line before which all are too early. */
  async #start(blob: Named): Promise<number> {
    const { from } = this.#reading;
    if (from.ticks <= blob.period.ticks) return 0;
    let [low, high] = [0, blob.length];
    while (high - low > SOUGHT_BYTES) {
      const middle = low + Math.floor((high - low) / 2);
      const found = await this.#lineBehind(blob, middle);
      if (found === undefined || found.start >= high || found.at.ticks >= from.ticks) high = middle;
      else low = found.start;
    }
    return low;
  }

  /** The first line that begins behind a place; undefined if there is none that can be read. */
  async #lineBehind(
    { name, length }: Named,
    place: number,
  ): Promise<{ readonly start: number; readonly at: Instant } | undefined> {
    const { signal } = this.#reading;
    for (let count = PROBE_BYTES; ; count *= 8) {
      const bytes = await this.#container.read(name, { from: place, count, signal });
      if (bytes === undefined) return undefined;
      const start = bytes.indexOf(LINE_END) + 1;
      const end = start === 0 ? -1 : bytes.indexOf(LINE_END, start);
      if (start > 0 && end >= 0) {
        const line = parseLine(DECODER.decode(bytes.subarray(start, end)));
        return line && { start: place + start, at: line.at };
      }
      if (place + bytes.length >= length) return undefined;
    }
  }
}
