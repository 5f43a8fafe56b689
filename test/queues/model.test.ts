// The model of a queue detects planted faults, and accepts a store without one.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { openMemoryStore } from '#store';
import { honest, QUEUE_FAULTS } from '../simulation/run/planted-faults.js';
import type { Plant } from '../simulation/run/subject.js';
import { QueueModel } from './model.js';
import { someHistory } from './some-history.js';

/** The error of the first failing one among a hundred histories. */
async function firstFailure(plant: Plant): Promise<Error | undefined> {
  for (const steps of fc.sample(someHistory, { numRuns: 100, seed: 20_261_123 })) {
    const time = { now: 17_000_000_000_000_000n };
    const store = plant(openMemoryStore({ clock: () => time.now }));
    const model = new QueueModel({ store, account: 'account1', ids: randomUUID }, time, 'jobs');
    try {
      await model.open();
      for (const each of steps) await model.take(each);
      await model.drain();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return error;
    }
  }
  return undefined;
}

/** The model's finding for each planted fault. */
const FINDINGS: Readonly<Record<keyof typeof QUEUE_FAULTS, RegExp>> = {
  'a message that is got stays visible too': /are counted behind a sweep, \d+ live$|is invisible$/,
  'a message that was deleted comes back': /^'text \d+' is not there any more$/,
  'some messages are answered and not kept': /are counted, \d+ live$/,
  'messages are hidden for no time': /^'text \d+' is invisible$/,
  'messages are lost and counted': /^messages were lost|is missing$/,
  'an update is answered and not kept': /'PopReceiptMismatch'/,
};

for (const [name, { plant }] of Object.entries(QUEUE_FAULTS)) {
  test(`found: ${name}`, async () => {
    const failure = await firstFailure(plant);
    assert.match(failure?.message ?? 'nothing', FINDINGS[name] ?? /^no finding is known$/);
  });
}

test('nothing is found in a store that only passes calls on', async () => {
  assert.equal(await firstFailure(honest), undefined);
});
