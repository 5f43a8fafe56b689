// Workers of flows: several at once, several queues, messages that take long, that another worker has, that are put aside, and versions of messages over a deployment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { until } from '#base/testing/until';
import type { ServiceOptions } from '#patterns';
import { flow } from '#patterns/flows';
import { collect } from '../support/collect.js';
import { FaultyClient } from '../support/faulty-client.js';
import { describePeers } from '../support/peers.js';
import { rejects } from '../support/rejects.js';
import { flowOf, newName, SOON } from './flow-setting.js';

/** Renewals come as often as workers look for messages, and not at half of the time for which a message is hidden. */
const briefly: NonNullable<ServiceOptions['sleep']> = (milliseconds, signal) =>
  pause(Math.min(milliseconds, 100), undefined, { signal });

/** Notes until when each renewal hides its message, in milliseconds since 1970. */
const renewed = (ends: number[]): FaultyClient =>
  new FaultyClient(undefined, ({ method, url }, answer) => {
    if (method === 'PUT' && url.includes('visibilitytimeout='))
      ends.push(Date.parse(answer?.headers.get('x-ms-time-next-visible') ?? ''));
  });

const textOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const nothing = async (): Promise<void> => {};

describePeers('workers', peer => {
  test('share several queues, where one key has one queue', async () => {
    const ran = new Map<number, number>();
    const count = async (n: number): Promise<void> => void ran.set(n, (ran.get(n) ?? 0) + 1);
    const options = { queues: 3, keyOf: (n: number) => `${n % 10}` };
    const { db, jobs, figures, work } = await flowOf(peer, z.number(), count, options);
    for (let n = 0; n < 40; n++) await jobs.start(db, n);
    const keys: string[][] = [];
    for (const name of jobs.definition.queues) {
      const queue = peer.queues().getQueueClient(name);
      const { peekedMessageItems } = await queue.peekMessages({ numberOfMessages: 32 });
      const inputs = peekedMessageItems.map(({ messageText }) =>
        Number(JSON.parse(Buffer.from(messageText, 'base64').toString()).input),
      );
      keys.push([...new Set(inputs.map(n => `${n % 10}`))]);
    }
    assert.deepEqual(keys.flat().toSorted(), [...'0123456789']);
    assert(keys.filter(each => each.length > 0).length > 1);
    const workers = [work({}, peer.open()), work({ concurrency: 1 }, peer.open())];
    await until('an empty queue', async () => (await figures())[0] === 0);
    for (const worker of workers) await worker.stop();
    assert.deepEqual([...ran.values()], Array(40).fill(1));
  });

  test('renew what takes long, and finish it when they are stopped', async () => {
    let ran = 0;
    let isStopping = false;
    const ends: number[] = [];
    const { db, jobs, events, work, figures } = await flowOf(peer, z.string(), async () => {
      await until('the stop', () => isStopping);
      await until('a later end', () => (ends.at(-1) ?? 0) > (ends[0] ?? Infinity));
      ran++;
    });
    await jobs.start(db, 'long');
    const slept = new Set<number>();
    const sleep: typeof briefly = (milliseconds, signal) => {
      slept.add(milliseconds);
      return briefly(milliseconds, signal);
    };
    const workers = [1, 2].map(() => work({}, peer.open({ sleep, httpClient: renewed(ends) })));
    await until('a worker', async () => (await jobs.figures(db)).oldest === undefined);
    const stops = workers.map(worker => worker.stop());
    isStopping = true;
    await Promise.all(stops);
    assert(slept.has(30_000), 'at half of the time');
    assert.deepEqual([ran, events.map(({ kind }) => kind), await figures()], [1, ['done'], [0, 0]]);
  });

  test('tell a step whose message another worker has, and count that for no error', async () => {
    const { db, jobs, events, work, queue } = await flowOf(peer, z.string(), async (_, { signal }) => {
      await until('the loss', () => signal.aborted);
    });
    await jobs.start(db, 'taken');
    const worker = work({}, peer.open({ sleep: briefly }));
    await until('the worker', async () => (await jobs.figures(db)).oldest === undefined);
    await queue.clearMessages();
    await until('an event', () => events.length > 0);
    await worker.stop();
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['lost'],
    );
  });

  test('put aside what nobody can read, and keep it as it came', async () => {
    const { db, jobs, work, told, queue } = await flowOf(peer, z.string(), nothing);
    const envelope = { v: 1, flow: jobs.name, version: 1, id: 'x', input: 'y', state: '00000' };
    const texts = [
      'no base64!',
      textOf({ ...envelope, v: 2, more: 1 }),
      textOf({ ...envelope, flow: 'another' }),
      textOf({ ...envelope, version: 2 }),
      textOf({ ...envelope, state: undefined }),
    ];
    for (const text of texts) await queue.sendMessage(text);
    await using _ = work();
    await told('poisoned', texts.length);
    const listed = (await collect(jobs.poison(db))).map(({ id, text }) => id ?? text);
    const [unreadable, newer, , , broken] = texts;
    // Those of another flow and of a later input have an envelope that can be read.
    assert.deepEqual(listed.toSorted(), [unreadable, newer, broken, 'x', 'x'].toSorted());
  });

  test('bring messages of earlier versions up to date', async () => {
    const name = newName('jobs');
    const db = peer.open();
    const fail = async (): Promise<void> => {
      throw new Error('not yet');
    };
    const old = flow(name, z.object({ id: z.number() }), [{ name: 'run', run: fail }], {
      queues: 2,
      keyOf: ({ id }) => `k${id}`,
    });
    await old.createQueues(db);
    await old.start(db, { id: 7 });
    const failing = old.worker(db, { ...SOON, maxDequeue: 1 });
    await until('a message put aside', async () => (await old.figures(db)).poisoned > 0);
    await failing.stop();
    const got: unknown[] = [];
    const run = async (input: { readonly key: string }): Promise<void> => void got.push(input);
    const now = flow(name, z.object({ key: z.string() }), [{ name: 'run', run }], {
      version: 2,
      upcast: { 1: before => ({ key: `k${(before as { id: number }).id}` }) },
      queues: 2,
      keyOf: ({ key }) => key.toLowerCase(),
    });
    for await (const message of now.poison(db)) await message.redrive();
    await using _ = now.worker(db, SOON);
    await until('the message', () => got.length > 0);
    assert.deepEqual(got, [{ key: 'k7' }]);
    const unled = () => flow(name, z.string(), [{ name: 'run', run: nothing }], { version: 2 });
    assert.throws(unled, /nothing leads/);
  });

  test('what was put aside is listed once, sent again or dropped', async () => {
    let isBroken = true;
    const ran: string[] = [];
    const { db, jobs, work, figures } = await flowOf(peer, z.string(), async input => {
      if (isBroken) throw new Error('broken');
      ran.push(input);
    });
    for (const input of ['again', 'drop', 'stay']) await jobs.start(db, input);
    const worker = work({ maxDequeue: 1 });
    await until('messages put aside', async () => (await figures())[1] === 3);
    await worker.stop();
    // A worker that ends between the two requests puts a message aside twice.
    const aside = peer.queues().getQueueClient(jobs.definition.poisonQueue);
    const { peekedMessageItems } = await aside.peekMessages({ numberOfMessages: 3 });
    for (const { messageText } of peekedMessageItems) await aside.sendMessage(messageText);
    isBroken = false;
    const seen: unknown[] = [];
    for await (const message of jobs.poison(db)) {
      seen.push(`${message.input} ${message.reason}`);
      if (message.input === 'again') await message.redrive();
      if (message.input === 'drop') await message.drop();
    }
    assert.deepEqual(seen.toSorted(), ['again broken', 'drop broken', 'stay broken']);
    assert.deepEqual(await figures(), [1, 1]);
    const again = work();
    await until('an empty queue', async () => (await figures())[0] === 0);
    await again.stop();
    assert.deepEqual(ran, ['again']);
    const left = await collect(jobs.poison(db));
    assert.deepEqual(
      left.map(({ input }) => input),
      ['stay'],
    );
  });

  test('a message of full size is put aside without its reason, and a worker that always ends has it put aside', async () => {
    const { db, jobs, work, figures, queue } = await flowOf(peer, z.string(), async () => {
      throw new Error('never');
    });
    const bare = { v: 1, flow: jobs.name, version: 1, id: 'x', input: '', state: '00000' };
    const input = 'a'.repeat(49_152 - JSON.stringify(bare).length);
    const putAside = async (maxDequeue: number) => {
      const worker = work({ maxDequeue });
      await until('messages put aside', async () => (await figures())[1] === 1);
      await worker.stop();
      for await (const each of jobs.poison(db)) {
        await each.drop();
        return each;
      }
      return undefined;
    };
    await jobs.start(db, input, { id: 'x' });
    const large = await putAside(1);
    assert.deepEqual([large?.input, large?.reason], [input, undefined]);
    await jobs.start(db, 'short');
    // Two workers received it, and were not heard of again.
    for (let n = 0; n < 2; n++)
      await until('the message', async () => {
        const { receivedMessageItems } = await queue.receiveMessages({ visibilityTimeout: 1 });
        return receivedMessageItems.length === 1;
      });
    assert.match((await putAside(2))?.reason ?? '', /received 3 times/);
  });

  test('definitions that could not work are refused', async () => {
    const run = { name: 'run', run: nothing };
    assert.throws(() => flow('Jobs', z.string(), [run]), /not a name that its queue may have/);
    assert.throws(() => flow('jobs', z.string(), []), /no steps/);
    assert.throws(() => flow('jobs', z.string(), [run, run]), /two steps/);
    assert.throws(() => flow('jobs', z.string(), [run], { queues: 0 }), /from 1 to 100 queues/);
    const { db, jobs } = await flowOf(peer, z.string(), nothing);
    assert.throws(() => jobs.worker(db, { visibility: 0 }), /visibility/);
    await rejects(jobs.start(db, undefined as unknown as string), 'ValueInvalid');
  });
});
