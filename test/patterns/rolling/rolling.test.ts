// Rolling tables on a service: rows in the table of their time, whenever they come; tables that are made, dropped and being deleted; spans of time over all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, Instant, key, PatternError, t } from '#patterns';
import { change, deleteRows, writeAll } from '#patterns/bulk';
import { remote } from '#patterns/indexes';
import { rolling } from '#patterns/rolling';
import { onlyIn } from '../../support/slow.js';
import { column } from '../support/column.js';
import { FaultyClient, faultAt, SOME_FAULTS } from '../support/faulty-client.js';
import { describePeers, type Peer } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const Login = entity('Login', {
  version: 1,
  table: 'Login',
  props: {
    user: t.string(),
    at: t.instant(),
    id: t.int32(),
    address: t.string().optional(),
  },
  partition: p => key(p.user),
  row: p => key(p.at.as(codec.time), p.id.as(codec.int(6))),
});

const Event = entity('Event', {
  version: 1,
  table: 'Event',
  props: { source: t.string(), id: t.int32(), at: t.instant(), note: t.string().optional() },
  partition: p => key(p.source),
  row: p => key(p.id.as(codec.int(6))),
});

const NOON = '2026-01-05T12:00:00Z';
const time = (text: string): Instant => Instant.parse(text);

let names = 0;

/** A clock of its own, and tables that no other test has. */
const world = (peer: Peer, { now = NOON, ...options }: { now?: string; httpClient?: FaultyClient } = {}) => {
  const clock = { now: time(now).toDate().getTime(), slept: 0 };
  const set = (text: string): void => {
    clock.now = time(text).toDate().getTime();
  };
  const db = peer.open({
    now: () => clock.now,
    sleep: async milliseconds => {
      clock.slept += milliseconds;
    },
    ...options,
  });
  const letters = [...`${++names}`].map(digit => String.fromCharCode(97 + Number(digit))).join('');
  return { db, clock, set, prefix: `Roll${letters}z` };
};

const tablesOf = async (peer: Peer, prefix: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const { name = '' } of peer.client().listTables()) if (name.startsWith(prefix)) found.push(name);
  return found.sort();
};

describePeers('rolling tables', peer => {
  test('take each row into the table of its time, which the first row makes', async () => {
    const { db, prefix } = world(peer);
    const logins = rolling(db, Login, { time: 'at', every: 'day', keep: 7, prefix });
    const rows = [
      '2026-01-05T11:59:00Z',
      '2026-01-04T23:59:59.9999999Z',
      '2026-01-05T00:00:00Z',
      '2026-01-06T00:00:00Z',
    ];
    for (const [id, at] of rows.entries()) await logins.create({ user: 'ann', at: time(at), id });
    assert.deepEqual(
      await tablesOf(peer, prefix),
      ['20260104', '20260105', '20260106'].map(stamp => `${prefix}${stamp}`),
    );
    const found = await logins.get({ user: 'ann', at: time('2026-01-04T23:59:59.9999999Z'), id: 1 });
    assert.equal(found?.table, `${prefix}20260104`);
    assert.equal(await logins.get({ user: 'ann', at: time('2026-01-03T00:00:00Z'), id: 1 }), undefined);
    await rejects(logins.create({ user: 'ann', at: time('2026-01-05T00:00:00Z'), id: 2 }), 'AlreadyExists');
    await logins.upsert({ user: 'ann', at: time('2026-01-05T00:00:00Z'), id: 2, address: '::1' });
    await logins.upsertMerge({ user: 'ann', at: time('2026-01-02T00:00:00Z'), id: 9, address: '::2' });
    assert.equal(
      (await logins.at(time('2026-01-02T23:00:00Z')).partition({ user: 'ann' }).take(9)).length,
      1,
    );
  });

  test('change rows that were read where they stand, and refuse those of another time', async () => {
    const { db, prefix } = world(peer);
    const events = rolling(db, Event, { time: 'at', every: 'hour', keep: { days: 1 }, prefix });
    const at = time('2026-01-05T08:30:00Z');
    const event = await events.create({ source: 'a', id: 1, at });
    const merged = await events.merge(event, { note: 'n' });
    const replaced = await events.replace(merged, { source: 'a', id: 1, at: at.plus(1n), note: 'm' });
    assert.deepEqual(
      [replaced.table, (await events.get({ source: 'a', id: 1 }, { at }))?.value.note],
      [`${prefix}2026010508`, 'm'],
    );
    // @ts-expect-error the key does not contain the time
    await rejects(events.get({ source: 'a', id: 1 }), 'ValueInvalid');
    const later = time('2026-01-05T09:00:00Z');
    await rejects(events.replace(replaced, { source: 'a', id: 1, at: later }), 'ValueInvalid');
    await rejects(events.merge(replaced, { at: later }), 'ValueInvalid');
    await rejects(events.at(at).create({ source: 'a', id: 2, at: later }), 'ValueInvalid');
    await rejects(
      events.mutate({ source: 'a', id: 3 }, () => ({ source: 'a', id: 3, at: later }), { at }),
      'ValueInvalid',
    );
    await events.mutate({ source: 'a', id: 1 }, row => row && { ...row, note: 'k' }, { at });
    await rejects(events.merge(replaced, { note: 'x' }), 'Conflict');
    await events.delete(await events.get({ source: 'a', id: 1 }, { at }).then(row => row ?? assert.fail()));
    assert.equal(await events.get({ source: 'a', id: 1 }, { at }), undefined);
    await rejects(events.delete(replaced), 'NotFound');
  });

  test('take no row of a time that is over, nor of one too far ahead, by the policy', async () => {
    const { db, prefix, set } = world(peer);
    const options = { time: 'at', every: 'day', keep: 2, prefix } as const;
    const logins = rolling(db, Login, options);
    const at = (text: string, id = 1) => ({ user: 'ann', at: time(text), id });
    await logins.create(at('2026-01-03T00:00:00Z'));
    await rejects(logins.create(at('2026-01-02T23:59:59.9999999Z')), 'Expired', {
      table: `${prefix}20260102`,
      retainedFrom: time('2026-01-03T00:00:00Z'),
    });
    await logins.create(at('2026-01-06T23:59:59.9999999Z'));
    await rejects(logins.create(at('2026-01-07T00:00:00Z')), 'ValueInvalid');
    await rejects(logins.at(time('2026-01-02T08:00:00Z')).create(at('2026-01-02T08:00:00Z')), 'Expired');
    const told: string[] = [];
    const telling = rolling(db, Login, {
      ...options,
      ahead: 0,
      outside: 'drop',
      onOutside: row => told.push(`${row.reason} ${row.at} ${row.value.id} ${row.retainedFrom}`),
    });
    assert.equal(await telling.create(at('2026-01-02T23:59:59.9999999Z', 7)), undefined);
    assert.equal(await telling.upsert(at('2026-01-06T00:00:00Z', 8)), undefined);
    assert.equal((await telling.create(at('2026-01-05T23:59:59.9999999Z', 9)))?.value.id, 9);
    assert.deepEqual(told, [
      'late 2026-01-02T23:59:59.9999999Z 7 2026-01-03T00:00:00.0000000Z',
      'early 2026-01-06T00:00:00.0000000Z 8 2026-01-03T00:00:00.0000000Z',
    ]);
    const dropping = rolling(db, Login, { ...options, outside: 'drop' });
    assert.equal(await dropping.create(at('2026-01-01T00:00:00Z')), undefined);
    // What is over is not given either, though its table is there still.
    const kept = await logins.get(at('2026-01-03T00:00:00Z'));
    assert(kept);
    set('2026-01-06T00:00:00Z');
    assert.equal(await logins.get(at('2026-01-03T00:00:00Z')), undefined);
    await rejects(logins.merge(kept, { address: 'x' }), 'Expired');
    assert.deepEqual((await logins.explain()).dropped, [`${prefix}20260103`]);
  });

  test('are made before they are needed, and dropped when their time is over, and no other table is', async () => {
    const { db, prefix, set } = world(peer);
    const logins = rolling(db, Login, { time: 'at', every: 'day', keep: 2, prefix });
    const others = [
      `${prefix}2025010108`,
      `${prefix}202501`,
      `${prefix}x20250101`,
      `${prefix}20250230`,
      prefix,
    ];
    for (const name of others) await peer.client().createTable(name);
    const own = (...stamps: string[]) => stamps.map(stamp => `${prefix}${stamp}`);
    assert.deepEqual(await logins.explain(), {
      retained: [],
      dropped: [],
      made: own('20260105', '20260106'),
    });
    assert.deepEqual(await logins.prepare(), own('20260105', '20260106'));
    assert.deepEqual(await logins.prepare({ count: 3 }), own('20260107', '20260108'));
    const programs = Array.from({ length: 4 }, () =>
      rolling(db, Login, { time: 'at', every: 'day', keep: 2, prefix }),
    );
    set('2026-01-09T00:00:00Z');
    await Promise.all(programs.map(each => each.prepare()));
    assert.deepEqual(await logins.explain(), {
      retained: own('20260107', '20260108', '20260109', '20260110'),
      dropped: own('20260105', '20260106'),
      made: [],
    });
    for (const count of [-1, 0.5]) await rejects(logins.prepare({ count }), 'ValueInvalid');
    const all = await Promise.all(programs.map(each => each.expire()));
    // On every service each table is dropped by one program, or several concurrent ones report it.
    assert.deepEqual([...new Set(all.flat())].sort(), own('20260105', '20260106'));
    assert.deepEqual(await logins.expire(), []);
    assert.deepEqual(await logins.expire(time('2026-01-10T00:00:00Z')), own('20260107'));
    assert.deepEqual(
      (await tablesOf(peer, prefix)).sort(),
      [...others, ...own('20260108', '20260109', '20260110')].sort(),
    );
  });

  test('are dropped by the earlier of two clocks', async () => {
    const { db, prefix } = world(peer, { now: '2099-01-05T00:00:00Z' });
    const logins = rolling(db, Login, { time: 'at', every: 'day', keep: 2, prefix });
    await logins.prepare({ count: 0 });
    const today = Instant.now();
    const present = rolling(peer.open(), Login, {
      time: 'at',
      every: 'day',
      keep: 2,
      prefix,
    });
    await present.create({ user: 'ann', at: today, id: 1 });
    // This program's clock is fast by decades.
    assert.deepEqual(await logins.expire(), []);
    assert.equal((await present.get({ user: 'ann', at: today, id: 1 }))?.value.id, 1);
    assert.equal((await logins.expire(time('2099-01-05T00:00:00Z'))).length, 1);
  });

  /** Rows of all hours but one, whose keys are in no order of time. */
  const spread = async () => {
    const { db, prefix } = world(peer);
    const events = rolling(db, Event, { time: 'at', every: 'hour', keep: 24, prefix });
    const start = time('2026-01-05T06:00:00Z');
    const minutes = (count: number): Instant => start.plus(BigInt(count) * 600_000_000n);
    const values = Array.from({ length: 60 }, (_, at) => (at * 37) % 300)
      .filter(at => at < 120 || at >= 180)
      .map((at, id) => ({ source: `s${id % 3}`, id: (id * 7) % 60, at: minutes(at) }));
    for (const value of values) await events.create(value);
    const [from, to] = [minutes(30), minutes(270)];
    const expected = values
      .filter(({ at }) => at.ticks >= from.ticks && at.ticks < to.ticks)
      .sort((a, b) => (a.at.ticks < b.at.ticks ? -1 : 1))
      .map(({ id }) => id);
    assert(expected.length > 20);
    const hourOf = (id: number): number =>
      values
        .find(value => value.id === id)
        ?.at.toDate()
        .getUTCHours() ?? Number.NaN;
    const all = (repo: ReturnType<typeof events.at>) => repo.scan().allowScan('a test');
    return { events, values, minutes, from, to, expected, hourOf, all };
  };

  const idsOf = (rows: readonly { readonly value: { readonly id: number } }[]) =>
    rows.map(({ value }) => value.id);

  test('give a span of time in its order, by pages that go on anywhere', async () => {
    const { events, from, to, expected, hourOf, all } = await spread();
    const span = events.span(from, to, all);
    assert.deepEqual(idsOf(await span.take(1000)), expected);
    assert.deepEqual(idsOf(await span.take(5)), expected.slice(0, 5));
    const newest = events.span(from, to, all, { newestFirst: true });
    assert.deepEqual(idsOf(await newest.take(1000)), expected.toReversed());
    for (const order of ['time', 'tables'] as const)
      for (const newestFirst of [false, true]) {
        const resumed: number[] = [];
        let resume: string | undefined;
        do {
          const page = await events.span(from, to, all, { order, newestFirst }).page({ size: 3, resume });
          resumed.push(...idsOf(page.items));
          resume = page.next;
        } while (resume !== undefined);
        if (order === 'time') assert.deepEqual(resumed, newestFirst ? expected.toReversed() : expected);
        const hours = resumed.map(hourOf);
        assert.deepEqual(
          hours,
          hours.toSorted((a, b) => (newestFirst ? b - a : a - b)),
        );
        assert.deepEqual(resumed.toSorted(), expected.toSorted());
      }
  });

  test('give of a span what its query asks for, within the bounds of memory', {
    skip: onlyIn('patterns'),
  }, async () => {
    const { events, values, minutes, from, to, expected, hourOf, all } = await spread();
    const ofSource = (repo: ReturnType<typeof events.at>) => repo.partition({ source: 's1' });
    const found = await events.span(from, to, repo => ofSource(repo).where(p => p.id.lt(30))).take(100);
    const isOfSource = (id: number): boolean => values.find(value => value.id === id)?.source === 's1';
    assert.deepEqual(
      idsOf(found),
      expected.filter(id => id < 30 && isOfSource(id)),
    );
    const { next = '' } = await events.span(from, to, all).page({ size: 3 });
    await rejects(events.span(from, minutes(271), all).page({ resume: next }), 'TokenMismatch');
    await rejects(events.span(from, to, ofSource).page({ resume: next }), 'TokenMismatch');
    assert.deepEqual(await events.span(from, from, all).take(9), []);
    assert.throws(() => events.span(to, from, all), /not before from/);
    const whole = (sortMost: number) => events.span(minutes(0), minutes(300), all, { sortMost }).take(100);
    const perHour = [6, 7, 9, 10].map(hour => values.filter(({ id }) => hourOf(id) === hour).length);
    const densest = Math.max(...perHour);
    await rejects(whole(densest - 1), 'ValueInvalid');
    for (const sortMost of [densest, densest + 1])
      assert.equal((await whole(sortMost)).length, values.length);
    await rejects(
      events.span(from, to, repo => repo.scan().select('note').allowScan('a test')).take(9),
      'ValueInvalid',
    );
    const selected = await events
      .span(from, to, repo => repo.scan().select('at').allowScan('a test'))
      .take(99);
    assert.deepEqual(idsOf(selected), expected);
  });

  test('of a span are asked by their names, and a table that goes meanwhile has no rows', async () => {
    const requests = new FaultyClient();
    const { db, prefix } = world(peer, { httpClient: requests });
    const logins = rolling(db, Login, { time: 'at', every: 'day', keep: 60, prefix });
    const day = (number: number): Instant => time(`2026-01-0${number}T00:00:00Z`);
    for (const number of [1, 3, 5]) await logins.create({ user: 'ann', at: day(number), id: number });
    const ofAnn = (repo: ReturnType<typeof logins.at>) => repo.partition({ user: 'ann' });
    const count = (run: () => Promise<unknown>) => requests.counted(run);
    // Two days by name.
    assert.equal(await count(() => logins.span(day(1), day(3), ofAnn).take(9)), 2);
    // Forty days: one list, and the tables that are there.
    assert.equal(await count(() => logins.span(time('2025-12-01T00:00:00Z'), day(6), ofAnn).take(9)), 4);
    const span = logins.span(day(1), day(6), ofAnn);
    const pages = span.pages({ size: 1 });
    await pages.next();
    await peer.client().deleteTable(logins.tableOf(day(3)));
    const rest: number[] = [];
    for await (const { items } of pages) rest.push(...items.map(({ value }) => value.id));
    assert.deepEqual(rest, [5]);
  });

  test('are written by batches and in bulk, and deleted from in bulk', async () => {
    const { db, prefix, set } = world(peer);
    const logins = rolling(db, Login, { time: 'at', every: 'day', keep: 7, prefix });
    const day = (number: number): Instant => time(`2026-01-0${number}T08:00:00Z`);
    await logins
      .batch(day(4), { user: 'ann' })
      .create(Login, { user: 'ann', at: day(4), id: 1 })
      .create(Login, { user: 'ann', at: day(4), id: 2 })
      .commit();
    const changes = [1, 2, 3].flatMap(number =>
      ['ann', 'ben'].map(user => {
        const value = { user, at: day(number), id: number };
        return change.create(Login, value, { table: logins.tableOf(value.at) });
      }),
    );
    for await (const report of writeAll(logins.db, changes)) assert.equal(report.kind, 'done');
    assert.equal((await tablesOf(peer, prefix)).length, 4);
    const misplaced = change.create(
      Login,
      { user: 'ann', at: day(1), id: 7 },
      { table: logins.tableOf(day(2)) },
    );
    const well = change.create(Login, { user: 'ann', at: day(2), id: 8 }, { table: logins.tableOf(day(2)) });
    const reports: string[] = [];
    for await (const report of writeAll(logins.db, [misplaced, well]))
      reports.push(
        report.kind === 'failed' && PatternError.is(report.error) ? report.error.code : report.kind,
      );
    assert.deepEqual(reports, ['ValueInvalid', 'done']);
    const events = rolling(db, Event, { time: 'at', every: 'day', keep: 7, prefix: `${prefix}e` });
    const batch = events.batch(day(2), { source: 'a' });
    assert.throws(() => batch.create(Event, { source: 'a', id: 1, at: day(3) }), /another table/);
    await batch.create(Event, { source: 'a', id: 1, at: day(2) }).commit();
    const ofAnn = logins.span(day(1), day(5), repo => repo.partition({ user: 'ann' }));
    let deleted = 0;
    for await (const progress of deleteRows(logins.db, ofAnn, { conditional: false, size: 2 }))
      ({ deleted } = progress);
    assert.equal(deleted, 6);
    assert.equal(
      (await logins.span(day(1), day(5), repo => repo.scan().allowScan('a test')).take(9)).length,
      3,
    );
    set('2026-01-12T00:00:00Z');
    await rejects(
      logins
        .batch(day(4), { user: 'ann' })
        .create(Login, { user: 'ann', at: day(4), id: 3 })
        .commit(),
      'Expired',
    );
  });

  test('are written once though answers are lost', {
    skip: onlyIn('patterns'),
  }, async () => {
    for (const fault of SOME_FAULTS)
      for (const at of [0, 1, 2]) {
        const { db, prefix } = world(peer, { httpClient: new FaultyClient(faultAt(fault, at)) });
        const logins = rolling(db, Login, { time: 'at', every: 'day', keep: 7, prefix });
        const row = await logins.create({ user: 'ann', at: time(NOON), id: 1 });
        assert.equal((await logins.get({ user: 'ann', at: time(NOON), id: 1 }))?.etag, row.etag);
        await rejects(logins.create({ user: 'ann', at: time(NOON), id: 1 }), 'AlreadyExists');
      }
  });

  test('are made again where another program drops them', async () => {
    // Another program drops the table behind its first rows.
    const { db, prefix } = world(peer);
    const logins = rolling(db, Login, { time: 'at', every: 'day', keep: 7, prefix });
    await logins.create({ user: 'ann', at: time(NOON), id: 1 });
    await peer.client().deleteTable(logins.tableOf(time(NOON)));
    await logins.create({ user: 'ann', at: time(NOON), id: 1 });
  });

  test('have generations, of which the last is written and all are read and dropped', async () => {
    const { db, prefix, set } = world(peer);
    const options = { time: 'at', every: 'day', keep: 1, prefix } as const;
    const first = rolling(db, Login, options);
    const second = rolling(db, Login, { ...options, generation: 2 });
    const at = time(NOON);
    await first.create({ user: 'ann', at, id: 1 });
    const row = await second.create({ user: 'ann', at, id: 2 });
    assert.equal(row.table, `${prefix}20260105x2`);
    assert.equal((await second.get({ user: 'ann', at, id: 1 }))?.table, `${prefix}20260105`);
    const span = second.span(at, at.plus(1n), repo => repo.partition({ user: 'ann' }));
    assert.deepEqual(column(await span.take(9), 'id'), [1, 2]);
    set('2026-01-07T00:00:00Z');
    assert.deepEqual(await first.expire(), [`${prefix}20260105`, `${prefix}20260105x2`]);
  });

  test('are refused for what has no time, or remote rows', async () => {
    const { db, prefix } = world(peer);
    const options = { time: 'at', every: 'day', keep: 1, prefix } as const;
    // @ts-expect-error a text is not a time
    assert.throws(() => rolling(db, Login, { ...options, time: 'user' }), /a required property/);
    assert.throws(
      () => rolling(db, Login, { ...options, every: 'week' as 'day' }),
      /an hour, a day or a month/,
    );
    assert.throws(() => rolling(db, Login, { ...options, waitForDeletion: -1 }), /waitForDeletion/);
    assert.throws(() => rolling(db, Login, { ...options, outside: 'keep' as 'drop' }), /refuse or drop/);
    assert.throws(() => rolling(db, Login, { ...options, onOutside: () => undefined }), /outside: 'drop'/);
    assert.throws(
      () => rolling(db, Login, { ...options, prefix: 'Login1' }),
      /of which the first and the last/,
    );
    const Remote = entity('Remote', {
      version: 1,
      table: 'Remote',
      props: { id: t.int32(), at: t.instant(), user: t.string() },
      partition: p => key(p.id),
      row: key('remote'),
      indexes: { byUser: { kind: remote, partition: p => key('user', p.user), row: p => key(p.id) } },
    });
    assert.throws(() => rolling(db, Remote, options), /remote rows/);
    const logins = rolling(db, Login, options);
    const stranger = await peer.newTable();
    const row = await db.repo(Login, { table: stranger }).create({ user: 'ann', at: time(NOON), id: 1 });
    await rejects(logins.merge(row, { address: 'x' }), 'ValueInvalid');
    assert(PatternError.is(await logins.delete(row).catch((thrown: unknown) => thrown), 'ValueInvalid'));
  });
});
