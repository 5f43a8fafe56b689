// The sweep runs on its own, stops on request, and outlives a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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

const begin = (
  { store, clock }: { readonly store: Store; readonly clock: () => bigint },
  onFailure = (error: unknown): void => assert.fail(String(error)),
) => new BackgroundSteps(new Sweep({ store, clock, accounts: () => ['a'] }), onFailure);

test('what has expired is reclaimed without anybody asking, and not once the sweep was stopped', async () => {
  const [swept, left] = [await openExpired(), await openExpired()];
  await begin(left).stop();
  const sweep = begin(swept);
  await until('the message is reclaimed', async () => (await swept.count()) === 0);
  await sweep.stop();
  assert.equal(await left.count(), 1);
});

test('a store that is closed is not a failure; what is corrupt is told', async () => {
  const [closed, damaged] = [openMemoryStore(), openMemoryStore()];
  await closed.close();
  await damaged.createSpace({ account: 'a', service: 'queue', name: 'jobs' }, Buffer.alloc(0));
  const silent = begin({ store: closed, clock: systemClock });
  const told: unknown[] = [];
  const telling = begin({ store: damaged, clock: systemClock }, error => void told.push(error));
  await until('the failure is told', () => told.length > 0);
  await Promise.all([silent.stop(), telling.stop()]);
});
