// Logs in append blobs: each entry once, read by time, over hours, blobs and writers, with lost answers and broken ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { until } from '#base/testing/until';
import { Instant, open } from '#patterns';
import { connect, type LogDurability } from '#patterns/internals';
import { logBook } from '#patterns/logbook';
import { LogBook } from '../../../packages/patterns/logbook/log-book.js';
import { type ManyLines, readInThread, readManyLines } from '../slow/many-lines.js';
import { type Fault, FaultyClient } from '../support/faulty-client.js';
import { describePeers } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const container = 'logs';
const Entry = z.object({ n: z.number(), text: z.string().optional() });
const START = Date.UTC(2026, 0, 5, 8);
const at = (minutes: number): Instant => Instant.fromDate(new Date(START + 60_000 * minutes));

/** Pauses before another attempt end at once, and the timer of a buffer never. */
const pause = (milliseconds: number): Promise<void> =>
  milliseconds < 1e6 ? Promise.resolve() : new Promise(() => undefined);

let books = 0;

describePeers('log books', peer => {
  const world = async (
    of: {
      durable?: LogDurability;
      blocksMax?: number;
      every?: 'hour' | 'day';
      fault?: (at: number) => Fault | undefined;
    } = {},
  ) => {
    const name = `book${++books}`;
    const logs = peer.blobs().getContainerClient(container);
    await logs.createIfNotExists();
    const clock = { now: START };
    const { durable = 'each', every = 'hour', fault, blocksMax } = of;
    /** One more writer of the same book. */
    const writer = () => {
      const http = fault && new FaultyClient(fault);
      const service = connect(
        { tables: peer.client(), blobs: peer.blobs(http) },
        { now: () => clock.now, sleep: pause },
      );
      return new LogBook(
        service as never,
        name,
        Entry,
        { container, every, durable },
        blocksMax === undefined ? {} : { blocksMax },
      );
    };
    const read = async (from: number, to: number, options = {}) => {
      const found: number[] = [];
      for await (const { value } of writer().read(at(from), at(to), options)) found.push(value.n);
      return found;
    };
    const blobs = async () => {
      const found: { name: string; metadata: Record<string, string> }[] = [];
      for await (const { name: blob, metadata = {} } of logs.listBlobsFlat({
        prefix: `${name}/`,
        includeMetadata: true,
      }))
        found.push({ name: blob.slice(name.length + 1), metadata });
      return found;
    };
    const text = async (blob: string): Promise<string> =>
      (await logs.getBlobClient(`${name}/${blob}`).downloadToBuffer()).toString();
    return { name, logs, clock, writer, read, blobs, text };
  };

  test('have each entry when its append ends, in a blob of the hour', async () => {
    const { clock, writer, read, blobs, text } = await world();
    const log = writer();
    for (let n = 0; n < 6; n++) {
      await log.append({ n });
      clock.now += 15 * 60_000;
    }
    const names = (await blobs()).map(({ name }) => name.replace(/[0-9a-z]{8}-/, 'writer-'));
    assert.deepEqual(names, ['2026/01/05/0800/writer-000001.log', '2026/01/05/0900/writer-000001.log']);
    const [first, second] = await blobs();
    assert.equal(first?.metadata.first, '2026-01-05T08:00:00.0000000Z');
    assert.equal(first?.metadata.last, '2026-01-05T08:45:00.0000000Z');
    assert.equal(second?.metadata.last, undefined);
    await log.close();
    assert.equal((await blobs())[1]?.metadata.last, '2026-01-05T09:15:00.0000000Z');
    assert.equal((await text(first?.name ?? '')).split('\n')[1], '2026-01-05T08:15:00.0000000Z {"n":1}');
    assert.deepEqual(await read(0, 120), [0, 1, 2, 3, 4, 5]);
    // The end is not included.
    assert.deepEqual(await read(15, 45), [1, 2]);
    assert.deepEqual(await read(45, 61), [3, 4]);
    assert.deepEqual(await read(76, 600), []);
    await rejects(log.append({ n: 7 }), 'ValueInvalid');
  });

  test('take entries at once, which go together', async () => {
    const { writer, read, logs, name, blobs } = await world();
    const log = writer();
    const times = await Promise.all(Array.from({ length: 500 }, (_, n) => log.append({ n })));
    assert.equal(new Set(times.map(String)).size, 500);
    assert.deepEqual(
      await read(0, 60),
      Array.from({ length: 500 }, (_, n) => n),
    );
    const { blobCommittedBlockCount = 0 } = await logs
      .getBlobClient(`${name}/${(await blobs())[0]?.name}`)
      .getProperties();
    assert(blobCommittedBlockCount <= 10, `${blobCommittedBlockCount} blocks`);
  });

  test('are written by several writers beside each other, and read in one order', async () => {
    const { clock, writer, blobs } = await world();
    const writers = [writer(), writer(), writer()];
    for (let n = 0; n < 30; n++) {
      await writers[n % 3]?.append({ n });
      clock.now += 1_000;
    }
    assert.equal((await blobs()).length, 3);
    const found: string[] = [];
    for await (const { at: when, value, writer: own } of writer().read(at(0), at(60)))
      found.push(`${value.n} ${own} ${when}`);
    assert.deepEqual(
      found.map(each => Number(each.split(' ')[0])),
      Array.from({ length: 30 }, (_, n) => n),
    );
    assert.equal(new Set(found.map(each => each.split(' ')[1])).size, 3);
  });

  test('go on in another blob when one has its blocks', async () => {
    for (const [count, names] of [
      [2, 1],
      [3, 1],
      [4, 2],
      [7, 3],
    ] as const) {
      const { writer, read, blobs } = await world({ blocksMax: 3 });
      const log = writer();
      for (let n = 0; n < count; n++) await log.append({ n });
      assert.equal((await blobs()).length, names, `${count} blocks`);
      assert.deepEqual(
        await read(0, 60),
        Array.from({ length: count }, (_, n) => n),
      );
    }
  });

  test('have each entry once though answers are lost', async () => {
    for (const fault of ['reset after', 'busy after', 'failed after', 'reset before'] as const) {
      const { writer, read } = await world({
        fault: n => (n % 3 === 1 || n === 6 || n === 8 ? fault : undefined),
      });
      const log = writer();
      for (let n = 0; n < 8; n++) await log.append({ n });
      await log.close();
      assert.deepEqual(await read(0, 60), [0, 1, 2, 3, 4, 5, 6, 7], fault);
    }
  });

  test('are buffered up to a size or an age, which is what is lost', async () => {
    // Two lines have 74 bytes.
    for (const [bytes, written] of [
      [73, [0, 1]],
      [74, [0, 1]],
      [75, []],
    ] as const) {
      const { writer, read } = await world({ durable: { milliseconds: 1e9, bytes } });
      const log = writer();
      await log.append({ n: 0 });
      assert.deepEqual(await read(0, 60), []);
      await log.append({ n: 1 });
      assert.deepEqual(await read(0, 60), written);
      await log.close();
      assert.deepEqual(await read(0, 60), [0, 1]);
    }
    // Rotates by age, in real time.
    const { writer, read } = await world({ durable: { milliseconds: 10, bytes: 1_000 } });
    const log = writer();
    await log.append({ n: 0 });
    await until('the entry', async () => (await read(0, 60)).length > 0);
    await log.close();
  });

  test('keep what was buffered until it can be written', async () => {
    let isDown = true;
    const { writer, read } = await world({
      durable: { milliseconds: 1e9, bytes: 1_000_000 },
      fault: () => (isDown ? 'reset before' : undefined),
    });
    const log = writer();
    await log.append({ n: 0 });
    await rejects(log.flush(), 'Unreachable');
    isDown = false;
    await log.append({ n: 1 });
    await log.close();
    assert.deepEqual(await read(0, 60), [0, 1]);
  });

  test('pass by half a line, and tell of what is none', async () => {
    const { writer, read, logs, name, blobs } = await world();
    await writer().append({ n: 1 });
    const blob = logs.getAppendBlobClient(`${name}/${(await blobs())[0]?.name}`);
    await blob.appendBlock('2026-01-05T08:00:01.0000000Z {"n"', 33);
    assert.deepEqual(await read(0, 60), [1]);
    const skipped: string[] = [];
    const onSkipped = ({ reason, text }: { reason: string; text: string }) =>
      void skipped.push(`${reason}: ${text}`);
    await read(0, 60, { onSkipped });
    assert.deepEqual(skipped, ['it is half a line: 2026-01-05T08:00:01.0000000Z {"n"']);
    await blob.appendBlock(':"x"}\nnothing\n', 14);
    await rejects(read(0, 60), 'RowUnreadable');
    skipped.length = 0;
    assert.deepEqual(await read(0, 60, { onSkipped }), [1]);
    assert.equal(skipped.length, 2);
  });

  test('are read minute by minute, each line of many once, by names and in halves', async () => {
    const { name } = await world();
    const isLong = process.env.SHELFMARK_LONG !== undefined;
    // Another server says the same of a million lines as of fewer: how many requests each minute takes.
    const isWhole = peer.name === 'memory' || process.env.PATTERN_FULL !== undefined;
    const log: ManyLines = {
      connectionString: peer.connectionString(),
      container,
      name,
      lines: isLong ? (isWhole ? 1_000_000 : 100_000) : 4_000,
      minutes: isLong ? (isWhole ? 120 : 12) : 12,
    };
    const read = isLong ? await readInThread(log) : await readManyLines(log);
    assert.equal(read.lines, log.lines);
    // A listing, halves of an hour, and what is read.
    assert(read.requests >= 2 && read.requests <= 16, `${read.requests} requests`);
  });

  test('by days are read as those by hours, and taken away when they are old', async () => {
    const { clock, writer, read, blobs } = await world({ every: 'day' });
    const log = writer();
    for (let n = 0; n < 4; n++) {
      await log.append({ n });
      clock.now += 12 * 3_600_000;
    }
    assert.equal((await blobs()).length, 2);
    assert.deepEqual(await read(0, 100 * 60), [0, 1, 2, 3]);
    assert.deepEqual(await read(11 * 60, 25 * 60), [1, 2]);
    // The fifth of January ends at midnight.
    assert.equal(await writer().expire(at(16 * 60 - 1)), 0);
    assert.equal(await writer().expire(at(16 * 60)), 1);
    assert.deepEqual(await read(0, 100 * 60), [2, 3]);
  });

  test('refuse what they cannot be', async () => {
    const { writer } = await world();
    const log = writer();
    await rejects(log.append({ n: 'x' } as never), 'ValueInvalid');
    await rejects(log.append(undefined as never), 'ValueInvalid');
    const overhead = 28 + 1 + '{"n":1,"text":""}'.length + 1;
    await log.append({ n: 1, text: 'x'.repeat(4_194_304 - overhead - 1) });
    await log.append({ n: 1, text: 'x'.repeat(4_194_304 - overhead) });
    await rejects(log.append({ n: 1, text: 'x'.repeat(4_194_304 - overhead + 1) }), 'TooLarge', {
      what: 'block',
      size: 4_194_305,
    });
    const db = peer.open();
    const define = (more: object, of = db) =>
      logBook(of, 'book', Entry, { container, every: 'hour', durable: 'each', ...more });
    assert.throws(() => define({}, open({ tables: peer.client() })), /needs a BlobServiceClient/);
    assert.throws(() => define({ every: 'week' }), /of an hour or a day, not of a week/);
    assert.throws(() => define({ durable: { milliseconds: 0, bytes: 1 } }), /1 millisecond or more/);
    assert.throws(() => define({ durable: { milliseconds: 1, bytes: 0 } }), /from 1 to 4194304 bytes, not 0/);
    define({ durable: { milliseconds: 1, bytes: 4_194_304 } });
    assert.throws(() => define({ durable: { milliseconds: 1, bytes: 4_194_305 } }), /not 4194305/);
    assert.throws(
      () => logBook(db, 'Book', Entry, { container, every: 'hour', durable: 'each' }),
      /named by small letters/,
    );
  });
});
