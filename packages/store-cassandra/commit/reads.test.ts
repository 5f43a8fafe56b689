// Waiting reads of one partition are combined; each is sent after it was asked for, and a failure is reported to the
// callers that were in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '#store';
import type { Partition } from './partition.js';
import { Reads } from './reads.js';

interface Sent {
  readonly keys: readonly string[];
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

const rowOf = (key: string): Row => ({ partition: 'p', key, version: 1n, value: Buffer.from(key) });
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

function partitionOf(sent: Sent[]): Partition {
  const readKeys = (keys: readonly string[]): Promise<object> =>
    new Promise((resolve, reject) => {
      const rows = new Map(keys.map(key => [key, rowOf(key)]));
      sent.push({ keys, answer: () => resolve({ fence: 1n, gaps: undefined, rows }), fail: reject });
    });
  return { place: '1 p', readKeys } as unknown as Partition;
}

test('reads: those of one turn are sent together, and at most two groups are in flight', async () => {
  const [reads, sent] = [new Reads(), [] as Sent[]];
  const partition = partitionOf(sent);
  const answers = ['a', 'b'].map(key => reads.read(partition, [key]));
  await turn();
  assert.deepEqual(
    sent.map(({ keys }) => keys),
    [['a', 'b']],
  );
  answers.push(reads.read(partition, ['c']));
  await turn();
  for (const key of ['d', 'e']) answers.push(reads.read(partition, [key]));
  await turn();
  assert.equal(sent.length, 2);
  sent[0]?.answer();
  await turn();
  assert.deepEqual(sent[2]?.keys, ['d', 'e']);
  for (const { answer } of sent) answer();
  const found = await Promise.all(answers);
  assert.equal(found.at(-1)?.get('e')?.value.toString(), 'e');
});

test('reads: a failure is reported to its group, and later reads are sent', async () => {
  const [reads, sent] = [new Reads(), [] as Sent[]];
  const partition = partitionOf(sent);
  const failing = [reads.read(partition, ['a']), reads.read(partition, ['b'])];
  await turn();
  sent[0]?.fail(new Error('busy'));
  for (const read of failing) await assert.rejects(read, /busy/);
  const later = reads.read(partition, ['c']);
  await turn();
  sent.at(-1)?.answer();
  assert.ok((await later).has('c'));
});

test('reads: a group names 200 keys at most, and a single read as many as it wants', async () => {
  const [reads, sent] = [new Reads(), [] as Sent[]];
  const partition = partitionOf(sent);
  const keys = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}`);
  const all = [reads.read(partition, keys(500)), reads.read(partition, keys(1))];
  await turn();
  for (let at = 0; at < sent.length; at++) {
    sent[at]?.answer();
    await turn();
  }
  await Promise.all(all);
  assert.deepEqual(
    sent.map(one => one.keys.length),
    [500, 1],
  );
  for (const count of [199, 200, 201]) {
    sent.length = 0;
    const two = [reads.read(partition, keys(count - 1)), reads.read(partition, keys(1))];
    await turn();
    for (let at = 0; at < sent.length; at++) {
      sent[at]?.answer();
      await turn();
    }
    await Promise.all(two);
    assert.equal(sent.length, count <= 200 ? 1 : 2);
  }
});
