// Random histories of a queue, judged, on both engines; and many concurrent gets, updates and deletes.
// A failure prints fast-check's seed and path; added next to `numRuns` below, they repeat it alone. `npm run verify
// queues` runs longer.
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
import { drawFrom, from, several, unit } from '../random/arbitrary.js';
import type { QueueAction } from '../simulation/plan/step.js';
import { SimulatedClock } from '../simulation/run/clock.js';
import { QueueRun } from '../simulation/run/queue-run.js';
import { queuesOn } from '../simulation/run/subject.js';
import { faultsOfQueueRows, messagesIn, queuesIn } from './queue-rows.js';
import { onQueue, someAction } from './some-action.js';

interface Setting {
  readonly store: Store;
  /** The same without faults. */
  readonly rows: Store;
  readonly clock: SimulatedClock;
}

const LENGTH = process.env.SHELFMARK_LONG === undefined ? 1 : 200;
const MONTH_SECONDS = 30 * 24 * 3600;
const QUEUE = 'jobs';

const ACTIONS = several(
  someAction({
    queues: [QUEUE],
    delays: [0, 0, 0, 1, 4],
    lives: [5, 20, 4000, undefined],
    hidden: [1, 2, 5, 10],
    others: [
      [2, onQueue('clear', [QUEUE])],
      [4, fc.constant({ kind: 'sweep' })],
      [12, fc.record({ kind: fc.constant('pass'), seconds: from([1, 2, 5, 10, 30, 3600, -3600, -2]) })],
    ],
  }),
  0,
  60,
);

/** Each on an empty queue. The rows agree with the count all the time, and clearing leaves none. */
async function follow({ store, rows, clock }: Setting, actions: readonly QueueAction[]): Promise<void> {
  // Later than every tick that an earlier history can have caused.
  clock.pass(MONTH_SECONDS);
  let time = 0;
  const tick = (): number => ++time;
  const subject = queuesOn(store, clock);
  const run = new QueueRun({ subject, clock, queues: [QUEUE], tick, mayBeLost: () => false });
  await run.begin({ kind: 'createQueue', queue: QUEUE }, 0);
  for (const [index, action] of actions.entries()) {
    await run.begin(action, index + 1);
    assert.deepEqual(await faultsOfQueueRows(rows), []);
  }
  const end = actions.length + 1;
  await run.takeEverything(end);
  await run.begin({ kind: 'clear', queue: QUEUE }, end);
  await run.begin({ kind: 'sweep' }, end);
  for (const space of await queuesIn(rows)) assert.deepEqual(await messagesIn(rows, space), []);
  await run.begin({ kind: 'deleteQueue', queue: QUEUE }, end);
  run.judge();
}

/** All messages are processed until none is left; a worker that fails to delete one leaves it to others. */
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

async function workTogether({ store }: Setting): Promise<void> {
  const context = { store, account: 'workers', ids: randomUUID };
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
  const clock = new SimulatedClock(1);
  const store = openMemoryStore({ clock: clock.read });
  const setting = { store, rows: store, clock };

  test('a queue does what the judge allows', () =>
    fc.assert(
      fc.asyncProperty(ACTIONS, steps => follow(setting, steps)),
      { numRuns: 15 * LENGTH },
    ));
  test('32 concurrent workers process each message once', () => workTogether(setting));
});

/** Scans stop early, and decisions are requested twice. */
describe('on a store that does what it may', () => {
  const open = (seed: number): Setting => {
    const clock = new SimulatedClock(seed);
    const draw = drawFrom(seed);
    const random = () => draw(unit);
    const faults = { random, failBefore: 0, failAfter: 0, delay: 0.1, redecide: 0.2, shortScan: 0.5 };
    const rows = openMemoryStore({ clock: clock.read });
    return { store: openFaultyStore(rows, faults), rows, clock };
  };

  test('a queue does what the judge allows', () =>
    fc.assert(
      fc.asyncProperty(fc.integer(), ACTIONS, (seed, steps) => follow(open(seed), steps)),
      { numRuns: 5 * LENGTH },
    ));
  test('32 concurrent workers process each message once', () => workTogether(open(1)));
});

describe('on LMDB', () => {
  const clock = new SimulatedClock(1);
  let directory: string;
  let store: Store;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-queues-'));
    store = await openLmdbStore({ directory, clock: clock.read, durability: 'none', exclusive: true });
  });
  after(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  test('a queue does what the judge allows', () =>
    fc.assert(
      fc.asyncProperty(ACTIONS, steps => follow({ store, rows: store, clock }, steps)),
      { numRuns: 5 * LENGTH },
    ));
  test('32 concurrent workers process each message once', () => workTogether({ store, rows: store, clock }));
});
