// Logs in append blobs: each entry once, read by time, over hours, blobs and writers, with lost answers and broken ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { until } from '#base/testing/until';
import { Instant, open } from '#patterns';
import { connect, type LogDurability } from '#patterns/internals';
import { logBook } from '#patterns/logbook';
import type { Surroundings } from '../../../packages/patterns/concurrency/surroundings.js';
import { LogBook } from '../../../packages/patterns/logbook/log-book.js';
import { collect } from '../support/collect.js';
import { type FaultPlan, FaultyClient } from '../support/faulty-client.js';
import { describePeers } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const container = 'logs';
const Entry = z.object({ n: z.number(), text: z.string().optional() });
const START = Date.UTC(2026, 0, 5, 8);
const MINUTE = 60_000;
const at = (minutes: number): Instant => Instant.fromDate(new Date(START + MINUTE * minutes));
const upTo = (count: number): number[] => [...Array(count).keys()];

/** Pauses before another attempt end at once, and the timer of a buffer never. */
const pause = (milliseconds: number): Promise<void> =>
  milliseconds < 1e6 ? Promise.resolve() : new Promise(() => undefined);

interface WorldOptions {
  readonly durable?: LogDurability;
  readonly blocksMax?: number;
  readonly every?: 'hour' | 'day';
  readonly plan?: FaultPlan;
  readonly sleep?: Surroundings['sleep'];
}

let books = 0;

describePeers('log books', peer => {
  const world = async ({
    durable = 'each',
    every = 'hour',
    plan,
    blocksMax,
    sleep = pause,
  }: WorldOptions = {}) => {
    const name = `book${++books}`;
    const logs = peer.blobs().getContainerClient(container);
    await logs.createIfNotExists();
    const clock = { now: START };
    const http = new FaultyClient(plan);
    /** One more writer of the same book. */
    const writer = () => {
      const clients = { tables: peer.client(), blobs: peer.blobs(http) };
      const service = connect(clients, { now: () => clock.now, sleep });
      return new LogBook(service as never, name, Entry, { container, every, durable }, blocksMax);
    };
    const read = async (from: number, to: number, options = {}) =>
      (await collect(writer().read(at(from), at(to), options))).map(({ value }) => value.n);
    const blobs = async () => {
      const found = await collect(logs.listBlobsFlat({ prefix: `${name}/`, includeMetadata: true }));
      return found.map(({ name: blob, metadata = {} }) => ({
        name: blob.slice(name.length + 1),
        metadata,
        client: logs.getAppendBlobClient(blob),
      }));
    };
    const firstBlob = async () => (await blobs())[0]?.client ?? assert.fail();
    return { http, clock, writer, read, blobs, firstBlob };
  };

  test('have each entry when its append ends, in a blob of the hour', async () => {
    const { clock, writer, read, blobs, firstBlob } = await world();
    const log = writer();
    for (let n = 0; n < 6; n++) {
      await log.append({ n });
      clock.now += 15 * MINUTE;
    }
    const open = (await blobs()).map(({ name, metadata }) => [
      name.replace(/[0-9a-z]{8}-/, 'writer-'),
      metadata.first,
      metadata.last,
    ]);
    assert.deepEqual(open, [
      ['2026/01/05/0800/writer-000001.log', '2026-01-05T08:00:00.0000000Z', '2026-01-05T08:45:00.0000000Z'],
      ['2026/01/05/0900/writer-000001.log', '2026-01-05T09:00:00.0000000Z', undefined],
    ]);
    await log.close();
    assert.equal((await blobs())[1]?.metadata.last, '2026-01-05T09:15:00.0000000Z');
    const text = (await (await firstBlob()).downloadToBuffer()).toString();
    assert.equal(text.split('\n')[1], '2026-01-05T08:15:00.0000000Z {"n":1}');
    // The end is not included.
    for (const [from, to, expected] of [
      [0, 120, [0, 1, 2, 3, 4, 5]],
      [15, 45, [1, 2]],
      [45, 61, [3, 4]],
      [76, 600, []],
    ] as const)
      assert.deepEqual(await read(from, to), expected);
    await rejects(log.append({ n: 7 }), 'ValueInvalid');
  });

  test('take entries at once, which go together', async () => {
    const { writer, read, firstBlob } = await world();
    const log = writer();
    const times = await Promise.all(upTo(500).map(n => log.append({ n })));
    assert.equal(new Set(times.map(String)).size, 500);
    assert.deepEqual(await read(0, 60), upTo(500));
    const { blobCommittedBlockCount = 0 } = await (await firstBlob()).getProperties();
    assert(blobCommittedBlockCount <= 10, `${blobCommittedBlockCount} blocks`);
  });

  test('are written by several writers beside each other, and read in one order', async () => {
    const { clock, writer, blobs } = await world();
    const writers = [writer(), writer(), writer()];
    for (const n of upTo(30)) {
      await writers[n % 3]?.append({ n });
      clock.now += 1_000;
    }
    assert.equal((await blobs()).length, 3);
    const found = await collect(writer().read(at(0), at(60)));
    assert.deepEqual(
      found.map(({ value }) => value.n),
      upTo(30),
    );
    assert.equal(new Set(found.map(each => each.writer)).size, 3);
  });

  for (const [count, names] of [
    [2, 1],
    [3, 1],
    [4, 2],
    [7, 3],
  ] as const)
    test(`go on in another blob when one has its blocks: ${count} blocks`, async () => {
      const { writer, read, blobs } = await world({ blocksMax: 3 });
      const log = writer();
      for (const n of upTo(count)) await log.append({ n });
      assert.equal((await blobs()).length, names);
      assert.deepEqual(await read(0, 60), upTo(count));
    });

  for (const fault of ['reset after', 'busy after', 'failed after', 'reset before'] as const)
    test(`have each entry once though answers are lost: ${fault}`, async () => {
      const plan: FaultPlan = n => (n % 3 === 1 || n === 6 || n === 8 ? fault : undefined);
      const { writer, read } = await world({ plan });
      const log = writer();
      for (const n of upTo(8)) await log.append({ n });
      await log.close();
      assert.deepEqual(await read(0, 60), upTo(8));
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
    // By age, in real time.
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
      plan: () => (isDown ? 'reset before' : undefined),
    });
    const log = writer();
    await log.append({ n: 0 });
    await rejects(log.flush(), 'Unreachable');
    isDown = false;
    await log.append({ n: 1 });
    await log.close();
    assert.deepEqual(await read(0, 60), [0, 1]);
  });

  test('send what was buffered again by themselves, and a flush that does is none that failed', async () => {
    let isDown = true;
    const plan: FaultPlan = () => (isDown ? 'reset before' : undefined);
    const { http, writer, read } = await world({ durable: { milliseconds: 10, bytes: 1_000 }, plan });
    const log = writer();
    await log.append({ n: 0 });
    const attempts = await http.counted(() => rejects(log.flush(), 'Unreachable'));
    const { count } = http;
    await until('a failure that nothing waits for', () => http.count >= count + 2 * attempts);
    isDown = false;
    await until('the entry', async () => (await read(0, 60)).length > 0);
    await log.flush();
    await log.close();
  });

  test('that cannot be written are sent again after idle pauses of a second or more, and new entries after theirs', async () => {
    let isDown = true;
    const sleeps: (readonly [milliseconds: number, isIdle: boolean | undefined])[] = [];
    let [wake] = [(): void => undefined];
    const sleep: Surroundings['sleep'] = (milliseconds, signal, isIdle) => {
      // Pauses of the client before another attempt.
      if (signal === undefined) return Promise.resolve();
      sleeps.push([milliseconds, isIdle]);
      return new Promise(resolve => {
        wake = resolve;
      });
    };
    const plan: FaultPlan = () => (isDown ? 'reset before' : undefined);
    const { writer, read } = await world({ durable: { milliseconds: 10, bytes: 1_000 }, plan, sleep });
    const log = writer();
    await log.append({ n: 0 });
    await rejects(log.flush(), 'Unreachable');
    const woken = wake;
    await log.append({ n: 1 });
    // The pause before it was ended, and a program's own pause may come back for all that.
    woken();
    wake();
    await until('another pause', async () => sleeps.length > 3);
    assert.deepEqual(sleeps, [
      [10, false],
      [1_000, true],
      [10, false],
      [1_000, true],
    ]);
    isDown = false;
    wake();
    await until('the entries', async () => (await read(0, 60)).length > 1);
    await log.close();
    assert.deepEqual(await read(0, 60), [0, 1]);
  });

  for (const durable of ['each', { milliseconds: 1e9, bytes: 1_000 }] as const)
    test(`go on in another blob when one was deleted: ${durable === 'each' ? durable : 'buffered'}`, async () => {
      const { writer, read, firstBlob } = await world({ durable });
      const log = writer();
      await log.append({ n: 0 });
      await log.flush();
      await (await firstBlob()).delete();
      await log.append({ n: 1 });
      await log.close();
      assert.deepEqual(await read(0, 60), [1]);
    });

  test('pass by half a line, and tell of what is none', async () => {
    const { writer, read, firstBlob } = await world();
    await writer().append({ n: 1 });
    const blob = await firstBlob();
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
    const lines = process.env.SHELFMARK_LONG === undefined ? 4_000 : 100_000;
    const durable = { milliseconds: 1e9, bytes: 4 * 1_048_576 };
    const { http, clock, writer, read } = await world({ durable });
    const log = writer();
    for (const n of upTo(lines)) {
      clock.now = START + Math.floor((n * 12 * MINUTE) / lines);
      await log.append({ n, text: 'x'.repeat(60) });
    }
    await log.close();
    let expected = 0;
    for (const minute of upTo(12)) {
      http.count = 0;
      for (const n of await read(minute, minute + 1)) assert.equal(n, expected++);
      assert.equal(expected, Math.ceil(((minute + 1) * lines) / 12));
      // A listing, halves of an hour, and what is read.
      assert(http.count >= 2 && http.count <= 16, `${http.count} requests`);
    }
  });

  test('by days are read as those by hours, and taken away when they are old', async () => {
    const { clock, writer, read, blobs } = await world({ every: 'day' });
    const log = writer();
    for (const n of upTo(4)) {
      await log.append({ n });
      clock.now += 12 * 60 * MINUTE;
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
    for (const value of [{ n: 'x' }, undefined]) await rejects(log.append(value as never), 'ValueInvalid');
    const room = 4_194_304 - (28 + 1 + '{"n":1,"text":""}'.length + 1);
    for (const length of [room - 1, room]) await log.append({ n: 1, text: 'x'.repeat(length) });
    const larger = log.append({ n: 1, text: 'x'.repeat(room + 1) });
    await rejects(larger, 'TooLarge', { what: 'block', size: 4_194_305 });
    const db = peer.open();
    const define = (more: object, { of = db, name = 'book' } = {}) =>
      logBook(of, name, Entry, { container, every: 'hour', durable: 'each', ...more });
    const buffered = (milliseconds: number, bytes: number) => ({ durable: { milliseconds, bytes } });
    for (const [body, reason] of [
      [() => define({}, { of: open({ tables: peer.client() }) }), /needs a BlobServiceClient/],
      [() => define({ every: 'week' }), /of an hour or a day, not of a week/],
      [() => define(buffered(0, 1)), /1 millisecond or more/],
      [() => define(buffered(1, 0)), /from 1 to 4194304 bytes, not 0/],
      [() => define(buffered(1, 4_194_305)), /not 4194305/],
      [() => define({}, { name: 'Book' }), /named by small letters/],
    ] as const)
      assert.throws(body, reason);
    define(buffered(1, 4_194_304));
  });
});
