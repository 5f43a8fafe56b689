// Two processes that both open one directory as exclusive, and both use a log: whatever they do to each other,
// everything acknowledged is there, and nothing was done twice.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '#base/testing/until';
import type { Space, Store, StoreError } from '#store';
import { openLmdbStore } from './lmdb-store.js';
import { newDirectory, openSpace } from './testing/fixture.js';
import { LOG_NAME } from './wal/log-file.js';
import { readLog } from './wal/read-log.js';

const WRITER = fileURLToPath(new URL('./testing/exclusive-writer.js', import.meta.url));
const ROWS = ['a', 'b', 'c', 'd', 'e'];
/** Tasks of one process, each with one commit in flight. */
const TASKS_OF_A_ROW_MAX = 2;
const isLong = process.env.SHELFMARK_LONG === '1';
const ROUNDS = isLong ? 8 : 1;

/** A process, and the answers that it got. */
class Writer {
  readonly counts = new Map<string, number[]>(ROWS.map(row => [row, []]));
  readonly unknown = new Map<string, number>(ROWS.map(row => [row, 0]));
  isOver = false;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #answers = 0;
  #reached: (() => void) | undefined;
  #wanted = Number.POSITIVE_INFINITY;

  constructor(t: TestContext, directory: string, openings: number, milliseconds: number) {
    const args = [WRITER, directory, String(openings), String(milliseconds)];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => this.#child.kill('SIGKILL'));
    this.#ended = this.#listen();
  }

  /** Fulfilled after this many more answers, or when the process ends. */
  async answer(count: number): Promise<void> {
    if (this.isOver) return;
    this.#wanted = this.#answers + count;
    await Promise.race([
      this.#ended,
      new Promise<void>(reached => {
        this.#reached = reached;
      }),
    ]);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  ended(): Promise<void> {
    return this.#ended;
  }

  async #listen(): Promise<void> {
    const closed = once(this.#child, 'close');
    assert(this.#child.stdout !== null);
    for await (const line of createInterface({ input: this.#child.stdout })) {
      const [row = '', count = ''] = line.split(' ');
      if (row === 'over') this.isOver = true;
      else if (count === 'unknown') this.unknown.set(row, (this.unknown.get(row) ?? 0) + 1);
      else this.counts.get(row)?.push(Number(count));
      this.#answers += 1;
      if (this.#answers >= this.#wanted) this.#reached?.();
    }
    await closed;
  }
}

async function countsOf(directory: string): Promise<ReadonlyMap<string, number>> {
  const store = await openLmdbStore({ directory });
  const space = await openSpace(store);
  const counts = new Map<string, number>();
  for (const row of ROWS) {
    const [found] = await store.read(space, row, [row]);
    counts.set(row, Number(found?.value.subarray(0, 8).toString() ?? 0));
  }
  await store.close();
  return counts;
}

/** Each count was returned once, and there are as many as the rows say, except those whose answer was lost. */
async function judge(directory: string, writers: readonly Writer[]): Promise<void> {
  const ends = await countsOf(directory);
  for (const row of ROWS) {
    const counts = writers.flatMap(writer => writer.counts.get(row) ?? []);
    const end = ends.get(row) ?? 0;
    const missing = end - counts.length;
    const text = `row ${row}: ${counts.length} answers, it ends with ${end}`;
    assert.equal(new Set(counts).size, counts.length, `${text}; one count was given twice`);
    const unanswered = writers.reduce(
      (sum, writer) => sum + (writer.unknown.get(row) ?? 0) + (writer.isOver ? 0 : TASKS_OF_A_ROW_MAX),
      0,
    );
    assert(missing >= 0 && missing <= unanswered, `${text}; at most ${unanswered} had no answer`);
  }
}

const put = (store: Store, space: Space, key: string): Promise<boolean | undefined> =>
  store.commit(space, 'own', { keys: [key] }, ({ keys }) => ({
    result: keys[0] === undefined,
    puts: [{ key, value: Buffer.from(key) }],
  }));

/** Runs another process from start to exit while this one stands still. */
function spendOther(directory: string, milliseconds: number): void {
  const args = [WRITER, directory, '1', String(milliseconds)];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

test('a log that is fenced off while a record is on its way to the disk', async t => {
  for (const [isTakenTwice, answer] of [
    // The process that took the log over saw its record.
    [false, true],
    // The outcome can no longer be known.
    [true, 'busy'],
  ] as const) {
    const directory = newDirectory(t);
    const store = await openLmdbStore({ directory, exclusive: true }, { logAfter: 0 });
    const space = await openSpace(store);
    await put(store, space, 'before');
    const log = join(directory, LOG_NAME);
    await until('the log is in use', async () => {
      await put(store, space, 'logged');
      return existsSync(log) && readLog(log, 1n).length > 0;
    });
    const answering = put(store, space, 'last').catch((error: StoreError) => error.code);
    // Its record is being written.
    await nextTurn();
    // With 0 ms it opens the store and closes it; with more it begins a log of its own.
    spendOther(directory, isTakenTwice ? 300 : 0);
    const late = put(store, space, 'late');
    assert.equal(await answering, answer);
    assert.equal(await late, true);
    const rows = await store.read(space, 'own', ['before', 'logged', 'last', 'late']);
    assert(rows.every(row => row !== undefined));
    assert.equal(await put(store, space, 'last'), false);
    await store.close();
  }
});

test('two that open the store again and again', { skip: !isLong }, async t => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = newDirectory(t);
    const writers = [new Writer(t, directory, 4, 120), new Writer(t, directory, 4, 120)];
    for (const writer of writers) await writer.ended();
    assert(writers.every(({ isOver }) => isOver));
    await judge(directory, writers);
  }
});

test('one process opens after the log of the other has begun, stops for a while, and continues', {
  skip: !isLong,
}, async t => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = newDirectory(t);
    const first = new Writer(t, directory, 1, isLong ? 3000 : 1200);
    await first.answer(300);
    first.signal('SIGSTOP');
    const second = new Writer(t, directory, isLong ? 2 : 1, 500);
    // A process stopped with the write lock keeps it.
    await Promise.race([second.answer(200), wait(1000)]);
    await wait(isLong ? 1000 * Math.random() : 100);
    first.signal('SIGCONT');
    await second.ended();
    await first.ended();
    assert(first.isOver && second.isOver);
    await judge(directory, [first, second]);
  }
});

test('one is killed in the middle, with its log, while the other writes', { skip: !isLong }, async t => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = newDirectory(t);
    const first = new Writer(t, directory, 1, 2000);
    if (round % 2 === 0) await first.answer(300);
    const second = new Writer(t, directory, 2, 300);
    await second.answer(100);
    first.signal('SIGKILL');
    await first.ended();
    await second.ended();
    await judge(directory, [first, second]);
  }
});
