// Rows with a time to live: found while they live and by no time of maintenance after, put again with longer and shorter lives, and gone with their tables.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient } from '@azure/core-rest-pipeline';
import { until } from '#base/testing/until';
import { entity, Instant, key, t } from '#patterns';
import { expiring } from '#patterns/rolling';
import { onlyIn } from '../../support/slow.js';
import { column } from '../support/column.js';
import { FaultyClient } from '../support/faulty-client.js';
import { describePeers, type Peer } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const Session = entity('Session', {
  version: 1,
  table: 'Session',
  props: { id: t.string(), until: t.instant(), user: t.string() },
  partition: p => key(p.id),
  row: key('session'),
});

const START = Instant.parse('2026-01-05T12:30:00Z');
const MINUTE = 600_000_000n;
const OPTIONS = { expires: 'until', every: 'hour', longest: { hours: 6 } } as const;

let names = 0;

const world = (peer: Peer, more: { httpClient?: HttpClient } = {}) => {
  const clock = { ticks: START.ticks };
  const letters = [...`${++names}`].map(digit => String.fromCharCode(97 + Number(digit))).join('');
  const prefix = `Expire${letters}z`;
  const now = (): number => Instant.fromTicks(clock.ticks).toDate().getTime();
  const open_ = (options: { httpClient?: HttpClient } = {}) =>
    expiring(peer.open({ now, ...options }), Session, { ...OPTIONS, prefix });
  const at = (minutes: number): Instant => START.plus(BigInt(minutes) * MINUTE);
  const session = (id: string, minutes: number, user = 'ann') => ({ id, until: at(minutes), user });
  const pass = (minutes: number): void => {
    clock.ticks = at(minutes).ticks;
  };
  const tables = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { name = '' } of peer.client().listTables())
      if (name.startsWith(prefix)) found.push(name.slice(prefix.length));
    return found.sort();
  };
  return { sessions: open_(more), another: open_, at, session, pass, tables, clock };
};

describePeers('rows with a time to live', peer => {
  test('are there until their time is over, to the tick, and go with their tables', async () => {
    const { sessions, session, pass, tables, at, clock } = world(peer);
    const stored = await sessions.put(session('a', 30));
    assert.equal(stored.table.slice(-10), '2026010513');
    await sessions.put(session('b', 120));
    assert.deepEqual(await tables(), ['2026010513', '2026010514']);
    assert.equal((await sessions.get({ id: 'a' }))?.value.user, 'ann');
    assert.equal((await sessions.get({ id: 'a' }, { expires: at(30) }))?.value.user, 'ann');
    assert.equal(await sessions.get({ id: 'a' }, { expires: at(90) }), undefined);
    // The clock has milliseconds.
    clock.ticks = at(30).ticks - 10_000n;
    assert.equal((await sessions.get({ id: 'a' }))?.value.user, 'ann');
    for (const more of [0n, 10_000n]) {
      clock.ticks = at(30).ticks + more;
      assert.equal(await sessions.get({ id: 'a' }), undefined);
      assert.equal(await sessions.get({ id: 'a' }, { expires: at(30) }), undefined);
    }
    // Its table may have others that live.
    assert.deepEqual(await sessions.expire(), []);
    pass(90);
    assert.deepEqual(
      (await sessions.expire()).map(name => name.slice(-10)),
      ['2026010513'],
    );
    assert.equal((await sessions.get({ id: 'b' }))?.value.user, 'ann');
  });

  test('are refused if their time is over or further away than rows live', async () => {
    const { sessions, session, at } = world(peer);
    for (const until of [START, START.plus(-1n)])
      await rejects(sessions.put({ ...session('a', 0), until }), 'Expired', { retainedFrom: START });
    await sessions.put({ ...session('a', 0), until: START.plus(1n) });
    for (const less of [1n, 0n]) await sessions.put({ ...session('b', 0), until: at(360).plus(-less) });
    await rejects(sessions.put({ ...session('b', 0), until: at(360).plus(1n) }), 'ValueInvalid');
    assert.equal(`${sessions.after(90)}`, `${START.plus(90n * 10_000_000n)}`);
    await rejects(async () => sessions.after(0), 'ValueInvalid');
  });

  test('have the life that was put last, longer or shorter', async () => {
    const { sessions, session, pass } = world(peer);
    await sessions.put(session('a', 60, 'first'));
    await sessions.put(session('a', 240, 'longer'));
    assert.equal((await sessions.get({ id: 'a' }))?.value.user, 'longer');
    await sessions.put(session('a', 120, 'shorter'));
    assert.equal((await sessions.get({ id: 'a' }))?.value.user, 'shorter');
    pass(119);
    assert.equal((await sessions.get({ id: 'a' }))?.value.user, 'shorter');
    pass(120);
    assert.equal(await sessions.get({ id: 'a' }), undefined);
    // Of a new one no copy is looked for.
    await sessions.put(session('a', 300, 'new'), { isNew: true });
    await sessions.put(session('a', 200, 'hidden'), { isNew: true });
    assert.equal((await sessions.get({ id: 'a' }))?.value.user, 'new');
    await sessions.delete({ id: 'a' });
    assert.equal(await sessions.get({ id: 'a' }), undefined);
    await sessions.delete({ id: 'a' });
  });

  test('are found by a reader while their life is made shorter', async () => {
    const { sessions, another, session } = world(peer);
    await sessions.put(session('a', 300, 'long'));
    let isShortened = false;
    let answered = 0;
    // The reader has looked into the six other tables when the life is made shorter, and looks into this one behind that.
    const httpClient = new FaultyClient(
      async (_, { url }) => {
        if (!url.includes('2026010517') || isShortened) return undefined;
        isShortened = true;
        await until('the answers of the others', () => answered === 6);
        await sessions.put(session('a', 100, 'short'));
        return undefined;
      },
      () => answered++,
    );
    assert.equal((await another({ httpClient }).get({ id: 'a' }))?.value.user, 'short');
    assert(isShortened);
  });

  test('cost the requests that the page says', { skip: onlyIn('patterns') }, async () => {
    const requests = new FaultyClient();
    const { sessions, session, at } = world(peer, { httpClient: requests });
    const count = (run: () => Promise<unknown>) => requests.counted(run);
    assert.equal((await sessions.prepare()).length, 7);
    assert.equal(await count(() => sessions.put(session('a', 360))), 1);
    assert.equal(await count(() => sessions.put(session('b', 240))), 3);
    assert.equal(await count(() => sessions.put(session('c', 240), { isNew: true })), 1);
    assert.equal(await count(() => sessions.get({ id: 'a' })), 7);
    assert.equal(await count(() => sessions.get({ id: 'a' }, { expires: at(360) })), 1);
    assert.equal(await count(() => sessions.get({ id: 'none' })), 14);
    const span = sessions.rows.span(START, at(400), repo => repo.scan().allowScan('a test'));
    assert.deepEqual(column(await span.take(9), 'id'), ['b', 'c', 'a']);
  });

  test('are refused by definitions that would not find them, or that no service keeps', () => {
    const db = peer.open();
    const define = (options: object) => expiring(db, Session, { ...OPTIONS, ...options });
    assert.throws(() => define({ by: 'server' }), /no service that is known deletes rows by itself/);
    assert.throws(() => define({ by: 'magic' }), /by rolling or server/);
    for (const longest of [{ hours: 0 }, { days: 0.5 }, { months: 1 }, {}])
      assert.throws(() => define({ longest }), /the longest life is a whole number/);
    for (const hours of [99, 100]) define({ longest: { hours } });
    assert.throws(() => define({ longest: { hours: 101 } }), /looked for in 102 tables/);
    define({ every: 'day', longest: { days: 100 } });
    define({ every: 'month', longest: { days: 2_800 } });
    assert.throws(() => define({ every: 'month', longest: { days: 2_801 } }), /looked for in 102 tables/);
    const Keyed = entity('Keyed', {
      version: 1,
      table: 'Keyed',
      props: { id: t.string(), until: t.instant() },
      partition: p => key(p.id),
      row: p => key(p.until),
    });
    assert.throws(() => expiring(db, Keyed, OPTIONS), /use rolling/);
  });
});
