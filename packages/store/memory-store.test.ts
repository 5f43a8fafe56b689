// Runs the conformance suite on the memory store, alone and behind a faulty store whose faults never happen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '#base';
import { collectRows } from './collect-rows.js';
import { conformance, contentConformance } from './conformance/index.js';
import type { StoreWithContent } from './content.js';
import { openFaultyStore } from './faulty-store.js';
import { openMemoryStore } from './memory-store.js';

const CONTENT_BYTES_MAX = 64 * 1024 * 1024;

const memory = {
  name: 'memory',
  test,
  open: async ({ clock }: { clock: Clock }) =>
    opened(openMemoryStore({ clock, contentBytesMax: CONTENT_BYTES_MAX })),
};
const faulty = {
  name: 'memory behind faults of 0 %',
  test,
  open: async ({ clock }: { clock: Clock }) => {
    const faults = { failBefore: 0, failAfter: 0, delay: 0, redecide: 0, shortScan: 0 };
    const store = openMemoryStore({ clock, contentBytesMax: CONTENT_BYTES_MAX });
    return opened(openFaultyStore(store, { ...faults, random: () => 0 }));
  },
};
for (const options of [memory, faulty]) {
  conformance(options);
  contentConformance({ ...options, contentBytesMax: CONTENT_BYTES_MAX });
}

test('the memory store handles 100,000 rows, half of them in partitions of their own', async () => {
  const store = openMemoryStore();
  const space = await store.createSpace({ account: 'a', service: 't', name: 'n' }, Buffer.alloc(0));
  assert(space !== undefined);
  const value = Buffer.from('v');
  for (let index = 0; index < 50_000; index += 1) {
    // A step that is coprime with the count visits every key once, each far from the previous one.
    const place = `${(index * 30_011) % 50_000}`.padStart(5, '0');
    const decide = () => ({ result: true, puts: [{ key: place, value }] });
    await store.commit(space, 'one', { keys: [place] }, decide);
    await store.commit(space, place, { keys: [place] }, decide);
  }
  const budget = { rows: 1e6, bytes: 1e9, examined: 1e9, milliseconds: 1e9 };
  const page = await collectRows(store, space, { from: { partition: '', key: '' } }, budget);
  assert.equal(page.rows.length, 100_000);
});

test('a page of the memory store ends early if its visitor works long', async () => {
  const store = openMemoryStore();
  const space = await store.createSpace({ account: 'a', service: 't', name: 'n' }, Buffer.alloc(0));
  assert(space !== undefined);
  const puts = Array.from({ length: 20 }, (_, i) => ({ key: `k${i}`, value: Buffer.from('v') }));
  await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
  const examined = async (stepsOfRow: number): Promise<number> => {
    const effort = { steps: 0 };
    const budget = { rows: 1e6, bytes: 1e9, examined: 1e9, milliseconds: 1e9, effort };
    const end = await store.scan(space, { from: { partition: '', key: '' } }, budget, () => {
      effort.steps += stepsOfRow;
      return false;
    });
    return end.examined;
  };
  assert.deepEqual([await examined(0), await examined(100), await examined(24_999)], [20, 20, 20]);
  assert.deepEqual([await examined(100_000), await examined(10_000_000)], [5, 1]);
});

function opened(store: StoreWithContent): { store: StoreWithContent; close(): Promise<void> } {
  return { store, close: () => store.close() };
}
