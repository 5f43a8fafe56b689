// The log tail at its worst: eight threads make a hundred thousand keys each within one millisecond, and their clocks go back an hour in the middle of it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Entry, type WriterTask } from './log-tail-writer.js';

const WRITERS = 8;
const COUNT = 100_000;
const NOW = Date.UTC(2026, 0, 5);
const HOUR = 3_600_000;

async function keysOf(task: WriterTask): Promise<readonly string[]> {
  const worker = new Worker(new URL('./log-tail-writer.js', import.meta.url), { workerData: task });
  const [keys] = (await once(worker, 'message')) as [readonly string[]];
  return keys;
}

const ticksOf = (text: string): bigint => {
  const { at } = Entry.plan.row.decode(text) as { readonly at: { readonly ticks: bigint } };
  return at.ticks;
};

test(`keys of ${WRITERS} threads are distinct, and each thread's newest first, within a millisecond`, async () => {
  const task = { now: NOW, count: COUNT, stepAfter: COUNT / 2, step: -HOUR };
  const all = await Promise.all(Array.from({ length: WRITERS }, () => keysOf(task)));
  const keys = new Set(all.flat());
  assert.equal(keys.size, WRITERS * COUNT);
  const writers = new Set<string | undefined>();
  for (const own of all) {
    // Keys are texts, which the service sorts as such: what was made later comes before all that was made earlier.
    assert(own.every((text, index) => index === 0 || text < (own[index - 1] ?? '')));
    const [oldest = '', newest = ''] = [own[0], own.at(-1)];
    assert.equal(ticksOf(newest) - ticksOf(oldest), BigInt(COUNT - 1));
    for (const text of own) writers.add(text.split('!')[1]);
  }
  assert.equal(writers.size, WRITERS);
  // Threads that have the same time are in the order of their names there, between the times before and after.
  const newest = [...keys].sort().slice(0, 2 * WRITERS);
  const [last, before] = [newest.slice(0, WRITERS), newest.slice(WRITERS)];
  assert.deepEqual(
    [last, before].map(texts => texts.map(text => text.split('!')[1])),
    [[...writers].sort(), [...writers].sort()],
  );
  assert.deepEqual(new Set(last.map(ticksOf)), new Set(before.map(text => ticksOf(text) + 1n)));
});
