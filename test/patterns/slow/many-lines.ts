// Writes a log of many lines, and reads it minute by minute. Long runs use a separate thread: node's test runner follows every promise of its own thread, which costs three times what the lines do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { TableServiceClient } from '@azure/data-tables';
import { z } from 'zod';
import { Instant, open } from '#patterns';
import { logBook } from '#patterns/logbook';
import { FaultyClient } from '../support/faulty-client.js';
import { blobClient } from '../support/storage-clients.js';

const Entry = z.object({ n: z.number(), text: z.string() });
const START = Date.UTC(2026, 0, 5, 8);
const at = (minutes: number): Instant => Instant.fromDate(new Date(START + 60_000 * minutes));

/** A log, and how long it is. */
export interface ManyLines {
  readonly connectionString: string;
  readonly container: string;
  readonly name: string;
  readonly lines: number;
  readonly minutes: number;
}

/** What reading gave. */
export interface ReadLines {
  readonly lines: number;
  /** The most that any minute took. */
  readonly requests: number;
}

/** Throws if a line is missing, twice, or not of its minute. */
export async function readManyLines(log: ManyLines): Promise<ReadLines> {
  const { connectionString, container, name, lines, minutes } = log;
  const counted = new FaultyClient();
  const options = { allowInsecureConnection: true };
  const clock = { now: START };
  const db = open(
    {
      tables: TableServiceClient.fromConnectionString(connectionString, options),
      blobs: blobClient(connectionString, counted),
    },
    { now: () => clock.now },
  );
  const durable = { milliseconds: 1e9, bytes: 4 * 1_048_576 };
  const book = logBook(db, name, Entry, { container, every: 'hour', durable });
  const text = 'x'.repeat(60);
  for (let n = 0; n < lines; n++) {
    clock.now = START + Math.floor((n * 60_000 * minutes) / lines);
    await book.append({ n, text });
  }
  await book.close();
  let [expected, requests] = [0, 0];
  for (let minute = 0; minute < minutes; minute++) {
    const before = counted.count;
    for await (const { value, at: when } of book.read(at(minute), at(minute + 1))) {
      if (value.n !== expected) assert.fail(`${value.n} came after ${expected - 1}`);
      assert(when.ticks >= at(minute).ticks && when.ticks < at(minute + 1).ticks);
      expected++;
    }
    requests = Math.max(requests, counted.count - before);
  }
  return { lines: expected, requests };
}

/** The same, in a thread of its own. */
export async function readInThread(log: ManyLines): Promise<ReadLines> {
  const thread = new Worker(new URL(import.meta.url), { workerData: log });
  const [read] = await once(thread, 'message');
  await thread.terminate();
  return read;
}

if (!isMainThread) parentPort?.postMessage(await readManyLines(workerData));
