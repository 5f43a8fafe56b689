// The sweep runs on its own, stops on request, and outlives a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#base';
import { until } from '#base/testing/until';
import { execute, type QueueContext, Sweep } from '#queues';
import { openMemoryStore, type Store } from '#store';
import { BackgroundSteps } from './background-steps.js';

const START = 17_000_000_000_000_000n;

async function openExpired() {
  const time = { now: START };
  const clock = () => time.now;
  const store = openMemoryStore({ clock });
  const id = '00000000-0000-4000-8000-000000000001';
  const context: QueueContext = { store, account: 'a', ids: () => id };
  await execute({ kind: 'createQueue', queue: 'jobs', metadata: [] }, context, clock);
  const message = { text: '', visibilitySeconds: 0, timeToLiveSeconds: 1 };
  await execute({ kind: 'putMessage', queue: 'jobs', ...message }, context, clock);
  time.now += 20_000_000n;
  const count = async (): Promise<number> => {
    const outcome = await execute({ kind: 'getQueueMetadata', queue: 'jobs' }, context, clock);
    return outcome.kind === 'queueMetadata' ? outcome.approximateCount : -1;
  };
  return { store, clock, count };
}

const unexpected = (error: unknown): void => assert.fail(String(error));

test('what has expired is reclaimed without anybody asking', async () => {
  const { store, clock, count } = await openExpired();
  const sweep = new BackgroundSteps(new Sweep({ store, clock, accounts: () => ['a'] }), unexpected);
  await until('the message is reclaimed', async () => (await count()) === 0);
  await sweep.stop();
});

test('a sweep that was stopped leaves the store alone', async () => {
  const { store, clock, count } = await openExpired();
  const sweep = new BackgroundSteps(new Sweep({ store, clock, accounts: () => ['a'] }), unexpected);
  await sweep.stop();
  await wait(20);
  assert.equal(await count(), 1);
});

test('a store that is closed is not a failure; what is corrupt is told', async () => {
  const store = openMemoryStore();
  await store.close();
  const sweep = new BackgroundSteps(
    new Sweep({ store, clock: systemClock, accounts: () => ['a'] }),
    unexpected,
  );
  await wait(20);
  await sweep.stop();

  const damaged: Store = openMemoryStore();
  await damaged.createSpace({ account: 'a', service: 'queue', name: 'jobs' }, Buffer.alloc(0));
  const told: unknown[] = [];
  const onFailure = (error: unknown): void => void told.push(error);
  const other = new BackgroundSteps(
    new Sweep({ store: damaged, clock: systemClock, accounts: () => ['a'] }),
    onFailure,
  );
  await until('the failure is told', () => told.length > 0);
  await other.stop();
});
