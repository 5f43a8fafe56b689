// Rolling tables on a service: rows in the table of their time, whenever they come; tables that are made, dropped and being deleted; spans of time over all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, Instant, key, t } from '#patterns';
import { change, deleteRows } from '#patterns/bulk';
import { remote } from '#patterns/indexes';
import { rolling } from '#patterns/rolling';
import { onlyIn } from '../../support/slow.js';
import { collect, pageByPage, writeEach, written } from '../support/collect.js';
import { column } from '../support/column.js';
import { faultAt, SOME_FAULTS } from '../support/faulty-client.js';
import { describePeers } from '../support/peers.js';
import { refuses, rejects } from '../support/rejects.js';
import { MINUTE, NOON, rollingWorld, time } from './rolling-world.js';

const Login = entity('Login', {
  version: 1,
  table: 'Login',
  props: { user: t.string(), at: t.instant(), id: t.int32(), address: t.string().optional() },
  partition: p => key(p.user),
  row: p => key(p.at.as(codec.time), p.id.as(codec.int(6))),
});

/** Its key has no time. */
const Event = entity('Event', {
  version: 1,
  table: 'Event',
  props: { source: t.string(), id: t.int32(), at: t.instant(), note: t.string().optional() },
  partition: p => key(p.source),
  row: p => key(p.id.as(codec.int(6))),
});

const login = (text: string, id = 1) => ({ user: 'ann', at: time(text), id });
const onDay = (number: number): Instant => time(`2026-01-0${number}T00:00:00Z`);
const DAYS = { time: 'at', every: 'day' } as const;

describePeers('rolling tables', peer => {
  /** Logins that are kept for so many days. */
  const world = (keep: number, options: Parameters<typeof rollingWorld>[1] = {}) => {
    const made = rollingWorld(peer, options);
    const { db, prefix } = made;
    const open = (more: object = {}) => rolling(db, Login, { ...DAYS, keep, prefix, ...more });
    return { ...made, open, logins: open() };
  };
  type Logins = ReturnType<typeof world>['logins'];
  type LoginRows = ReturnType<Logins['at']>;
  const ofAnn = (repo: LoginRows) => repo.partition({ user: 'ann' });

  test('take each row into the table of its time, which the first row makes', async () => {
    const { logins, named, tables } = world(7);
    const late = '2026-01-04T23:59:59.9999999Z';
    const midnight = '2026-01-05T00:00:00Z';
    for (const [id, at] of ['2026-01-05T11:59:00Z', late, midnight, '2026-01-06T00:00:00Z'].entries())
      await logins.create(login(at, id));
    assert.deepEqual(await tables(), named('20260104', '20260105', '20260106'));
    assert.deepEqual([(await logins.get(login(late, 1)))?.table], named('20260104'));
    assert.equal(await logins.get(login('2026-01-03T00:00:00Z')), undefined);
    await rejects(logins.create(login(midnight, 2)), 'AlreadyExists');
    await logins.upsert({ ...login(midnight, 2), address: '::1' });
    await logins.upsertMerge({ ...login('2026-01-02T00:00:00Z', 9), address: '::2' });
    assert.equal((await ofAnn(logins.at(time('2026-01-02T23:00:00Z'))).take(9)).length, 1);
  });

  test('change rows that were read where they stand, and refuse those of another time', async () => {
    const { db, prefix, named } = world(7);
    const events = rolling(db, Event, { time: 'at', every: 'hour', keep: { days: 1 }, prefix });
    const at = time('2026-01-05T08:30:00Z');
    const a = { source: 'a', id: 1 } as const;
    const read = async () => (await events.get(a, { at })) ?? assert.fail();
    const merged = await events.merge(await events.create({ ...a, at }), { note: 'n' });
    const replaced = await events.replace(merged, { ...a, at: at.plus(1n), note: 'm' });
    assert.deepEqual([[replaced.table], (await read()).value.note], [named('2026010508'), 'm']);
    // @ts-expect-error the key does not contain the time
    await rejects(events.get(a), 'ValueInvalid');
    const later = time('2026-01-05T09:00:00Z');
    for (const refused of [
      () => events.replace(replaced, { ...a, at: later }),
      () => events.merge(replaced, { at: later }),
      () => events.at(at).create({ ...a, id: 2, at: later }),
      () => events.mutate({ ...a, id: 3 }, () => ({ ...a, id: 3, at: later }), { at }),
    ])
      await rejects(refused, 'ValueInvalid');
    await events.mutate(a, row => row && { ...row, note: 'k' }, { at });
    await rejects(events.merge(replaced, { note: 'x' }), 'Conflict');
    await events.delete(await read());
    assert.equal(await events.get(a, { at }), undefined);
    await rejects(events.delete(replaced), 'NotFound');
  });

  test('take no row of a time that is over, nor of one too far ahead, by the policy', async () => {
    const { logins, open, named, set } = world(2);
    const [late, first] = ['2026-01-02T23:59:59.9999999Z', '2026-01-03T00:00:00Z'];
    const [last, early] = ['2026-01-06T23:59:59.9999999Z', '2026-01-07T00:00:00Z'];
    for (const at of [first, last]) await logins.create(login(at));
    const [table = ''] = named('20260102');
    await rejects(logins.create(login(late)), 'Expired', { table, retainedFrom: time(first) });
    await rejects(logins.at(time(late)).create(login(late)), 'Expired');
    await rejects(logins.create(login(early)), 'ValueInvalid');
    const told: string[] = [];
    const telling = open({
      ahead: 0,
      outside: 'drop',
      onOutside: (row: { reason: string; at: Instant; value: { id: number }; retainedFrom: Instant }) =>
        told.push(`${row.reason} ${row.at} ${row.value.id} ${row.retainedFrom}`),
    });
    assert.equal(await telling.create(login(late, 7)), undefined);
    assert.equal(await telling.upsert(login('2026-01-06T00:00:00Z', 8)), undefined);
    assert.equal((await telling.create(login('2026-01-05T23:59:59.9999999Z', 9)))?.value.id, 9);
    const from = '2026-01-03T00:00:00.0000000Z';
    assert.deepEqual(told, [`late ${late} 7 ${from}`, `early 2026-01-06T00:00:00.0000000Z 8 ${from}`]);
    assert.equal(await open({ outside: 'drop' }).create(login(late)), undefined);
    // What is over is not given either, though its table is there still.
    const kept = (await logins.get(login(first))) ?? assert.fail();
    set('2026-01-06T00:00:00Z');
    assert.equal(await logins.get(login(first)), undefined);
    await rejects(logins.merge(kept, { address: 'x' }), 'Expired');
    assert.deepEqual((await logins.explain()).dropped, named('20260103'));
  });

  test('are made before they are needed, and dropped when their time is over, and no other table is', async () => {
    const { logins, open, named, tables, set } = world(2);
    const others = named('2025010108', '202501', 'x20250101', '20250230', '');
    for (const name of others) await peer.client().createTable(name);
    const made = named('20260105', '20260106');
    assert.deepEqual(await logins.explain(), { retained: [], dropped: [], made });
    assert.deepEqual(await logins.prepare(), made);
    assert.deepEqual(await logins.prepare({ count: 3 }), named('20260107', '20260108'));
    const programs = Array.from({ length: 4 }, () => open());
    set('2026-01-09T00:00:00Z');
    await Promise.all(programs.map(each => each.prepare()));
    const retained = named('20260107', '20260108', '20260109', '20260110');
    assert.deepEqual(await logins.explain(), { retained, dropped: made, made: [] });
    for (const count of [-1, 0.5]) await rejects(logins.prepare({ count }), 'ValueInvalid');
    const all = await Promise.all(programs.map(each => each.expire()));
    // On every service each table is dropped by one program, or several concurrent ones report it.
    assert.deepEqual([...new Set(all.flat())].sort(), made);
    assert.deepEqual(await logins.expire(), []);
    assert.deepEqual(await logins.expire(time('2026-01-10T00:00:00Z')), retained.slice(0, 1));
    assert.deepEqual(await tables(), [...others, ...retained.slice(1)].sort());
  });

  test('are dropped by the earlier of two clocks', async () => {
    const { logins, prefix } = world(2, { now: time('2099-01-05T00:00:00Z') });
    await logins.prepare({ count: 0 });
    const present = rolling(peer.open(), Login, { ...DAYS, keep: 2, prefix });
    const today = { user: 'ann', at: Instant.now(), id: 1 };
    await present.create(today);
    // This program's clock is fast by decades.
    assert.deepEqual(await logins.expire(), []);
    assert.equal((await present.get(today))?.value.id, 1);
    assert.equal((await logins.expire(time('2099-01-05T00:00:00Z'))).length, 1);
  });

  /** Rows of all hours but one, whose keys are in no order of time. */
  const spread = async () => {
    const { db, prefix } = rollingWorld(peer);
    const events = rolling(db, Event, { time: 'at', every: 'hour', keep: 24, prefix });
    const minutes = (count: number): Instant => time('2026-01-05T06:00:00Z').plus(BigInt(count) * MINUTE);
    const values = Array.from({ length: 60 }, (_, at) => (at * 37) % 300)
      .filter(at => at < 120 || at >= 180)
      .map((at, id) => ({ source: `s${id % 3}`, id: (id * 7) % 60, at: minutes(at) }));
    for (const value of values) await events.create(value);
    const [from, to] = [minutes(30), minutes(270)];
    const expected = values
      .filter(({ at }) => at.ticks >= from.ticks && at.ticks < to.ticks)
      .sort((a, b) => (a.at.ticks < b.at.ticks ? -1 : 1));
    assert(expected.length > 20);
    const hourOf = (id: number): number => {
      const { at } = values.find(value => value.id === id) ?? assert.fail();
      return at.toDate().getUTCHours();
    };
    const all = (repo: ReturnType<typeof events.at>) => repo.scan().allowScan('a test');
    return { events, values, minutes, from, to, expected, hourOf, all };
  };

  test('give a span of time in its order, by pages that go on anywhere', async () => {
    const { events, from, to, expected, hourOf, all } = await spread();
    const inOrder = expected.map(({ id }) => id);
    for (const newestFirst of [false, true]) {
      const wanted = newestFirst ? inOrder.toReversed() : inOrder;
      const span = events.span(from, to, all, { newestFirst });
      assert.deepEqual(column(await span.take(1000), 'id'), wanted);
      assert.deepEqual(column(await span.take(5), 'id'), wanted.slice(0, 5));
      for (const order of ['time', 'tables'] as const) {
        const own = events.span(from, to, all, { order, newestFirst });
        const pages = await pageByPage(resume => own.pages({ size: 3, resume }));
        const resumed = pages.flatMap(({ items }) => column(items, 'id'));
        if (order === 'time') assert.deepEqual(resumed, wanted);
        assert.deepEqual(resumed.map(hourOf), wanted.map(hourOf));
        assert.deepEqual(resumed.toSorted(), inOrder.toSorted());
      }
    }
  });

  test('give of a span what its query asks for, within the bounds of memory', {
    skip: onlyIn('patterns'),
  }, async () => {
    const { events, values, minutes, from, to, expected, hourOf, all } = await spread();
    type Rows = ReturnType<typeof events.at>;
    const ofSource = (repo: Rows) => repo.partition({ source: 's1' });
    const found = await events.span(from, to, repo => ofSource(repo).where(p => p.id.lt(30))).take(100);
    const wanted = expected.filter(({ id, source }) => id < 30 && source === 's1');
    assert.deepEqual(
      found.map(({ value }) => value),
      wanted,
    );
    const { next = '' } = await events.span(from, to, all).page({ size: 3 });
    await rejects(events.span(from, minutes(271), all).page({ resume: next }), 'TokenMismatch');
    await rejects(events.span(from, to, ofSource).page({ resume: next }), 'TokenMismatch');
    assert.deepEqual(await events.span(from, from, all).take(9), []);
    assert.throws(() => events.span(to, from, all), /not before from/);
    const whole = (sortMost: number) => events.span(minutes(0), minutes(300), all, { sortMost }).take(100);
    const hours = [6, 7, 9, 10].map(hour => values.filter(({ id }) => hourOf(id) === hour).length);
    const densest = Math.max(...hours);
    await rejects(whole(densest - 1), 'ValueInvalid');
    for (const sortMost of [densest, densest + 1])
      assert.equal((await whole(sortMost)).length, values.length);
    const selecting = (name: 'note' | 'at') => (repo: Rows) => repo.scan().select(name).allowScan('a test');
    await rejects(events.span(from, to, selecting('note')).take(9), 'ValueInvalid');
    const selected = await events.span(from, to, selecting('at')).take(99);
    assert.deepEqual(
      selected.map(({ value }) => value.id),
      expected.map(({ id }) => id),
    );
  });

  test('of a span are asked by their names, and a table that goes meanwhile has no rows', async () => {
    const { logins, requests } = world(60);
    for (const number of [1, 3, 5]) await logins.create({ user: 'ann', at: onDay(number), id: number });
    for (const [from, to, count] of [
      // Two days by name.
      [onDay(1), onDay(3), 2],
      // Forty days: one list, and the tables that are there.
      [time('2025-12-01T00:00:00Z'), onDay(6), 4],
    ] as const)
      assert.equal(await requests.counted(() => logins.span(from, to, ofAnn).take(9)), count);
    const pages = logins.span(onDay(1), onDay(6), ofAnn).pages({ size: 1 });
    await pages.next();
    await peer.client().deleteTable(logins.tableOf(onDay(3)));
    const rest = await collect(pages);
    assert.deepEqual(
      rest.flatMap(({ items }) => column(items, 'id')),
      [5],
    );
  });

  test('are written by batches and in bulk, and deleted from in bulk', async () => {
    const { db, logins, prefix, tables, set } = world(7);
    const ann = (number: number, id: number) => ({ user: 'ann', at: onDay(number), id });
    const created = (value: ReturnType<typeof ann>, day = value.at) =>
      change.create(Login, value, { table: logins.tableOf(day) });
    await logins.batch(onDay(4), ann(4, 1)).create(Login, ann(4, 1)).create(Login, ann(4, 2)).commit();
    const each = [1, 2, 3].flatMap(number => [ann(number, number), { ...ann(number, number), user: 'ben' }]);
    await writeEach(
      logins.db,
      each.map(value => created(value)),
    );
    assert.equal((await tables()).length, 4);
    const misplaced = [created(ann(1, 7), onDay(2)), created(ann(2, 8))];
    assert.deepEqual(await written(logins.db, misplaced), ['ValueInvalid', 'done']);
    const events = rolling(db, Event, { ...DAYS, keep: 7, prefix: `${prefix}e` });
    const batch = events.batch(onDay(2), { source: 'a' });
    assert.throws(() => batch.create(Event, { source: 'a', id: 1, at: onDay(3) }), /another table/);
    await batch.create(Event, { source: 'a', id: 1, at: onDay(2) }).commit();
    const span = logins.span(onDay(1), onDay(5), ofAnn);
    const pages = await collect(deleteRows(logins.db, span, { conditional: false, size: 2 }));
    assert.equal(pages.at(-1)?.deleted, 6);
    const left = logins.span(onDay(1), onDay(5), repo => repo.scan().allowScan('a test'));
    assert.equal((await left.take(9)).length, 3);
    set('2026-01-12T00:00:00Z');
    await rejects(logins.batch(onDay(4), ann(4, 3)).create(Login, ann(4, 3)).commit(), 'Expired');
  });

  test('are written once though answers are lost, and made again where another program drops them', {
    skip: onlyIn('patterns'),
  }, async () => {
    for (const fault of SOME_FAULTS)
      for (const at of [0, 1, 2]) {
        const { logins } = world(7, { plan: faultAt(fault, at) });
        const row = { user: 'ann', at: NOON, id: 1 };
        const { etag } = await logins.create(row);
        assert.equal((await logins.get(row))?.etag, etag);
        await rejects(logins.create(row), 'AlreadyExists');
        await peer.client().deleteTable(logins.tableOf(NOON));
        await logins.create(row);
      }
  });

  test('have generations, of which the last is written and all are read and dropped', async () => {
    const { open, named, set } = world(1);
    const [first, second] = [open(), open({ generation: 2 })];
    const ann = (id: number) => ({ user: 'ann', at: NOON, id });
    const tables = named('20260105', '20260105x2');
    await first.create(ann(1));
    const { table } = await second.create(ann(2));
    assert.deepEqual([(await second.get(ann(1)))?.table, table], tables);
    assert.deepEqual(column(await second.span(NOON, NOON.plus(1n), ofAnn).take(9), 'id'), [1, 2]);
    set('2026-01-07T00:00:00Z');
    assert.deepEqual(await first.expire(), tables);
  });

  test('are refused for what has no time, or remote rows', async () => {
    const { db, open, logins } = world(1);
    const Remote = entity('Remote', {
      version: 1,
      table: 'Remote',
      props: { id: t.int32(), at: t.instant(), user: t.string() },
      partition: p => key(p.id),
      row: key('remote'),
      indexes: { byUser: { kind: remote, partition: p => key('user', p.user), row: p => key(p.id) } },
    });
    for (const [more, reason] of [
      [{ time: 'user' }, /a required property/],
      [{ every: 'week' }, /an hour, a day or a month/],
      [{ waitForDeletion: -1 }, /waitForDeletion/],
      [{ outside: 'keep' }, /refuse or drop/],
      [{ onOutside: () => undefined }, /outside: 'drop'/],
      [{ prefix: 'Login1' }, /of which the first and the last/],
    ] as const)
      assert.throws(() => open(more), reason);
    assert.throws(() => rolling(db, Remote, { ...DAYS, keep: 1 }), /remote rows/);
    // @ts-expect-error a text is not a time
    refuses(() => rolling(db, Login, { ...DAYS, keep: 1, time: 'user' }), 'DefinitionInvalid');
    const stranger = db.repo(Login, { table: await peer.newTable() });
    const row = await stranger.create({ user: 'ann', at: NOON, id: 1 });
    await rejects(logins.merge(row, { address: 'x' }), 'ValueInvalid');
    await rejects(logins.delete(row), 'ValueInvalid');
  });
});
