// Properties that the library gives: defaults, and the times of a row's first and last write, in every write by its name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, type Db, entity, Instant, key, type NewOf, type Of, part, t } from '#patterns';
import { change, writeAll } from '#patterns/bulk';
import { describePeers } from '../support/peers.js';

const PROPS = { department: t.string(), id: t.int32(), name: t.string() };
const KEYS = { partition: key(part('department')), row: key('task', part('id', codec.int(4))) };

/** The entity before it had them. */
const Bare = entity('Task', { version: 1, table: 'Tasks', props: PROPS, ...KEYS });
const Task = entity('Task', {
  version: 1,
  table: 'Tasks',
  props: {
    ...PROPS,
    state: t.oneOf('open', 'shut').default('open'),
    number: t.int64().default(() => 7n),
    created: t.created(),
    updated: t.updated().stored('LastWrite'),
  },
  ...KEYS,
});

const FIRST = Date.UTC(2026, 0, 1);
const at = (seconds: number): Instant => Instant.fromDate(new Date(FIRST + seconds * 1000));
const given: NewOf<typeof Task> = { department: 'a', id: 1, name: 'one' };
const whole: Of<typeof Task> = { ...given, state: 'open', number: 7n, created: at(0), updated: at(0) };

describePeers('properties that the library gives', peer => {
  /** A clock that is advanced by hand. */
  function opened(): { readonly db: Db; go(seconds: number): void } {
    let now = FIRST;
    const db = peer.open({ now: () => now });
    return {
      db,
      go: seconds => {
        now = FIRST + seconds * 1000;
      },
    };
  }

  test('are in what is written, given back and read', async () => {
    const { db } = opened();
    const tasks = db.repo(Task, { table: await peer.newTable() });
    const created = await tasks.create(given);
    assert.deepEqual(created.value, whole);
    assert.deepEqual((await tasks.get(given))?.value, whole);
    const shut = await tasks.create({ ...given, id: 2, state: 'shut', number: 1n });
    assert.deepEqual([shut.value.state, shut.value.number], ['shut', 1n]);
  });

  test('are times of the first write and the last, whatever the write is called', async () => {
    const { db, go } = opened();
    const tasks = db.repo(Task, { table: await peer.newTable() });
    const times = async (): Promise<readonly Instant[]> => {
      const { created, updated } = (await tasks.get(given))?.value ?? assert.fail();
      return [created, updated];
    };
    let stored = await tasks.create(given);
    go(1);
    stored = await tasks.merge(stored, { name: 'two' });
    assert.deepEqual(await times(), [at(0), at(1)]);
    assert.deepEqual([stored.value.created, stored.value.updated], [at(0), at(1)]);
    go(2);
    stored = await tasks.replace(stored, { ...given, name: 'three' });
    assert.deepEqual(await times(), [at(0), at(2)]);
    go(3);
    await tasks.merge({ key: given, etag: '*' }, { name: 'four', updated: at(100) });
    assert.deepEqual(await times(), [at(0), at(3)]);
    go(4);
    await tasks.upsertMerge(given);
    assert.deepEqual(await times(), [at(0), at(4)]);
    go(5);
    await tasks.mutate(given, row => row && { ...row, name: 'five' });
    assert.deepEqual(await times(), [at(0), at(5)]);
    go(6);
    const now = (await tasks.get(given)) ?? assert.fail();
    await db
      .batch(Task, { department: 'a' }, { table: tasks.table })
      .merge(Task, now, { name: 'six' })
      .commit();
    assert.deepEqual(await times(), [at(0), at(6)]);
    go(7);
    const changes = [change.merge(Task, (await tasks.get(given)) ?? assert.fail(), { name: 'seven' })];
    for await (const report of writeAll(db, changes)) assert.equal(report.kind, 'done');
    assert.deepEqual(await times(), [at(0), at(7)]);
    go(8);
    await tasks.upsert(given);
    assert.deepEqual(await times(), [at(8), at(8)]);
  });

  test('are given for rows that lack them', async () => {
    const { db } = opened();
    const table = await peer.newTable();
    const bare = await db.repo(Bare, { table }).create({ department: 'a', id: 1, name: 'one' });
    const read = (await db.repo(Task, { table }).get(given)) ?? assert.fail();
    assert.deepEqual(read.value, { ...whole, created: bare.timestamp, updated: bare.timestamp });
    const some = await db
      .repo(Task, { table })
      .partition({ department: 'a' })
      .select('state', 'updated')
      .take(1);
    assert.deepEqual([some[0]?.value.state, some[0]?.value.updated], ['open', bare.timestamp]);
  });

  test('need not be given where a row is made by mutate, and a change that is none writes nothing', async () => {
    const { db, go } = opened();
    const tasks = db.repo(Task, { table: await peer.newTable() });
    const made = await tasks.mutate(given, row => row ?? given, { checksPurity: true });
    assert.deepEqual(made?.value, whole);
    go(1);
    const same = await tasks.mutate(given, row => row);
    assert.equal(same?.etag, made?.etag);
  });

  test('are typed: what must be given and what is read', () => {
    const read: Of<typeof Task> = whole;
    // @ts-expect-error: a row that was read has them all.
    const missing: Of<typeof Task> = given;
    // @ts-expect-error: a default is of the property's type.
    t.oneOf('open', 'shut').default('ajar');
    assert(read !== missing);
  });
});
