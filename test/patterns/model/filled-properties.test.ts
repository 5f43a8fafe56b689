// Properties that the library gives: defaults, and the times of a row's first and last write, in every write by its name. Insert Or Merge writes no default, so that what the row has stays; a row that it
// makes has defaults only where the library read first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, type Db, entity, Instant, key, type NewOf, type Of, part, t } from '#patterns';
import { change, rebucketing } from '#patterns/bulk';
import { near } from '#patterns/indexes';
import { larges, largeText } from '#patterns/large';
import { bags } from '#patterns/mixed';
import { wide, wideRepo } from '#patterns/wide';
import { writeEach } from '../support/collect.js';
import { describePeers } from '../support/peers.js';

const PROPS = { department: t.string(), id: t.int32(), name: t.string() };
const KEYS = { partition: key(part('department')), row: key('task', part('id', codec.int(4))) };
let given = 0;

/** The entity before it had them. */
const Bare = entity('Task', { version: 1, table: 'Tasks', props: PROPS, ...KEYS });
const props = {
  ...PROPS,
  state: t.oneOf('open', 'shut').default('open'),
  number: t.int32().default(() => ++given),
  created: t.created(),
  updated: t.updated().stored('LastWrite'),
};
const spec = { version: 1, table: 'Tasks', props, ...KEYS } as const;
const Task = entity('Task', spec);
const Near = entity('Task', {
  ...spec,
  indexes: { byState: { kind: near, row: key('state', part('state')), project: 'all' } },
});
const Long = entity('Task', { ...spec, props: { ...props, text: t.string().long().default('short') } });

const FIRST = Date.UTC(2026, 0, 1);
const at = (seconds: number): Instant => Instant.fromDate(new Date(FIRST + seconds * 1000));
const task: NewOf<typeof Task> = { department: 'a', id: 1, name: 'one' };
const shut = { ...task, state: 'shut', number: 77 } as const;
const any = { key: task, etag: '*' };

interface Rows {
  create(value: typeof shut): Promise<unknown>;
  get(key: typeof task): Promise<{ readonly value: object } | undefined>;
  upsertMerge(value: typeof task): Promise<unknown>;
}

describePeers('properties that the library gives', peer => {
  /** A clock that is advanced by hand. */
  const opened = async () => {
    const clock = { now: FIRST };
    const [db, table] = [peer.open({ now: () => clock.now }), await peer.newTable()];
    return { db, table, clock, tasks: db.repo(Task, { table }) };
  };

  test('are in what is written, given back and read', async () => {
    const { tasks } = await opened();
    const created = await tasks.create(task);
    const whole: Of<typeof Task> = { ...task, state: 'open', number: given, created: at(0), updated: at(0) };
    assert.deepEqual([created.value, (await tasks.get(task))?.value], [whole, whole]);
    const { value } = await tasks.create({ ...shut, id: 2 });
    assert.deepEqual([value.state, value.number], ['shut', 77]);
    // @ts-expect-error: a row that was read has them all.
    const missing: Of<typeof Task> = task;
    // @ts-expect-error: a default is of the property's type.
    t.oneOf('open', 'shut').default('ajar');
    assert(missing);
  });

  test('are times of the first write and the last, whatever the write is called', async () => {
    const { db, clock, tasks } = await opened();
    const row = async () => (await tasks.get(task)) ?? assert.fail();
    const batch = async () =>
      db.batch(Task, task, { table: tasks.table }).merge(Task, await row(), { name: 'six' });
    for (const [seconds, write, created] of [
      [1, async () => tasks.create(task), 1],
      [2, async () => tasks.merge(await row(), { name: 'two' }), 1],
      [3, async () => tasks.replace(await row(), { ...task, name: 'three' }), 1],
      [4, async () => tasks.merge(any, { name: 'four', updated: at(100) }), 1],
      [5, async () => tasks.upsertMerge(task), 1],
      [6, async () => tasks.mutate(task, now => now && { ...now, name: 'five' }), 1],
      [7, async () => (await batch()).commit(), 1],
      [8, async () => writeEach(db, [change.merge(Task, await row(), { name: 'seven' })]), 1],
      [9, async () => tasks.upsert(task), 9],
    ] as const) {
      clock.now = FIRST + seconds * 1000;
      await write();
      const { value } = await row();
      assert.deepEqual([value.created, value.updated], [at(created), at(seconds)], `at ${seconds}`);
    }
  });

  test('are given for rows that lack them', async () => {
    const { db, table, tasks } = await opened();
    const { timestamp } = await db.repo(Bare, { table }).create(task);
    const { value } = (await tasks.get(task)) ?? assert.fail();
    assert.deepEqual([value.state, value.created, value.updated], ['open', timestamp, timestamp]);
    const [some] = await tasks.partition(task).select('state', 'updated').take(1);
    assert.deepEqual([some?.value.state, some?.value.updated], ['open', timestamp]);
  });

  test('need not be given where a row is made by mutate, and a change that is none writes nothing', async () => {
    const { clock, tasks } = await opened();
    const made = await tasks.mutate(task, row => row ?? shut, { checksPurity: true });
    assert.deepEqual(made?.value, { ...shut, created: at(0), updated: at(0) });
    clock.now++;
    assert.equal((await tasks.mutate(task, row => row))?.etag, made?.etag);
  });

  /** Entities whose writes have a way of their own. */
  const WAYS: Readonly<Record<string, (db: Db, table: string) => Promise<Rows>>> = {
    'a repository': async (db, table) => db.repo(Task, { table }),
    'a near index': async (db, table) => db.repo(Near, { table }),
    'a number of buckets that is being changed': async (db, table) => {
      const partition = key(part('department'), part('id', codec.hash(16, rebucketing(4))));
      return db.repo(entity('Task', { ...spec, partition, row: key(part('id')) }), { table });
    },
    'a wide entity': async (db, table) => wideRepo(db, wide('Wide', { ...spec, table })),
    'large values': async (db, table) => {
      const container = 'defaults';
      await peer.blobs().getContainerClient(container).createIfNotExists();
      const Large = entity('Large', { ...spec, table, props: { ...props, text: largeText().optional() } });
      return larges(db, Large, { container });
    },
  };
  for (const [name, way] of Object.entries(WAYS))
    test(`stay in an Insert Or Merge: ${name}`, async () => {
      const { db, table } = await opened();
      const rows = await way(db, table);
      await rows.create(shut);
      const { value: before } = (await rows.get(task)) ?? assert.fail();
      const asked = given;
      await rows.upsertMerge({ ...task, name: 'two' });
      assert.deepEqual((await rows.get(task))?.value, { ...before, ...shut, name: 'two' });
      assert.equal(given, asked, 'no default is asked for');
    });

  test('stay in an Insert Or Merge: a long value, and what is given is written', async () => {
    const { db, table } = await opened();
    const rows = db.repo(Long, { table });
    const text = 'x'.repeat(100_000);
    await rows.create({ ...shut, text });
    await rows.upsertMerge({ ...task, state: 'open' });
    const { value } = (await rows.get(task)) ?? assert.fail();
    assert.deepEqual([value.text, value.state], [text, 'open']);
  });

  test('are not in a row that an Insert Or Merge makes, unless it read first', async () => {
    const { db, table, tasks } = await opened();
    const namesOf = async (rowKey: string): Promise<readonly string[]> => {
      const { properties } = (await bags(db, table).get('a', rowKey)) ?? assert.fail();
      return ['name', 'state', 'number', 'created'].filter(name => properties.has(name));
    };
    await tasks.upsertMerge(task);
    assert.deepEqual(await namesOf('task!0001'), ['name']);
    assert.equal((await tasks.get(task))?.value.state, 'open');
    assert.deepEqual(
      await tasks
        .partition(task)
        .where(p => p.state.eq('open'))
        .take(9),
      [],
    );
    await db.repo(Near, { table }).upsertMerge({ ...task, id: 2 });
    assert.deepEqual(await namesOf('task!0002'), ['name', 'state', 'number', 'created']);
  });
});
