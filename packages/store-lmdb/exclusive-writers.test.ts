// Two processes that both open one directory as exclusive, and both use a log: whatever they do to each other,
// everything acknowledged is there, and nothing was done twice. And a copy of a store while its log is being written.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { until } from '#base/testing/until';
import type { Space, Store, StoreError } from '#store';
import { checkFile } from './check/check.js';
import { checkSnapshot, copySnapshot } from './check/snapshot.js';
import { openLmdbStore } from './lmdb-store.js';
import { ADDRESS, NO_INSPECTION, newDirectory, openSpace } from './testing/fixture.js';
import { OtherProcess, type Scope } from './testing/other-process.js';
import { LOG_NAME } from './wal/log-file.js';
import { readLog } from './wal/read-log.js';

const MODULE = new URL('./index.js', import.meta.url).href;
const ROWS = ['a', 'b', 'c', 'd', 'e'];
/** Tasks of one process, each with one commit in flight. */
const TASKS_OF_A_ROW_MAX = 2;
const isLong = process.env.SHELFMARK_LONG === '1';
const ROUNDS = isLong ? 8 : 1;

/**
 * Opens a directory as exclusive, with a log from its first commit on, again and again. Its tasks count rows up, each
 * commit from what it reads, with a line for each answer: the row and its new count, or `unknown` where the store could
 * not find out. The clock stands still: a tick that depends only on what this process has seen is no later than
 * another's rows.
 */
async function countUp({ modules, say }: Scope, directory: string, openings: number, milliseconds: number) {
  const options = { directory, exclusive: true, clock: () => 1n };
  for (let opening = 0; opening < openings; opening += 1) {
    const store = await modules.openLmdbStore(options, { logAfter: 0 });
    const space = await modules.openSpace(store);
    const until = performance.now() + milliseconds * (0.5 + Math.random());
    const increment = (key: string) =>
      store.commit(space, key, { keys: [key] }, ({ keys }, tick) => {
        if (keys[0] !== undefined && keys[0].version >= tick) throw new Error('The version does not rise.');
        const count = Number(keys[0]?.value.subarray(0, 8).toString() ?? 0) + 1;
        const value = Buffer.alloc(300 + (count % 5) * 2000);
        value.write(String(count).padStart(8, '0'));
        return { result: count, puts: [{ key, value }] };
      });
    const task = async (key: string): Promise<void> => {
      while (performance.now() < until) {
        const answered = increment(key).catch((error: StoreError) => {
          if (error.code !== 'busy') throw error;
          return 'unknown';
        });
        say(`${key} ${await answered}`);
      }
    };
    // Tasks of one row conflict; tasks of several rows share batches.
    await Promise.all(['a', 'a', 'b', 'c', 'd', 'e'].map(task));
    await store.close();
  }
  say('over 0');
}

interface Writer {
  readonly other: OtherProcess;
  /** Rejects if it is killed. */
  readonly counting: Promise<void>;
}

function writer(t: TestContext, directory: string, openings: number, milliseconds: number): Writer {
  const other = new OtherProcess(t);
  return { other, counting: other.run(countUp, directory, openings, milliseconds) };
}

const isOver = ({ other }: Writer): boolean => other.lines.at(-1) === 'over 0';

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
    const answers = writers.flatMap(({ other }) => other.lines.filter(line => line.startsWith(`${row} `)));
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

/** Another process that opens the store and writes for so long, if at all, while this one stands still. */
function spendOther(directory: string, milliseconds: number): void {
  const script = `
    import { openLmdbStore } from ${JSON.stringify(MODULE)};
    const store = await openLmdbStore({ directory: process.argv[1], exclusive: true }, { logAfter: 0 });
    const space = await store.getSpace(${JSON.stringify(ADDRESS)});
    const puts = [{ key: 'k', value: Buffer.alloc(300) }];
    for (const until = performance.now() + ${milliseconds}; performance.now() < until; )
      await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
    await store.close();
  `;
  const args = ['--input-type=module', '-e', script, directory];
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
    for (const { counting } of writers) await counting;
    await judge(directory, writers);
  }
});

test('one process opens after the log of the other has begun, stops for a while, and continues', {
  skip: !isLong,
}, async t => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = newDirectory(t);
    const first = writer(t, directory, 1, isLong ? 3000 : 1200);
    await first.other.more(300);
    first.other.signal('SIGSTOP');
    const second = writer(t, directory, isLong ? 2 : 1, 500);
    // A process stopped with the write lock keeps it.
    await Promise.race([second.other.more(200), wait(1000)]);
    await wait(isLong ? 1000 * Math.random() : 100);
    first.other.signal('SIGCONT');
    await Promise.all([first.counting, second.counting]);
    await judge(directory, [first, second]);
  }
});

test('one is killed in the middle, with its log, while the other writes', { skip: !isLong }, async t => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = newDirectory(t);
    const first = writer(t, directory, 1, 2000);
    if (round % 2 === 0) await first.other.more(300);
    const second = writer(t, directory, 2, 300);
    await second.other.more(100);
    await first.other.kill();
    await second.counting;
    await judge(directory, [first, second]);
  }
});

test('a copy of a store whose log is being written has everything answered before', async t => {
  const directory = newDirectory(t);
  const { other: owner } = writer(t, directory, 1, 60_000);
  for (let copy = 0; copy < 3; copy += 1) {
    await owner.more(100);
    const answered = ROWS.map(row => owner.lines.filter(line => line.startsWith(`${row} `)).length);
    const to = newDirectory(t);
    await copySnapshot(directory, join(to, 'data.mdb'));
    assert.deepEqual(readdirSync(to), ['data.mdb']);
    const report = await checkFile(join(to, 'data.mdb'), NO_INSPECTION);
    assert.deepEqual([report.findings, report.notes], [[], []]);
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
