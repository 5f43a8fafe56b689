// What takes more than one process to test: a kill, a limit on the size of the file, two writers of one directory.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { collectRows, type Space, type Store } from '#store';
import { openLmdbStore } from './lmdb-store.js';
import { ADDRESS, EVERYTHING, newDirectory, openSpace, put, UNBOUNDED } from './testing/fixture.js';

const MODULE = new URL('./index.js', import.meta.url).href;

/** Common start of the children's scripts. */
const PRELUDE = `
  import { readdirSync, writeSync } from 'node:fs';
  import { openLmdbStore } from ${JSON.stringify(MODULE)};
  const store = await openLmdbStore({ directory: process.argv[1], exclusive: process.argv[2] === 'alone' });
  const address = ${JSON.stringify(ADDRESS)};
  const space = (await store.createSpace(address, Buffer.alloc(0))) ?? (await store.getSpace(address));
`;

interface RunOptions {
  readonly fileBlocksMax?: number;
  readonly exclusive?: boolean;
}

function run(
  script: string,
  directory: string,
  { fileBlocksMax, exclusive = false }: RunOptions = {},
): ChildProcess {
  const mode = exclusive ? 'alone' : 'shared';
  const node = [process.execPath, '--input-type=module', '-e', PRELUDE + script, directory, mode];
  const limited = ['sh', '-c', `ulimit -f ${fileBlocksMax} && exec "$@"`, 'sh', ...node];
  const [command = '', ...args] = fileBlocksMax === undefined ? node : limited;
  return spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function* linesOf(child: ChildProcess): AsyncGenerator<string> {
  assert(child.stdout !== null);
  yield* createInterface({ input: child.stdout });
}

/** The output of a program before it failed. */
async function failureOf(child: ChildProcess): Promise<string> {
  const [said, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
  return code === 0 ? '' : `ended with ${code}: ${said}`;
}

async function openStore(directory: string): Promise<{ store: Store; space: Space }> {
  const store = await openLmdbStore({ directory });
  const space = await openSpace(store);
  return { store, space };
}

async function keysOf(store: Store, space: Space): Promise<string[]> {
  const page = await collectRows(store, space, EVERYTHING, UNBOUNDED);
  return page.rows.map(row => row.key);
}

const isLong = process.env.SHELFMARK_LONG === '1';
/** An exclusive process runs these only with SHELFMARK_LONG (npm run verify processes). */
for (const exclusive of [false, true]) {
  const who = exclusive ? 'the only writer' : 'a writer';

  test(`law 5: what ${who} has acknowledged survives a kill, and a commit is there whole or not at all`, {
    skip: exclusive && !isLong,
  }, async t => {
    const directory = newDirectory(t);
    const script = `
    const value = Buffer.alloc(2000, 'v');
    const write = async writer => {
      for (let round = 0; ; round += 1) {
        const name = writer + '.' + round;
        const puts = ['a', 'b', 'c'].map(part => ({ key: name + part, value }));
        await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
        process.stdout.write(name + '\\n');
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
  `;
    for (let round = 0; round < 3; round += 1) {
      const child = run(script, directory, { exclusive });
      const answered: string[] = [];
      for await (const line of linesOf(child)) {
        answered.push(line);
        if (answered.length === 200 + round * 37) child.kill('SIGKILL');
      }
      const { store, space } = await openStore(directory);
      const keys = new Set(await keysOf(store, space));
      for (const name of answered) {
        for (const part of ['a', 'b', 'c']) assert(keys.has(name + part), `${name}${part} was answered`);
      }
      for (const key of keys) {
        for (const part of ['a', 'b', 'c']) assert(keys.has(key.slice(0, -1) + part), `${key} is not alone`);
      }
      await store.close();
    }
  });
}

/** exclusive-writers.test.ts has two that believe to be alone. */
test('two processes that write to one directory make one history', async t => {
  const directory = newDirectory(t);
  const script = `
    const increment = () =>
      store.commit(space, 'p', { keys: ['k'] }, ({ keys }, tick) => {
        if (keys[0] !== undefined && keys[0].version >= tick) throw new Error('the version does not rise');
        const count = Number(keys[0]?.value.toString() ?? 0) + 1;
        return { result: count, puts: [{ key: 'k', value: Buffer.from(String(count)) }] };
      });
    for (let round = 0; round < 20; round += 1) {
      const counts = await Promise.all(Array.from({ length: 10 }, increment));
      const name = process.pid + '.' + round;
      console.log([(await store.createSpace({ ...address, name }, Buffer.alloc(0))).id, ...counts].join(' '));
    }
    await store.close();
  `;
  const children = [run(script, directory), run(script, directory)];
  const ids: number[] = [];
  const counts: number[] = [];
  const gather = async (child: ChildProcess) => {
    for await (const line of linesOf(child)) {
      const [id = 0, ...more] = line.split(' ').map(Number);
      ids.push(id);
      counts.push(...more);
    }
  };
  const failures = Promise.all(children.map(failureOf));
  await Promise.all(children.map(gather));
  assert.deepEqual(await failures, ['', '']);
  assert.deepEqual([ids.length, new Set(ids).size], [40, 40], 'no id of a space was given twice');
  const all = Array.from({ length: 400 }, (_, index) => index + 1);
  assert.deepEqual(
    counts.toSorted((a, b) => a - b),
    all,
  );
  const { store, space } = await openStore(directory);
  const [row] = await store.read(space, 'p', ['k']);
  await store.close();
  assert.equal(row?.value.toString(), '400');
});

test('what one process has acknowledged, another one reads at once, however busy it is reading', async t => {
  const directory = newDirectory(t);
  const script = `
    for (let round = 1; round <= 300; round += 1) {
      const puts = [{ key: 'k', value: Buffer.from(String(round)) }];
      await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
      process.stdout.write(round + '\\n');
      await new Promise(resolve => setTimeout(resolve, 1));
    }
    await store.close();
  `;
  const { store, space } = await openStore(directory);
  const read = async () => {
    const [row] = await store.read(space, 'p', ['k']);
    return Number(row?.value.toString() ?? 0);
  };
  let isOver = false;
  const busy = async () => {
    while (!isOver) {
      await read();
      await new Promise<void>(resolve => {
        setImmediate(resolve);
      });
    }
  };
  const reading = busy();
  for await (const line of linesOf(run(script, directory))) assert((await read()) >= Number(line));
  isOver = true;
  await reading;
  await store.close();
});

test('a process killed with the write lock leaves it to the others, and none of its changes', async t => {
  const directory = newDirectory(t);
  const script = `
    const puts = [{ key: 'torn', value: Buffer.alloc(3000) }];
    void store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
    await store.commit(space, 'p', { keys: [] }, () => {
      writeSync(1, 'inside\\n');
      for (;;);
    });
  `;
  const { store, space } = await openStore(directory);
  const count = (round: number) =>
    store.commit(space, 'p', { keys: [] }, () => ({
      result: round,
      puts: [{ key: `${round}`, value: Buffer.alloc(0) }],
    }));
  for (let round = 0; round < 3; round += 1) {
    const child = run(script, directory);
    const closed = once(child, 'close');
    let late: Promise<unknown> | undefined;
    for await (const line of linesOf(child)) {
      assert.equal(line, 'inside');
      // Waits for the write lock that the child will never release.
      late = count(round);
      await new Promise(resolve => setTimeout(resolve, 20));
      child.kill('SIGKILL');
    }
    await closed;
    assert.equal(await late, round);
  }
  assert.deepEqual(await keysOf(store, space), ['0', '1', '2']);
  await store.close();
});

test('a file that grew in one process is read and written by another that had it open before', async t => {
  const directory = newDirectory(t);
  const { store, space } = await openStore(directory);
  const script = `
    const value = Buffer.alloc(4 * 1024 ** 2, 'v');
    for (let round = 0; round < 10; round += 1) {
      const puts = [{ key: String(round), value }];
      await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
      console.log(round);
    }
    await store.close();
  `;
  for await (const line of linesOf(run(script, directory))) {
    const [row] = await store.read(space, 'p', [line]);
    assert.equal(row?.value.length, 4 * 1024 ** 2);
    await put(store, space, `own ${line}`, Buffer.alloc(1024 ** 2));
  }
  assert.equal((await keysOf(store, space)).length, 20);
  await store.close();
});

// With room for a log, and its first segments, there are 80 MiB to be filled.
for (const [who, exclusive, bytes, fileBlocksMax, skip] of [
  ['a writer', false, 5000, 8192, false],
  ['the only writer', true, 5000, 8192, !isLong],
  ['a writer with a log', true, 6000, 163_840, !isLong],
] as const) {
  test(`a file that may not grow fails commits of ${who}; reads, deletes and later commits still work`, {
    skip,
  }, async t => {
    const directory = newDirectory(t);
    const script = `
    const put = (key, size) =>
      store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts: [{ key, value: Buffer.alloc(size) }] }));
    const remove = key => store.commit(space, 'p', { keys: [] }, () => ({ result: true, deletes: [key] }));
    const kept = [];
    let failed = [];
    for (let round = 0; failed.length === 0; round += 1) {
      const keys = Array.from({ length: 20 }, (_, index) => round + '.' + index);
      const answers = await Promise.allSettled(keys.map(key => put(key, ${bytes})));
      kept.push(...keys.filter((_, index) => answers[index].status === 'fulfilled'));
      failed = answers.filter(answer => answer.status === 'rejected').map(answer => answer.reason.code);
    }
    const found = [];
    await store.scan(space, ${JSON.stringify(EVERYTHING)}, ${JSON.stringify(UNBOUNDED)}, row => found.push(row.key) > 0);
    for (const key of kept.slice(0, 40)) await remove(key);
    await put('late', ${bytes});
    const log = readdirSync(process.argv[1]).includes('data.log');
    console.log(JSON.stringify({ failed, kept, log, found }));
    await store.close();
  `;
    const child = run(script, directory, { fileBlocksMax, exclusive });
    const closed = once(child, 'close');
    let answer = '';
    for await (const line of linesOf(child)) answer += line;
    assert.deepEqual(await closed, [0, null]);
    const { failed, kept, found, log } = JSON.parse(answer);
    assert.equal(log, fileBlocksMax > 8192);
    assert(failed.every((code: string) => code === 'busy' || code === 'full'));
    assert.deepEqual(found.toSorted(), kept.toSorted());
    const { store, space } = await openStore(directory);
    assert.deepEqual((await keysOf(store, space)).toSorted(), [...kept.slice(40), 'late'].toSorted());
    await store.close();
  });
}

/**
 * Commits of all rows of a partition, each with a length and a content of its own, which free as many pages as they
 * write.
 */
const REWRITE = `
  const until = performance.now() + 2000;
  let commits = 0;
  for (; commits < 100 || performance.now() < until; commits += 1) {
    const value = Buffer.alloc(100 + (commits * 2711) % 7000, commits);
    const puts = Array.from({ length: 40 }, (_, row) => ({ key: String(row), value }));
    await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
    const other = commits % 3 === 0 ? { deletes: ['q'] } : { puts: [{ key: 'q', value: Buffer.alloc(200_000) }] };
    await store.commit(space, 'q', { keys: [] }, () => ({ result: true, ...other }));
  }
  await store.close();
  writeSync(1, 'made ' + commits + '\\n');
`;

test('a scan shows each commit of another process whole, however long it takes', {
  skip: !isLong,
}, async t => {
  const directory = newDirectory(t);
  const { store, space } = await openStore(directory);
  const child = run(REWRITE, directory);
  let commits = 0;
  const ended = (async () => {
    for await (const line of linesOf(child)) commits = Number(line.split(' ')[1]);
  })();
  let isOver = false;
  const over = ended.then(() => {
    isOver = true;
  });
  const range = { from: { partition: 'p', key: '' }, until: { partition: 'p\0', key: '' } };
  let scans = 0;
  // Some hold their snapshot over several slices, in which pages of it are freed.
  const scanAgain = async (pause: number): Promise<void> => {
    for (; !isOver || scans <= 10; scans += 1) {
      const seen = new Set<string>();
      const { examined } = await store.scan(space, range, UNBOUNDED, ({ value }) => {
        for (const end = performance.now() + pause; performance.now() < end; );
        seen.add(`${value.length} ${value[0]} ${value.at(-1)}`);
        return true;
      });
      assert(examined === 0 || examined === 40, `${examined} rows`);
      assert(seen.size <= 1, [...seen].join());
    }
  };
  await Promise.all([scanAgain(0), scanAgain(0.5), scanAgain(0.5), over]);
  await store.close();
  assert(commits > 10 && scans > 10, `${commits} commits, ${scans} scans`);
});
