// Rolling tables on a server that deletes tables as Azure does, whose names can be neither used nor made again for a while; and days of late events, early ones and maintenance against a model.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { TableServiceClient } from '@azure/data-tables';
import { serve } from 'shelfmark';
import { entity, Instant, key, open, t as type } from '#patterns';
import { rolling } from '#patterns/rolling';
import '../../../packages/patterns/testing/fail-on-warning.js';
import { onlyIn } from '../../support/slow.js';
import { outcomeOf } from '../support/collect.js';
import { column } from '../support/column.js';
import { FaultyClient } from '../support/faulty-client.js';
import { rejects } from '../support/rejects.js';
import { chanceOf, repeatBy, SEED } from '../support/seeded.js';
import { DAY, NOON } from './rolling-world.js';

const Event = entity('Event', {
  version: 1,
  table: 'Event',
  props: { id: type.int32(), at: type.instant(), note: type.string().optional() },
  partition: key('events'),
  row: p => key(p.at, p.id),
});

/** A server whose clock advances as its clients sleep: it starts from now, because official clients sign the current time. */
async function world(t: TestContext, tableDeletionSeconds: number) {
  const clock = { ticks: NOON.ticks, slept: 0 };
  const start = BigInt(Date.now());
  const server = await serve({
    data: undefined,
    tableDeletionSeconds,
    clock: () => (start + BigInt(clock.slept)) * 10_000n,
  });
  t.after(() => server.close());
  const client = TableServiceClient.fromConnectionString(server.connectionString(), {
    allowInsecureConnection: true,
  });
  const requests = new FaultyClient();
  const sleep = async (milliseconds: number): Promise<void> => {
    clock.ticks += BigInt(milliseconds) * 10_000n;
    clock.slept += milliseconds;
  };
  const now = (): number => Instant.fromTicks(clock.ticks).toDate().getTime();
  const db = open({ tables: client }, { now, sleep, httpClient: requests });
  return { clock, client, db, requests };
}

const IS_LONG = process.env.SHELFMARK_LONG !== undefined;
const OPTIONS = { time: 'at', every: 'day', keep: 7 } as const;

test('the name of a table that is being deleted is waited for, as long as is said', async t => {
  const waits = [39, 40, ...(IS_LONG ? [0, 41] : [])];
  for (const waitForDeletion of waits) {
    const { client, clock, db } = await world(t, 40);
    const events = rolling(db, Event, { ...OPTIONS, waitForDeletion });
    const row = await events.create({ id: 1, at: NOON });
    await client.deleteTable(events.tableOf(NOON));
    // It has no rows then.
    assert.equal(await events.get({ id: 1, at: NOON }), undefined);
    assert.deepEqual(await events.at(NOON).partition({}).take(9), []);
    await rejects(events.merge(row, { note: 'n' }), 'NotFound');
    await rejects(events.delete(row), 'NotFound');
    assert.deepEqual((await events.explain()).retained, []);
    assert.deepEqual(await events.expire(NOON.plus(DAY * 30n)), []);
    const written = Promise.all([2, 3, 4].map(id => events.create({ id, at: NOON })));
    if (waitForDeletion >= 40) {
      await written;
      assert.equal((await events.at(NOON).partition({}).take(9)).length, 3);
    } else await rejects(written, 'TableBeingDeleted', { table: events.tableOf(NOON) });
    // Writers of one program wait for it once.
    assert.equal(clock.slept, Math.min(waitForDeletion, 40) * 1_000);
  }
});

test('a generation of its own has names that are free at once', async t => {
  const { client, clock, db } = await world(t, 40);
  const [first, second] = [1, 2].map(generation => rolling(db, Event, { ...OPTIONS, generation }));
  assert(first && second);
  await first.create({ id: 1, at: NOON });
  await client.deleteTable(first.tableOf(NOON));
  await second.create({ id: 2, at: NOON });
  await second.batch(NOON, {}).create(Event, { id: 3, at: NOON }).commit();
  assert.equal(clock.slept, 0);
});

test('a writer that waits ends by its signal, and others go on', async t => {
  const { client, db } = await world(t, 40);
  const events = rolling(db, Event, OPTIONS);
  await events.prepare({ count: 0 });
  await client.deleteTable(events.tableOf(NOON));
  const controller = new AbortController();
  const stopped = events.create({ id: 1, at: NOON }, { signal: controller.signal });
  const written = events.create({ id: 2, at: NOON });
  controller.abort(new Error('enough'));
  await assert.rejects(stopped);
  await written;
  assert.equal((await events.get({ id: 2, at: NOON }))?.value.id, 2);
});

test('writers that come together make a table once, and a table that is made stays made', async t => {
  const { db, requests } = await world(t, 0);
  const events = rolling(db, Event, OPTIONS);
  await Promise.all(Array.from({ length: 20 }, (_, id) => events.create({ id, at: NOON })));
  // Of each the write that finds no table, and the one that does; and one that makes it.
  assert(requests.count <= 41, `${requests.count} requests`);
  const before = requests.count;
  await events.create({ id: 99, at: NOON });
  assert.equal(requests.count, before + 1);
});

test('days of events, some late and some early, leave what is kept and nothing else', {
  skip: onlyIn('patterns'),
}, async t => {
  const days = 100;
  const { client, clock, db } = await world(t, 40);
  const chance = chanceOf(SEED);
  const keep = 5;
  const events = rolling(db, Event, { time: 'at', every: 'day', keep, ahead: 1 });
  const model = new Map<number, Instant>();
  let id = 0;
  const dayOf = (at: bigint): bigint => at / DAY;
  for (let day = 0; day < days; day++) {
    for (let count = 0; count < 4; count++) {
      // Up to a week late, or two days early.
      const at = Instant.fromTicks(
        clock.ticks + BigInt(Math.floor((chance() * 9 - 7) * 86_400)) * 10_000_000n,
      );
      const age = dayOf(clock.ticks) - dayOf(at.ticks);
      const expected = age > BigInt(keep) ? 'Expired' : age < -1n ? 'ValueInvalid' : 'done';
      assert.equal(
        await outcomeOf(events.create({ id: ++id, at })),
        expected,
        repeatBy('rolling/rolling-deletion'),
      );
      if (expected === 'done') model.set(id, at);
    }
    if (chance() < 0.6) await events.expire();
    if (chance() < 0.3) await events.prepare();
    clock.ticks += DAY;
    const kept = [...model]
      .filter(([, at]) => dayOf(clock.ticks) - dayOf(at.ticks) <= BigInt(keep))
      .sort(([, a], [, b]) => (a.ticks < b.ticks ? -1 : 1))
      .map(([each]) => each);
    const [from, to] = [
      Instant.fromTicks(clock.ticks - DAY * 30n),
      Instant.fromTicks(clock.ticks + DAY * 3n),
    ];
    const found = await events.span(from, to, repo => repo.partition({})).take(1000);
    assert.deepEqual(column(found, 'id'), kept, repeatBy('rolling/rolling-deletion'));
  }
  await events.expire();
  const first = dayOf(clock.ticks) - BigInt(keep);
  for await (const { name = '' } of client.listTables()) {
    const day = Instant.parse(name.replace(/^Event(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
    assert(dayOf(day.ticks) >= first, name);
  }
});
