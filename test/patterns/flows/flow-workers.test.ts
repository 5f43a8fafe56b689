// Workers of flows: several at once, several queues, messages that take long, that another worker has, that are put aside, and versions of messages over a deployment.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { PipelineRequest } from '@azure/core-rest-pipeline';
import { z } from 'zod';
import { until } from '#base/testing/until';
import type { Db, ServiceOptions, StandardSchema } from '#patterns';
import type { FlowEvent } from '#patterns/flows';
import { type Flow, flow, type Step } from '#patterns/flows';
import { FaultyClient } from '../support/faulty-client.js';
import { describePeers, type Peer } from '../support/peers.js';
import { rejects } from '../support/rejects.js';
import { newName, SOON, told } from './flow-setting.js';

/** Renewals come as often as workers look for messages, and not at half of the time for which a message is hidden. */
const briefly: NonNullable<ServiceOptions['sleep']> = (milliseconds, signal) =>
  pause(Math.min(milliseconds, 100), undefined, { signal });

/** Notes until when each renewal hides its message, in milliseconds since 1970. */
function renewed(ends: number[]): FaultyClient {
  const isRenewal = ({ method, url }: PipelineRequest): boolean =>
    method === 'PUT' && url.includes('visibilitytimeout=');
  return new FaultyClient(undefined, (request, answer) => {
    if (isRenewal(request)) ends.push(Date.parse(answer?.headers.get('x-ms-time-next-visible') ?? ''));
  });
}

const step = <I>(run: Step<I>['run']): Step<I> => ({ name: 'run', run });

async function made<I, O>(
  peer: Peer,
  schema: StandardSchema<I, O>,
  run: Step<O>['run'],
  options: Parameters<typeof flow<I, O>>[3] = {},
): Promise<{ db: Db; jobs: Flow<I, O> }> {
  const db = peer.open();
  const jobs = flow(newName('jobs'), schema, [step(run)], options);
  await jobs.createQueues(db);
  return { db, jobs };
}

const textOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

describePeers('workers', peer => {
  test('share several queues, where one key has one queue', async () => {
    const ran = new Map<number, number>();
    const count = async (n: number): Promise<void> => void ran.set(n, (ran.get(n) ?? 0) + 1);
    const { db, jobs } = await made(peer, z.number(), count, { queues: 3, keyOf: n => `${n % 10}` });
    for (let n = 0; n < 40; n++) await jobs.start(db, n);
    const queues = jobs.definition.queues.map(name => peer.queues().getQueueClient(name));
    const keys: string[][] = [];
    for (const queue of queues) {
      const { peekedMessageItems } = await queue.peekMessages({ numberOfMessages: 32 });
      const inputs = peekedMessageItems.map(({ messageText }) =>
        Number(JSON.parse(Buffer.from(messageText, 'base64').toString()).input),
      );
      keys.push([...new Set(inputs.map(n => `${n % 10}`))]);
    }
    assert.deepEqual(keys.flat().toSorted(), [...'0123456789']);
    assert(keys.filter(each => each.length > 0).length > 1);
    const workers = [jobs.worker(peer.open(), SOON), jobs.worker(peer.open(), { ...SOON, concurrency: 1 })];
    await until('an empty queue', async () => (await jobs.figures(db)).pending === 0);
    for (const worker of workers) await worker.stop();
    assert.deepEqual(
      [...ran.values()],
      Array.from({ length: 40 }, () => 1),
    );
  });

  test('renew what takes long, and finish it when they are stopped', async () => {
    let ran = 0;
    let isStopping = false;
    const ends: number[] = [];
    const { db, jobs } = await made(peer, z.string(), async () => {
      await until('the stop', () => isStopping);
      await until('a later end', () => (ends.at(-1) ?? 0) > (ends[0] ?? Infinity));
      ran++;
    });
    await jobs.start(db, 'long');
    const events: FlowEvent[] = [];
    const report = (event: FlowEvent): void => void events.push(event);
    const slept = new Set<number>();
    const sleep: typeof briefly = (milliseconds, signal) => {
      slept.add(milliseconds);
      return briefly(milliseconds, signal);
    };
    const workers = [1, 2].map(() =>
      jobs.worker(peer.open({ sleep, httpClient: renewed(ends) }), { ...SOON, report }),
    );
    await until('a worker', async () => (await jobs.figures(db)).oldest === undefined);
    const stops = workers.map(worker => worker.stop());
    isStopping = true;
    await Promise.all(stops);
    assert(slept.has(30_000), 'at half of the time');
    assert.equal(ran, 1);
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['done'],
    );
    assert.equal((await jobs.figures(db)).pending, 0);
  });

  test('tell a step whose message another worker has, and count that for no error', async () => {
    const { db, jobs } = await made(peer, z.string(), async (_, { signal }) => {
      await until('the loss', () => signal.aborted);
    });
    await jobs.start(db, 'taken');
    const events: FlowEvent[] = [];
    const own = peer.open({ sleep: briefly });
    const worker = jobs.worker(own, { ...SOON, report: event => events.push(event) });
    const [name = ''] = jobs.definition.queues;
    const queue = peer.queues().getQueueClient(name);
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
    const { db, jobs } = await made(peer, z.string(), async () => {});
    const [name = ''] = jobs.definition.queues;
    const queue = peer.queues().getQueueClient(name);
    const envelope = { v: 1, flow: jobs.name, version: 1, id: 'x', input: 'y', state: '00000' };
    const texts = [
      'no base64!',
      textOf({ ...envelope, v: 2, more: 1 }),
      textOf({ ...envelope, flow: 'another' }),
      textOf({ ...envelope, version: 2 }),
      textOf({ ...envelope, state: undefined }),
    ];
    for (const text of texts) await queue.sendMessage(text);
    const events: FlowEvent[] = [];
    await using _ = jobs.worker(db, { ...SOON, report: event => events.push(event) });
    await told(events, 'poisoned', texts.length);
    const listed: string[] = [];
    for await (const each of jobs.poison(db)) listed.push(each.id ?? each.text);
    const [unreadable, newer, , , broken] = texts;
    // Those of another flow and of a later input have an envelope that can be read.
    assert.deepEqual(listed.toSorted(), [unreadable, newer, broken, 'x', 'x'].toSorted());
  });

  test('bring messages of earlier versions up to date', async () => {
    const name = newName('jobs');
    const old = flow(name, z.object({ id: z.number() }), [step(async () => {})]);
    const db = peer.open();
    await old.createQueues(db);
    await old.start(db, { id: 7 });
    const got: unknown[] = [];
    const now = flow(
      name,
      z.object({ key: z.string() }),
      [step<{ key: string }>(async input => void got.push(input))],
      { version: 2, upcast: { 1: before => ({ key: `k${(before as { id: number }).id}` }) } },
    );
    await using _ = now.worker(db, SOON);
    await until('the message', () => got.length > 0);
    assert.deepEqual(got, [{ key: 'k7' }]);
    assert.throws(() => flow(name, z.string(), [step(async () => {})], { version: 2 }), /nothing leads/);
  });

  test('what was put aside is listed once, sent again or dropped', async () => {
    let isBroken = true;
    const ran: string[] = [];
    const { db, jobs } = await made(peer, z.string(), async input => {
      if (isBroken) throw new Error('broken');
      ran.push(input);
    });
    for (const input of ['again', 'drop', 'stay']) await jobs.start(db, input);
    const worker = jobs.worker(db, { ...SOON, maxDequeue: 1 });
    await until('messages put aside', async () => (await jobs.figures(db)).poisoned === 3);
    await worker.stop();
    // A worker that ends between the two requests puts a message aside twice.
    const aside = peer.queues().getQueueClient(jobs.definition.poisonQueue);
    const { peekedMessageItems } = await aside.peekMessages({ numberOfMessages: 3 });
    for (const { messageText } of peekedMessageItems) await aside.sendMessage(messageText);
    isBroken = false;
    const seen: unknown[] = [];
    for await (const message of jobs.poison(db)) {
      seen.push([message.input, message.reason]);
      if (message.input === 'again') await message.redrive();
      if (message.input === 'drop') await message.drop();
    }
    assert.deepEqual(
      seen.toSorted(),
      ['again', 'drop', 'stay'].map(input => [input, 'broken']),
    );
    const figures = await jobs.figures(db);
    assert.deepEqual([figures.pending, figures.poisoned], [1, 1]);
    const again = jobs.worker(db, SOON);
    await until('an empty queue', async () => (await jobs.figures(db)).pending === 0);
    await again.stop();
    assert.deepEqual(ran, ['again']);
    const left: unknown[] = [];
    for await (const { input } of jobs.poison(db)) left.push(input);
    assert.deepEqual(left, ['stay']);
  });

  test('a message of full size is put aside without its reason, and a worker that always ends has it put aside', async () => {
    const { db, jobs } = await made(peer, z.string(), async () => {
      throw new Error('never');
    });
    const bare = { v: 1, flow: jobs.name, version: 1, id: 'x', input: '', state: '00000' };
    const input = 'a'.repeat(49_152 - JSON.stringify(bare).length);
    await jobs.start(db, input, { id: 'x' });
    const worker = jobs.worker(db, { ...SOON, maxDequeue: 1 });
    await until('messages put aside', async () => (await jobs.figures(db)).poisoned === 1);
    await worker.stop();
    for await (const each of jobs.poison(db)) {
      assert.deepEqual([each.input, each.reason], [input, undefined]);
      await each.drop();
    }
    await jobs.start(db, 'short');
    const [name = ''] = jobs.definition.queues;
    const queue = peer.queues().getQueueClient(name);
    // Two workers received it, and were not heard of again.
    for (let n = 0; n < 2; n++)
      await until('the message', async () => {
        const { receivedMessageItems } = await queue.receiveMessages({ visibilityTimeout: 1 });
        return receivedMessageItems.length === 1;
      });
    const next = jobs.worker(db, { ...SOON, maxDequeue: 2 });
    await until('messages put aside', async () => (await jobs.figures(db)).poisoned === 1);
    await next.stop();
    for await (const each of jobs.poison(db)) assert.match(each.reason ?? '', /received 3 times/);
  });

  test('definitions that could not work are refused', async () => {
    const run = step(async () => {});
    assert.throws(() => flow('Jobs', z.string(), [run]), /not a name that its queue may have/);
    assert.throws(() => flow('jobs', z.string(), []), /no steps/);
    assert.throws(() => flow('jobs', z.string(), [run, run]), /two steps/);
    assert.throws(() => flow('jobs', z.string(), [run], { queues: 0 }), /from 1 to 100 queues/);
    const { db, jobs } = await made(peer, z.string(), async () => {});
    assert.throws(() => jobs.worker(db, { visibility: 0 }), /visibility/);
    await rejects(jobs.start(db, undefined as unknown as string), 'ValueInvalid');
  });
});
