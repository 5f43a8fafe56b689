// Two processes that both open one directory as exclusive, and both use a log: whatever they do to each other,
// everything acknowledged is there, and nothing was done twice. And a copy of a store while its log is being written.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '#base/testing/until';
import type { Space, Store, StoreError } from '#store';
import { checkFile } from './check/check.js';
import { checkSnapshot, copySnapshot } from './check/snapshot.js';
import { openLmdbStore } from './lmdb-store.js';
import { NO_INSPECTION, newDirectory, openSpace } from './testing/fixture.js';
import { LineProcess } from './testing/line-process.js';
import { LOG_NAME } from './wal/log-file.js';
import { readLog } from './wal/read-log.js';

const WRITER = fileURLToPath(new URL('./testing/exclusive-writer.js', import.meta.url));
const ROWS = ['a', 'b', 'c', 'd', 'e'];
/** Tasks of one process, each with one commit in flight. */
const TASKS_OF_A_ROW_MAX = 2;
const isLong = process.env.SHELFMARK_LONG === '1';
const ROUNDS = isLong ? 8 : 1;

const writer = (t: TestContext, directory: string, openings: number, milliseconds: number): LineProcess =>
  new LineProcess(t, './exclusive-writer.js', [directory, openings, milliseconds]);

const isOver = ({ lines }: LineProcess): boolean => lines.at(-1) === 'over 0';

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
async function judge(directory: string, writers: readonly LineProcess[]): Promise<void> {
  const ends = await countsOf(directory);
  for (const row of ROWS) {
    const answers = writers.flatMap(({ lines }) => lines.filter(line => line.startsWith(`${row} `)));
    const counts = answers.filter(line => line !== `${row} unknown`);
    const end = ends.get(row) ?? 0;
    const missing = end - counts.length;
    const text = `row ${row}: ${counts.length} answers, it ends with ${end}`;
    assert.equal(new Set(counts).size, counts.length, `${text}; one count was given twice`);
    const killed = writers.filter(each => !isOver(each)).length;
    const unanswered = answers.length - counts.length + killed * TASKS_OF_A_ROW_MAX;
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
    const writers = [writer(t, directory, 4, 120), writer(t, directory, 4, 120)];
    for (const each of writers) await each.ended;
    assert(writers.every(isOver));
    await judge(directory, writers);
  }
});

test('one process opens after the log of the other has begun, stops for a while, and continues', {
  skip: !isLong,
}, async t => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = newDirectory(t);
    const first = writer(t, directory, 1, isLong ? 3000 : 1200);
    await first.more(300);
    first.signal('SIGSTOP');
    const second = writer(t, directory, isLong ? 2 : 1, 500);
    // A process stopped with the write lock keeps it.
    await Promise.race([second.more(200), wait(1000)]);
    await wait(isLong ? 1000 * Math.random() : 100);
    first.signal('SIGCONT');
    await second.ended;
    await first.ended;
    assert(isOver(first) && isOver(second));
    await judge(directory, [first, second]);
  }
});

test('one is killed in the middle, with its log, while the other writes', { skip: !isLong }, async t => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = newDirectory(t);
    const first = writer(t, directory, 1, 2000);
    if (round % 2 === 0) await first.more(300);
    const second = writer(t, directory, 2, 300);
    await second.more(100);
    first.signal('SIGKILL');
    await first.ended;
    await second.ended;
    await judge(directory, [first, second]);
  }
});

test('a copy of a store whose log is being written has everything answered before', async t => {
  const directory = newDirectory(t);
  const owner = writer(t, directory, 1, 60_000);
  for (let copy = 0; copy < 3; copy += 1) {
    await owner.more(100);
    const answered = ROWS.map(row => owner.lines.filter(line => line.startsWith(`${row} `)).length);
    const to = newDirectory(t);
    await copySnapshot(directory, join(to, 'data.mdb'));
    assert.deepEqual(readdirSync(to), ['data.mdb']);
    const report = await checkFile(join(to, 'data.mdb'), NO_INSPECTION);
    assert.deepEqual([report.findings, report.loggedChanges], [[], 0]);
    const counts = [...(await countsOf(to)).values()];
    assert(
      counts.every((count, row) => count >= (answered[row] ?? 0)),
      `${counts} of ${answered}`,
    );
    assert.deepEqual((await checkSnapshot(directory, NO_INSPECTION)).findings, []);
  }
  const before = owner.lines.length;
  await owner.more(1);
  assert(owner.lines.length > before, 'it writes on');
});
