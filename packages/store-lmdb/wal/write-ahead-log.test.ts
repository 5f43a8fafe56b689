// The log and the tree together, on real files: when callers get answers, what goes where, that nothing overtakes
// anything, and what a kill at any moment, and a close, leave. exclusive-writers.test.ts covers two processes.
import assert from 'node:assert/strict';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '#base/testing/until';
import { StoreError } from '#store';
import type { Work } from '../commit/group.js';
import { FILE_NAME, openEnvironment } from '../environment.js';
import { FORMAT_LOGGED, FORMAT_PLAIN } from '../layout/catalog.js';
import { ROW_HEADER_BYTES } from '../layout/rows.js';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory } from '../testing/fixture.js';
import { Parts, SPACE, textOf } from '../testing/logged-parts.js';
import { OtherProcess } from '../testing/other-process.js';
import { changeBytesMax, LOG_BYTES, LOG_NAME, RECORD_HEADER_BYTES } from './log-file.js';
import { RECORD_BYTES_MAX } from './write-ahead-log.js';

function markOf(directory: string) {
  const environment = openEnvironment({ directory, durability: 'none' });
  const { catalog } = environment;
  const found = { state: catalog.getLogFence()?.state, version: catalog.getFormat()?.version };
  return environment.close().then(() => found);
}

/** A process that can take the write lock and hold it until it is killed; without a store, which would take the log. */
async function holderOf(t: TestContext, directory: string) {
  const other = new OtherProcess(t);
  await other.run(
    (scope, path) => {
      const root = scope.modules.openRoot(path, 'none');
      scope.hold = () =>
        root.transactionSync(() => {
          scope.say('held');
          for (;;);
        });
    },
    join(directory, FILE_NAME),
  );
  const hold = (): Promise<void> => {
    void other.run(scope => scope.hold?.());
    return other.more(1);
  };
  return { hold, kill: () => other.kill() };
}

test('callers are answered when the log has their changes, and the tree gets them later', async t => {
  const directory = newDirectory(t);
  await openEnvironment({ directory, durability: 'full' }).close();
  // While the write lock is held the tree cannot get them, however slow the disk is.
  const holders = [await holderOf(t, directory), await holderOf(t, directory)];
  const parts = await Parts.open(t, { directory });
  await holders[0]?.hold();
  for (let round = 0; round < 3; round += 1) {
    assert.equal(await parts.add('k', String(round)), '012'.slice(0, round + 1));
    assert.equal(parts.records().length, round + 1);
    assert.equal(
      parts.records()[round]?.changes[0]?.bytes?.subarray(ROW_HEADER_BYTES).toString(),
      '012'.slice(0, round + 1),
    );
    assert(parts.isRecent('k'));
    assert.equal(parts.inTree('k'), undefined);
  }
  await holders[0]?.kill();
  await parts.empty();
  assert.equal(parts.inTree('k'), '012');
  await holders[1]?.hold();
  assert.equal(await parts.add('k', '3'), '0123');
  assert.equal(parts.inTree('k'), '012');
  await parts.remove(['k']);
  assert.equal(parts.inTree('k'), '012');
  assert.equal(await parts.add('k', 'x'), 'x');
  await holders[1]?.kill();
  await parts.empty();
  assert.equal(parts.inTree('k'), 'x');
});

test('what a kill leaves has everything acknowledged, while the log wraps under load', async t => {
  const parts = await Parts.open(t);
  const answered = new Map<string, string>();
  const expected = new Map<string, Map<string, string>>();
  let count = 0;
  const task = async (key: string): Promise<void> => {
    for (let round = 0; round < 270; round += 1) {
      const text = `${key}${round}`;
      await parts.put(key, text.padEnd(3000 + ((round * 7919) % 6000), '.'));
      answered.set(key, text);
      count += 1;
      if (count % 360 === 0) expected.set(await parts.copy(t), new Map(answered));
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => task(`k${index}.`)));
  const [first] = parts.records();
  assert(first !== undefined && first.sequence > 1n, 'the halves were used again');
  assert.equal(expected.size, 6);
  for (const [directory, rows] of expected) {
    const left = openEnvironment({ directory, durability: 'none' });
    for (const [key, text] of rows) {
      const found = textOf(left.rows.get(SPACE.id, 'p', key)) ?? '';
      const round = (name: string): number => Number(/\.(\d+)/.exec(name)?.[1]);
      assert(round(found) >= round(text), `${key}: ${found.slice(0, 10)} follows on ${text}`);
    }
    await left.close();
  }
});

test('a segment is not reused before the tree has it, however long that takes', async t => {
  const directory = newDirectory(t);
  const first = openEnvironment({ directory, durability: 'full' });
  await first.close();
  const holder = await holderOf(t, directory);
  const parts = await Parts.open(t, { directory });
  await parts.put('before', 'x');
  await parts.empty();
  await holder.hold();
  const answered: string[] = [];
  const value = '.'.repeat(40_000);
  const putting = Array.from({ length: 3 }, async (_, task) => {
    for (let index = task; index < 250; index += 3) {
      await parts.put(`k${index}`, value);
      answered.push(`k${index}`);
    }
  });
  await until('the first hundred', () => answered.length > 100);
  for (let count = -1; count < answered.length; ) {
    count = answered.length;
    await wait(300);
  }
  assert(answered.length * value.length < LOG_BYTES, String(answered.length));
  const left = openEnvironment({ directory: await parts.copy(t), durability: 'none' });
  for (const key of answered) assert(left.rows.get(SPACE.id, 'p', key) !== undefined, key);
  await left.close();
  await holder.kill();
  await Promise.all(putting);
});

test('a log is put in place under the write lock, without which another one may be in use there', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, exclusive: true }, { logAfter: 0 });
  const space = await store.createSpace(SPACE, Buffer.alloc(0));
  assert(space !== undefined);
  const holder = await holderOf(t, directory);
  await holder.hold();
  const putting = store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts: [] }));
  const names = (): readonly string[] => readdirSync(directory).filter(name => name.startsWith(LOG_NAME));
  await until('the log is made', () => names().length > 0);
  await wait(300);
  assert.deepEqual(names(), [`${LOG_NAME}.${process.pid}`]);
  await holder.kill();
  await putting;
  await store.close();
  assert(readdirSync(directory).includes(LOG_NAME));
});

test('a commit of more bytes than a segment takes goes into the tree, and everything before it too', async t => {
  const parts = await Parts.open(t);
  const most = RECORD_BYTES_MAX - RECORD_HEADER_BYTES - changeBytesMax('p', 'big', ROW_HEADER_BYTES);
  for (const [more, isLogged] of [
    [-1, true],
    [0, true],
    [1, false],
  ] as const) {
    await parts.add('k', 'a');
    const records = new Set(parts.records().map(({ sequence }) => sequence));
    await parts.put('big', Buffer.alloc(most + more, 'b'));
    const added = parts.records().filter(({ sequence }) => !records.has(sequence));
    assert.equal(added.length, isLogged ? 1 : 0, String(more));
    if (!isLogged) assert.equal(parts.inTree('k'), 'aaa');
    await parts.empty();
  }
  await parts.add('k', 'b');
  assert(parts.isRecent('k'), 'the log is used on');
  assert.equal(await parts.add('k', 'c'), 'aaabc');
});

test('removals whose keys take more than a segment of the log are carried out', async t => {
  const parts = await Parts.open(t);
  await parts.put('k', 'x');
  const keys = Array.from({ length: 1500 }, (_, index) => `${index}`.padEnd(1024, '\u4e00'));
  await Promise.all([parts.remove([...keys, 'k']), parts.remove(keys.map(key => `a${key.slice(1)}`))]);
  assert.equal(parts.inTree('k'), undefined);
  assert(!parts.isRecent('k'));
  await parts.put('k', 'y');
  assert(parts.isRecent('k'), 'the log is used on');
});

test('works that need the tree see everything requested before them, and nothing later', async t => {
  const parts = await Parts.open(t);
  const long = 'l'.repeat(1024).padEnd(4020, '\u{ffff}');
  for (let round = 0; round < 4; round += 1) {
    const seen: Promise<unknown>[] = [];
    for (let part = 0; part < 5; part += 1) {
      seen.push(
        parts.add('k', String(part)),
        parts.range(),
        parts.add(long, String(part)),
        parts.treeText('k'),
      );
      // Some at once, some after the previous ones are in the log.
      if ((part + round) % 3 === 0) await parts.add('other', 'o');
    }
    const answers = await Promise.all(seen);
    for (let part = 0; part < 5; part += 1) {
      const text = '01234'.repeat(round) + '01234'.slice(0, part + 1);
      const [k, range, behind, tree] = answers.slice(part * 4, part * 4 + 4);
      assert.deepEqual([k, behind, tree], [text, text, text]);
      assert(Array.isArray(range));
      assert.equal(
        range.find(each => each.startsWith('k=')),
        `k=${text}`,
      );
    }
  }
});

test('a range in a commit is read over the tree, what is durable in the log and what is in flight', async t => {
  const parts = await Parts.open(t);
  await parts.put('a', 'tree');
  await parts.put('b', 'tree');
  await parts.put('c', 'tree');
  await parts.commits.drain();
  await parts.put('b', 'log');
  await parts.remove(['c']);
  await parts.put('d', 'log');
  const inFlight = [parts.put('a', 'in flight'), parts.remove(['b']), parts.put('e', 'in flight')];
  const before = parts.transactions();
  assert.deepEqual(await parts.range(), ['a=in flight', 'd=log', 'e=in flight']);
  await Promise.all(inFlight);
  assert.equal(parts.transactions(), before);
});

test('a close leaves an empty log and a file that older programs read, and a kill does not', async t => {
  const parts = await Parts.open(t);
  await parts.put('k', '1');
  const { catalog } = parts.environment;
  assert.deepEqual([catalog.getLogFence()?.state, catalog.getFormat()?.version], ['used', FORMAT_LOGGED]);
  const left = await parts.copy(t);
  const last = parts.put('k', '2');
  await parts.close();
  await last;
  assert.equal(statSync(join(parts.directory, LOG_NAME)).size, 0);
  assert.deepEqual(await markOf(parts.directory), { state: 'read', version: FORMAT_PLAIN });
  assert.equal(statSync(join(left, LOG_NAME)).size, LOG_BYTES);
  // It is not needed any more.
  rmSync(join(parts.directory, LOG_NAME));
  const again = await Parts.open(t, { directory: parts.directory });
  assert.equal(again.inTree('k'), '2');
  assert.equal(await again.add('k', '!'), '2!');
  assert.deepEqual(
    readdirSync(again.directory).filter(name => name.startsWith(LOG_NAME)),
    [LOG_NAME],
  );
});

test('a store closed while its log is being created, at any moment, leaves everything acknowledged', async t => {
  for (const milliseconds of [0, 2, 10, 30]) {
    const directory = newDirectory(t);
    const store = await openLmdbStore({ directory, exclusive: true }, { logAfter: 0 });
    const space = await store.createSpace(SPACE, Buffer.alloc(0));
    assert(space !== undefined);
    const put = (key: string) =>
      store.commit(space, 'p', { keys: [] }, () => ({
        result: true,
        puts: [{ key, value: Buffer.from(key) }],
      }));
    const first = put('first');
    if (milliseconds > 0) await wait(milliseconds);
    const last = put('last');
    await store.close();
    assert.deepEqual([await first, await last], [true, true]);
    assert.notEqual((await markOf(directory)).version, FORMAT_LOGGED);
    assert(readdirSync(directory).every(name => !name.startsWith(`${LOG_NAME}.`)));
    const again = await openLmdbStore({ directory });
    const rows = await again.read(space, 'p', ['first', 'last']);
    assert.deepEqual(rows.map(textOf), ['first', 'last']);
    await again.close();
  }
});

test('a failing work does not affect the log', async t => {
  const parts = await Parts.open(t);
  const failing: Work<never> = {
    run() {
      throw new StoreError('busy', 'mine');
    },
  };
  await parts.put('k', '1');
  await assert.rejects(parts.commits.submit(failing), /mine/);
  assert.equal(parts.inTree('k'), '1');
});

test('the tree is a state of the store after each transaction of a checkpoint', async t => {
  const parts = await Parts.open(t);
  await parts.put('k', 'old');
  await parts.empty();
  const seen: (string | undefined)[] = [];
  const { catalog } = parts.environment;
  const write = catalog.writeIfTick.bind(catalog);
  let before: Promise<unknown> = Promise.resolve();
  // One transaction per slice, as on a disk that is slower than the event loop.
  catalog.writeIfTick = (basis, put) => {
    const written = before.then(() => write(basis, put));
    before = written.then(() => seen.push(parts.inTree('k')));
    return written;
  };
  const filling = Array.from({ length: 511 }, (_, index) => ({ key: `f${index}`, value: Buffer.from('x') }));
  const puts = (text: string) => [{ key: 'k', value: Buffer.from(text) }, ...filling];
  await parts.commit({ keys: [] }, () => ({ result: true, puts: puts('first') }));
  await parts.commit({ keys: [] }, () => ({ result: true, puts: puts('second') }));
  await parts.empty();
  await before;
  assert.deepEqual(seen, ['first', 'second']);
});
