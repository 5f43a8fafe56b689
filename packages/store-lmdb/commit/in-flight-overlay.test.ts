// Shows what decisions see while changes are on their way: the last change of each row, above what is durable.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '#base';
import { type Environment, openEnvironment } from '../environment.js';
import { Counters } from '../layout/counters.js';
import { WalOverlay } from '../wal/wal-overlay.js';
import { InFlightOverlay } from './in-flight-overlay.js';

const CHUNK = 16;

interface Opened {
  readonly environment: Environment;
  readonly recent: WalOverlay;
  readonly pending: InFlightOverlay;
}

async function open(t: TestContext): Promise<Opened> {
  const directory = await mkdtemp(join(tmpdir(), 'pending-rows-'));
  const environment = openEnvironment({ directory, durability: 'none', chunk: CHUNK });
  t.after(async () => {
    await environment.close();
    await rm(directory, { recursive: true });
  });
  const counters = new Counters(systemClock);
  await environment.transaction(() => {
    const row = { partition: 'p', key: 'durable', version: 1n, value: Buffer.from('old') };
    environment.rows.put(7, row, counters);
  });
  const recent = new WalOverlay();
  return { environment, recent, pending: new InFlightOverlay(environment.rows, CHUNK, recent) };
}

const row = (partition: string, key: string, version: bigint, text: string) => ({
  partition,
  key,
  version,
  value: Buffer.from(text),
});

test('a change hides what is durable until it is forgotten, and a later one stays', async t => {
  const { pending } = await open(t);
  const text = () => pending.get(7, 'p', 'durable')?.value.toString();
  assert.equal(text(), 'old');
  const first = pending.put(7, row('p', 'durable', 2n, 'new'));
  assert.equal(text(), 'new');
  assert.equal(pending.get(7, 'p', 'durable')?.version, 2n);
  const second = pending.remove(7, 'p', 'durable');
  assert.equal(text(), undefined);
  pending.forget(first);
  assert.equal(text(), undefined);
  pending.forget(second);
  assert.equal(text(), 'old');
});

test('what is recent hides the tree, and a change on its way hides what is recent', async t => {
  const { pending, recent } = await open(t);
  const text = () => pending.get(7, 'p', 'durable')?.value.toString();
  const [put, removal, last] = [
    pending.put(7, row('p', 'durable', 2n, 'recent')),
    pending.remove(7, 'p', 'durable'),
    pending.put(7, row('p', 'durable', 4n, 'on its way')),
  ];
  recent.add(put);
  pending.forget(put);
  assert.equal(text(), 'on its way');
  pending.forget(last);
  assert.equal(text(), 'recent');
  assert.equal(pending.get(7, 'p', 'durable')?.version, 2n);
  recent.add(removal);
  assert.equal(text(), undefined);
  recent.forget(put);
  assert.equal(text(), undefined);
  recent.forget(removal);
  assert.equal(text(), 'old');
});

test('a row that is only recent is there, and so is one under the longest key that can be', async t => {
  const { pending, recent } = await open(t);
  for (const key of ['', 'k'.repeat(CHUNK - 2), '\ud83d']) {
    const change = pending.put(7, row('p', key, 3n, 'abc'));
    recent.add(change);
    pending.forget(change);
    assert.deepEqual(pending.get(7, 'p', key), row('p', key, 3n, 'abc'));
    assert.equal(pending.get(8, 'p', key), undefined);
  }
});

test('the value is a copy: what the caller does with its memory afterwards does not count', async t => {
  const { pending } = await open(t);
  const given = row('p', 'k', 1n, 'abc');
  pending.put(7, given);
  given.value.fill(0);
  assert.equal(pending.get(7, 'p', 'k')?.value.toString(), 'abc');
});

test('rows of different spaces, partitions and keys are different rows', async t => {
  const { pending } = await open(t);
  const places: [number, string, string][] = [
    [1, 'ab', 'c'],
    [1, 'a', 'bc'],
    [1, '', 'abc'],
    [11, 'ab', 'c'],
    [1, '1/ab', 'c'],
    [1, 'ab', '/c'],
    [1, '\0', 'c'],
    [1, '', '\0c'],
  ];
  for (const [index, [space, partition, key]] of places.entries()) {
    pending.put(space, row(partition, key, BigInt(index), String(index)));
  }
  for (const [index, [space, partition, key]] of places.entries()) {
    assert.equal(pending.get(space, partition, key)?.value.toString(), String(index));
  }
});

test('keys that fit into one of LMDB can be pending, longer ones cannot', async t => {
  const { pending } = await open(t);
  assert.equal(pending.holds('p', 'k'.repeat(CHUNK - 3)), true);
  assert.equal(pending.holds('p', 'k'.repeat(CHUNK - 2)), true);
  assert.equal(pending.holds('p', 'k'.repeat(CHUNK - 1)), false);
});
