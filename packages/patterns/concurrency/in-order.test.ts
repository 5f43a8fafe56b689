// Steps at once: as many as are allowed, results in order, and an end of all when one fails or nobody listens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lawOfTurns } from '../testing/law.js';
import { allInOrder, inOrder } from './in-order.js';

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await Promise.resolve();
};

test('results are in the order of what was given, and no more steps run than are allowed', async () => {
  await lawOfTurns(
    fc.asyncProperty(
      fc.array(fc.nat(30)),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (delays, concurrency, isAsync) => {
        let running = 0;
        let most = 0;
        async function* slowly(): AsyncGenerator<number> {
          for (const delay of delays) {
            await turns(delay % 3);
            yield delay;
          }
        }
        const step = async (delay: number): Promise<number> => {
          most = Math.max(most, ++running);
          await turns(delay);
          running--;
          return delay;
        };
        const found: number[] = [];
        for await (const each of inOrder(isAsync ? slowly() : delays, { concurrency }, step))
          found.push(each);
        assert.deepEqual(found, delays);
        assert.deepEqual(await allInOrder(delays, { concurrency }, step), delays);
        assert(most <= concurrency);
      },
    ),
    { cost: 20, least: 100, filter: 'concurrency/in-order' },
  );
});

test('items are taken as there is room, and steps begin for those that are waited for', async () => {
  let taken = 0;
  function* endless(): Generator<number> {
    for (;;) yield taken++;
  }
  const results = inOrder(endless(), { concurrency: 3 }, async item => item);
  for (let i = 0; i < 5; i++) assert.equal((await results.next()).value, i);
  assert(taken <= 8, `${taken} items for five results`);
  await results.return();
  assert.equal((await results.next()).done, true);
});

test('sixteen steps under one signal leave no listener behind, and cause no warning', async () => {
  const { signal } = new AbortController();
  const many = Array.from({ length: 64 }, (_, i) => i);
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.prependListener('warning', note);
  const listening = (item: number, each: AbortSignal): Promise<number> =>
    new Promise(resolve => {
      // As a request and its retries do.
      for (let i = 0; i < 4; i++) each.addEventListener('abort', () => undefined);
      setImmediate(() => resolve(item));
    });
  assert.deepEqual(await allInOrder(many, { concurrency: 16, signal }, listening), many);
  await Promise.all(many.map(() => allInOrder([1], { concurrency: 1, signal }, listening)));
  for (const item of many) await allInOrder([item], { concurrency: 1, signal }, async each => each);
  await new Promise(setImmediate);
  process.off('warning', note);
  assert.deepEqual(warnings, []);
});

test('a result is given as soon as it is there, not when as many steps as may be have begun', async () => {
  let go = (): void => undefined;
  const later = new Promise<void>(resolve => {
    go = resolve;
  });
  async function* slow(): AsyncGenerator<number> {
    yield 1;
    await later;
    yield 2;
  }
  const results = inOrder(slow(), { concurrency: 16 }, async item => item);
  const late = new Promise(resolve => setTimeout(resolve, 120_000, 'late').unref());
  const first = await Promise.race([results.next(), late]);
  assert.deepEqual(first, { value: 1, done: false });
  const leaving = inOrder(slow(), { concurrency: 16 }, async item => item);
  await leaving.next();
  const left = await Promise.race([leaving.return(), late]);
  assert.deepEqual(left, { value: undefined, done: true }, 'nobody waits for a source that is left');
  go();
  assert.deepEqual(await results.next(), { value: 2, done: false });
  assert.equal((await results.next()).done, true);
});

test('a source that fails ends the steps, behind the results that came before', async () => {
  let isEnded = false;
  async function* failing(): AsyncGenerator<number> {
    yield 1;
    yield 2;
    throw new Error('the source');
  }
  const results = inOrder(failing(), { concurrency: 2 }, async (item, signal) => {
    if (item === 2) await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()));
    isEnded ||= signal.aborted;
    return item;
  });
  assert.equal((await results.next()).value, 1);
  await assert.rejects(results.next(), /the source/);
  await turns(5);
  assert(isEnded);
});

test('a step that throws while a result is held fails too, and none is begun for who has left', async () => {
  let go = (): void => undefined;
  async function* two(): AsyncGenerator<number> {
    yield 1;
    await new Promise<void>(resolve => {
      go = resolve;
    });
    yield 2;
  }
  const begun: number[] = [];
  const step = (item: number): Promise<number> => {
    begun.push(item);
    if (item === 2) throw new Error('two');
    return Promise.resolve(item);
  };
  const failing = inOrder(two(), { concurrency: 2 }, step);
  assert.equal((await failing.next()).value, 1);
  go();
  await turns(5);
  await assert.rejects(failing.next(), /two/);
  const left = inOrder(two(), { concurrency: 2 }, step);
  await left.next();
  await left.return();
  go();
  await turns(5);
  assert.deepEqual(begun, [1, 2, 1]);
});

test('what a source throws at its end does not replace the failure of a step', async () => {
  function* ending(): Generator<number> {
    try {
      yield* [1, 2];
    } finally {
      assert.fail('the end');
    }
  }
  async function* slowly(): AsyncGenerator<number> {
    yield* ending();
  }
  for (const source of [ending(), slowly()]) {
    const failing = inOrder(source, { concurrency: 1 }, async () => {
      throw new Error('the step');
    });
    await assert.rejects(failing.next(), /the step/);
  }
  const left = inOrder(ending(), { concurrency: 1 }, async item => item);
  await left.next();
  await assert.rejects(left.return(), /the end/);
});

test('a failure comes in its turn and ends the other steps', async () => {
  const ended: number[] = [];
  const results = inOrder([0, 1, 2, 3, 4], { concurrency: 4 }, async (item, signal) => {
    if (item === 1) throw new Error('one');
    signal.addEventListener('abort', () => ended.push(item));
    return item;
  });
  assert.equal((await results.next()).value, 0);
  await assert.rejects(results.next(), /one/);
  assert.deepEqual(
    ended.filter(item => item > 1),
    [2, 3, 4],
  );
});

test('a failure ends the other steps of a list, and begins no more', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const found = allInOrder([0, 1, 2, 3, 4], { concurrency: 3 }, async (item, signal) => {
    begun.push(item);
    signal.addEventListener('abort', () => ended.push(item));
    await turns(item);
    if (item === 1) throw new Error('one');
    return new Promise(() => undefined);
  });
  await assert.rejects(found, /one/);
  assert.deepEqual(
    [begun, ended],
    [
      [0, 1, 2],
      [0, 1, 2],
    ],
  );
});

test('who leaves ends the steps, and so does a signal', async () => {
  let isEnded = false;
  for await (const _ of inOrder([0, 1, 2], { concurrency: 2 }, async (item, signal) => {
    signal.addEventListener('abort', () => {
      isEnded = true;
    });
    return item;
  }))
    break;
  assert(isEnded);
  const controller = new AbortController();
  const given: number[] = [];
  await assert.rejects(async () => {
    for await (const item of inOrder(
      [0, 1, 2],
      { concurrency: 1, signal: controller.signal },
      async each => each,
    )) {
      given.push(item);
      controller.abort(new Error('stop'));
    }
  }, /stop/);
  assert.deepEqual(given, [0]);
  async function* silent(): AsyncGenerator<number> {
    await new Promise(() => undefined);
  }
  const stopped = new AbortController();
  const { signal } = stopped;
  const waiting = inOrder(silent(), { concurrency: 1, signal }, async each => each).next();
  stopped.abort(new Error('silence'));
  await assert.rejects(waiting, /silence/);
});
