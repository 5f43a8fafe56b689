// Random histories of a queue against the simple model, on both engines; and many concurrent gets, updates and deletes.
// A failure prints fast-check's seed and path; add them next to `numRuns` below to repeat it alone.
// `npm run verify queues` runs longer.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { execute, type LeasedMessage, type QueueContext } from '#queues';
import { openFaultyStore, openMemoryStore, type Store } from '#store';
import { openLmdbStore } from '#store-lmdb';
import { Random } from '../simulation/plan/random.js';
import { QueueModel, SECOND, type Step } from './model.js';
import { someHistory } from './some-history.js';

interface Setting {
  readonly store: Store;
  readonly time: { now: bigint };
}

const LENGTH = process.env.SHELFMARK_LONG === undefined ? 1 : 200;

let queues = 0;

/** Later than every tick that an earlier history can have brought about. */
async function openModel({ store, time }: Setting): Promise<QueueModel> {
  queues += 1;
  time.now += 30n * 24n * 3600n * SECOND;
  const context = { store, account: `account${queues}`, ids: randomUUID };
  const model = new QueueModel(context, time, 'jobs');
  await model.open();
  return model;
}

async function follow(setting: Setting, steps: readonly Step[]): Promise<void> {
  const model = await openModel(setting);
  for (const each of steps) await model.take(each);
  await model.drain();
}

/** Clients work on all messages until none is left; after a failed delete another client gets the message. */
async function work(context: QueueContext, done: Map<string, number>, holders: Set<string>): Promise<void> {
  const queue = 'jobs';
  const run = (operation: Parameters<typeof execute>[0]) => execute(operation, context, () => 0n);
  for (;;) {
    const outcome = await run({ kind: 'getMessages', queue, count: 4, visibilitySeconds: 600_000 });
    assert.ok(outcome.kind === 'messages');
    if (outcome.messages.length === 0) return;
    for (const message of outcome.messages) {
      assert.ok(!holders.has(message.id), 'two hold one message');
      holders.add(message.id);
    }
    for (const message of outcome.messages) await finish(message);
  }

  async function finish({ id, receipt, text, dequeueCount }: LeasedMessage): Promise<void> {
    const isDropped = dequeueCount === 1 && Number(text) % 3 === 0;
    holders.delete(id);
    if (isDropped) {
      await run({ kind: 'updateMessage', queue, id, receipt, visibilitySeconds: 0, text: undefined });
    } else {
      await run({ kind: 'deleteMessage', queue, id, receipt });
      done.set(text, (done.get(text) ?? 0) + 1);
    }
  }
}

async function workTogether({ store, time }: Setting): Promise<void> {
  queues += 1;
  time.now += 30n * 24n * 3600n * SECOND;
  const context = { store, account: `account${queues}`, ids: randomUUID };
  const run = (operation: Parameters<typeof execute>[0]) => execute(operation, context, () => 0n);
  await run({ kind: 'createQueue', queue: 'jobs', metadata: [] });
  const texts = Array.from({ length: 100 }, (_, index) => String(index));
  const times = { visibilitySeconds: 0, timeToLiveSeconds: undefined };
  await Promise.all(texts.map(text => run({ kind: 'putMessage', queue: 'jobs', text, ...times })));
  const done = new Map<string, number>();
  const holders = new Set<string>();
  await Promise.all(Array.from({ length: 32 }, () => work(context, done, holders)));
  assert.deepEqual([...done.keys()].sort(), [...texts].sort());
  assert.ok([...done.values()].every(times => times === 1));
}

describe('on the memory store', () => {
  const time = { now: 17_000_000_000_000_000n };
  const setting = { store: openMemoryStore({ clock: () => time.now }), time };

  test('a queue does what the model allows', () =>
    fc.assert(
      fc.asyncProperty(someHistory, steps => follow(setting, steps)),
      { numRuns: 15 * LENGTH },
    ));
  test('32 who work at one time do each message once', () => workTogether(setting));
});

/** Scans stop early, and decisions are asked for twice. */
describe('on a store that does what it may', () => {
  const time = { now: 17_000_000_000_000_000n };
  const open = (seed: number): Setting => {
    const chance = new Random(seed);
    const random = () => chance.next();
    const faults = { random, failBefore: 0, failAfter: 0, delay: 0.1, redecide: 0.2, shortScan: 0.5 };
    return { store: openFaultyStore(openMemoryStore({ clock: () => time.now }), faults), time };
  };

  test('a queue does what the model allows', () =>
    fc.assert(
      fc.asyncProperty(fc.integer(), someHistory, (seed, steps) => follow(open(seed), steps)),
      { numRuns: 5 * LENGTH },
    ));
  test('32 who work at one time do each message once', () => workTogether(open(1)));
});

describe('on LMDB', () => {
  const time = { now: 17_000_000_000_000_000n };
  let directory: string;
  let store: Store;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-queues-'));
    store = await openLmdbStore({ directory, clock: () => time.now, durability: 'none', exclusive: true });
  });
  after(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  test('a queue does what the model allows', () =>
    fc.assert(
      fc.asyncProperty(someHistory, steps => follow({ store, time }, steps)),
      { numRuns: 5 * LENGTH },
    ));
  test('32 who work at one time do each message once', () => workTogether({ store, time }));
});
