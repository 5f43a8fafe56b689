// Shows that commits decided early are decided in order on each other's rows, wait for the disk together, and are decided
// anew when somebody else has written or the write failed.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '#base';
import { type Environment, openEnvironment } from '../environment.js';
import { Counters } from '../layout/counters.js';
import { CommitMetrics } from './commit-metrics.js';
import { type Aborted, type Early, type OptimisticCaller, OptimisticCommits } from './optimistic-commits.js';

const SPACE = { account: 'a', service: 't', name: 'n', id: 7, created: 0n, metadata: Buffer.alloc(0) };

interface Opened {
  readonly environment: Environment;
  readonly early: OptimisticCommits<Caller>;
  readonly given: Aborted<Caller>[];
  readonly settled: number[];
  /** A caller that counts the row up by one. */
  count(key: string, bytes?: number): boolean;
}

class Caller implements OptimisticCaller {
  readonly number: number;
  readonly #decide: (early: Early) => boolean;
  readonly #settled: number[];

  constructor(number: number, decide: (early: Early) => boolean, settled: number[]) {
    this.number = number;
    this.#decide = decide;
    this.#settled = settled;
  }

  decideOptimistically(early: Early): boolean {
    return this.#decide(early);
  }

  settle(): void {
    this.#settled.push(this.number);
  }

  fail(failure: unknown): void {
    assert.fail(String(failure));
  }
}

const countOf = (value: Buffer | undefined): number => Number(value?.subarray(0, 4).toString() ?? 0);

async function open(t: TestContext): Promise<Opened> {
  const directory = await mkdtemp(join(tmpdir(), 'early-commits-'));
  const environment = openEnvironment({ directory, durability: 'none' });
  t.after(async () => {
    await environment.close();
    await rm(directory, { recursive: true });
  });
  await environment.transaction(() => {
    environment.catalog.putSpace(SPACE);
    environment.catalog.putCounters({ tick: 5n, spaceId: 7, subtreeId: 0 });
  });
  const given: Aborted<Caller>[] = [];
  const settled: number[] = [];
  const early = new OptimisticCommits<Caller>({
    environment,
    counters: new Counters(systemClock),
    figures: new CommitMetrics(),
    isAmple: () => true,
    onStuck: ({ reason }) => assert.fail(String(reason)),
    abort: each => given.push(each),
  });
  let callers = 0;
  const count = (key: string, bytes = 4): boolean => {
    callers += 1;
    const decide = (view: Early): boolean => {
      const before = countOf(view.rows.get(SPACE.id, 'p', key)?.value);
      const value = Buffer.alloc(bytes);
      value.write(String(before + 1).padStart(4, '0'));
      const version = view.counters.nextTick();
      view.counters.useTick(version);
      view.note(view.rows.put(SPACE.id, { partition: 'p', key, version, value }));
      return true;
    };
    return early.add(new Caller(callers, decide, settled));
  };
  return { environment, early, given, settled, count };
}

function durableCount(environment: Environment, key: string): number {
  environment.refreshSnapshot();
  return countOf(environment.rows.get(SPACE.id, 'p', key)?.value);
}

test('each decision sees the ones before it, and nobody is settled before the changes are durable', async t => {
  const { environment, early, settled, count } = await open(t);
  for (let round = 0; round < 10; round += 1) assert(count('k'));
  assert.deepEqual([settled, durableCount(environment, 'k')], [[], 0]);
  await early.idle();
  assert.equal(durableCount(environment, 'k'), 10);
  assert.deepEqual(settled, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert(environment.catalog.getCounters().tick > 5n);
});

test('what is decided while others are written is decided on their rows, and is written next', async t => {
  const { environment, early, settled, count } = await open(t);
  assert(count('k'));
  await new Promise(resolve => setImmediate(resolve));
  assert(!early.isIdle);
  assert(count('k'));
  await early.idle();
  assert.deepEqual([durableCount(environment, 'k'), settled], [2, [1, 2]]);
});

test('if somebody else has written, all is given up in order, and later callers see what was written', async t => {
  const { environment, early, given, settled, count } = await open(t);
  count('k');
  await early.idle();
  await environment.transaction(() => {
    const value = Buffer.from('0100');
    const counters = new Counters(systemClock);
    environment.rows.put(SPACE.id, { partition: 'p', key: 'k', version: 99n, value }, counters);
    const { tick } = environment.catalog.getCounters();
    environment.catalog.putCounters({ tick: tick + 1n, spaceId: 7, subtreeId: 0 });
  });
  count('k');
  await new Promise(resolve => setImmediate(resolve));
  count('k');
  await early.idle();
  assert.deepEqual(
    given.map(({ written, undecided, failure }) => [
      written.map(each => each.number),
      undecided.map(each => each.number),
      failure,
    ]),
    [[[2], [3], undefined]],
  );
  assert.deepEqual([durableCount(environment, 'k'), settled], [100, [1]]);
  count('k');
  await early.idle();
  assert.deepEqual([durableCount(environment, 'k'), settled], [101, [1, 4]]);
});

test('a caller without changes is settled after those that it may have seen', async t => {
  const { early, settled, count } = await open(t);
  assert(early.add(new Caller(-1, () => true, settled)));
  count('k');
  assert(early.add(new Caller(-2, () => true, settled)));
  await early.idle();
  assert(early.add(new Caller(-3, () => true, settled)));
  await early.idle();
  assert.deepEqual(settled, [-1, 1, -2, -3]);
});

test('no more than 1000 callers are decided and not written, nor more after 8 MiB', async t => {
  const { early, count } = await open(t);
  for (let round = 0; round < 1000; round += 1) assert(count('k'), `caller ${round + 1}`);
  assert(!count('k'));
  await early.idle();
  // The first is written at once, because it is large; the others gather.
  assert(count('large', 64 * 1024));
  for (const bytes of [8 * 1024 * 1024 - 8 - 1, 1]) assert(count('k', bytes));
  assert(!count('k'));
  await early.idle();
  assert(count('k'));
});

test('a caller that needs a transaction is told so, and the others are not disturbed', async t => {
  const { environment, early, settled, count } = await open(t);
  count('k');
  assert(!early.add(new Caller(-1, () => false, settled)));
  count('k');
  await early.idle();
  assert.deepEqual([durableCount(environment, 'k'), settled], [2, [1, 2]]);
});

test('a space lives until something else has written', async t => {
  const { environment, early } = await open(t);
  assert(early.isLiving(SPACE));
  await environment.transaction(() => environment.catalog.dropSpace(SPACE, 9n));
  early.forget();
  assert(!early.isLiving(SPACE));
});
