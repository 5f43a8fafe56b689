// How long an open waits for a cluster, and what it reports. Time is a number here; test/cassandra has real nodes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '#store';
import { Retry, type Waits } from './retry.js';

function clock() {
  const reports: string[] = [];
  let time = 0;
  const waits: Waits = {
    now: () => time,
    pause: async milliseconds => {
      time += milliseconds;
    },
    report: sentence => reports.push(sentence),
  };
  return { waits, reports, time: () => time };
}

const failing = (...errors: readonly Error[]) => {
  const left = [...errors];
  return async (): Promise<string> => {
    const error = left.shift();
    if (error) throw error;
    return 'done';
  };
};

const busy = (message: string): StoreError => new StoreError('busy', message);

test('a step is repeated while it fails with busy, and each cause is reported once', async () => {
  const { waits, reports } = clock();
  const retry = new Retry(60, waits);
  assert.equal(await retry.run(failing(busy('One.'), busy('Two'), busy('One.'))), 'done');
  assert.equal(await retry.run(failing(busy('Two'))), 'done');
  assert.deepEqual(reports, [
    'Waiting up to 60 s for the cluster: One.',
    'Waiting up to 60 s for the cluster: Two.',
  ]);
});

test('all steps share one time limit; then the last cause ends the open, in one sentence', async () => {
  const { waits, time } = clock();
  const retry = new Retry(3, waits);
  await retry.run(failing(busy('One.'), busy('One.')));
  const never = (): Promise<never> => Promise.reject(busy('No quorum.'));
  await assert.rejects(retry.run(never), { code: 'busy', message: 'No quorum (tried for 3 s).' });
  assert.equal(time(), 3000);
});

test('nothing else is repeated, and nothing at all without time', async () => {
  const { waits, reports } = clock();
  const wrong = new StoreError('unsupported', 'Wrong.');
  await assert.rejects(new Retry(60, waits).run(failing(wrong)), wrong);
  const fault = new TypeError('fault');
  await assert.rejects(new Retry(60, waits).run(failing(fault)), fault);
  await assert.rejects(new Retry(0, waits).run(failing(busy('One.'))), { message: 'One.' });
  assert.deepEqual(reports, []);
});
