// Rows with a time to live: found while they live and by no time of maintenance after, put again with longer and shorter lives, and gone with their tables.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { entity, Instant, key, t } from '#patterns';
import { expiring } from '#patterns/rolling';
import { onlyIn } from '../../support/slow.js';
import { column } from '../support/column.js';
import { FaultyClient } from '../support/faulty-client.js';
import { describePeers, type Peer } from '../support/peers.js';
import { rejects } from '../support/rejects.js';
import { MINUTE, rollingWorld } from './rolling-world.js';

const Session = entity('Session', {
  version: 1,
  table: 'Session',
  props: { id: t.string(), until: t.instant(), user: t.string() },
  partition: p => key(p.id),
  row: key('session'),
});

const START = Instant.parse('2026-01-05T12:30:00Z');
const OPTIONS = { expires: 'until', every: 'hour', longest: { hours: 6 } } as const;
const at = (minutes: number): Instant => START.plus(BigInt(minutes) * MINUTE);
const session = (id: string, minutes: number, user = 'ann') => ({ id, until: at(minutes), user });
const a = { id: 'a' } as const;

const world = (peer: Peer) => {
  const made = rollingWorld(peer, { now: START });
  const another = (httpClient?: FaultyClient) =>
    expiring(made.opened(httpClient), Session, { ...OPTIONS, prefix: made.prefix });
  const sessions = another();
  const pass = (minutes: number): void => {
    made.clock.ticks = at(minutes).ticks;
  };
  const user = async (options = {}) => (await sessions.get(a, options))?.value.user;
  return { ...made, sessions, another, pass, user };
};

describePeers('rows with a time to live', peer => {
  test('are there until their time is over, to the tick, and go with their tables', async () => {
    const { sessions, pass, tables, named, clock, user } = world(peer);
    const { table } = await sessions.put(session('a', 30));
    assert.deepEqual([table], named('2026010513'));
    await sessions.put(session('b', 120));
    assert.deepEqual(await tables(), named('2026010513', '2026010514'));
    assert.deepEqual([await user(), await user({ expires: at(30) })], ['ann', 'ann']);
    assert.equal(await user({ expires: at(90) }), undefined);
    // The clock has milliseconds.
    for (const [ticks, expected] of [
      [-10_000n, 'ann'],
      [0n, undefined],
      [10_000n, undefined],
    ] as const) {
      clock.ticks = at(30).ticks + ticks;
      assert.deepEqual([await user(), await user({ expires: at(30) })], [expected, expected]);
    }
    // Its table may have others that live.
    assert.deepEqual(await sessions.expire(), []);
    pass(90);
    assert.deepEqual(await sessions.expire(), named('2026010513'));
    assert.equal((await sessions.get({ id: 'b' }))?.value.user, 'ann');
  });

  test('are refused if their time is over or further away than rows live', async () => {
    const { sessions } = world(peer);
    const put = (end: Instant) => sessions.put({ ...session('a', 0), until: end });
    for (const end of [START, START.plus(-1n)]) await rejects(put(end), 'Expired', { retainedFrom: START });
    for (const end of [START.plus(1n), at(360).plus(-1n), at(360)]) await put(end);
    await rejects(put(at(360).plus(1n)), 'ValueInvalid');
    assert.equal(`${sessions.after(90)}`, `${START.plus(90n * 10_000_000n)}`);
    for (const seconds of [0, Number.NaN, Number.POSITIVE_INFINITY])
      await rejects(async () => sessions.after(seconds), 'ValueInvalid');
  });

  test('have the life that was put last, longer or shorter', async () => {
    const { sessions, pass, user } = world(peer);
    for (const [minutes, name] of [
      [60, 'first'],
      [240, 'longer'],
      [120, 'shorter'],
    ] as const) {
      await sessions.put(session('a', minutes, name));
      assert.equal(await user(), name);
    }
    pass(119);
    assert.equal(await user(), 'shorter');
    pass(120);
    assert.equal(await user(), undefined);
    // Of a new one no copy is looked for.
    await sessions.put(session('a', 300, 'new'), { isNew: true });
    await sessions.put(session('a', 200, 'hidden'), { isNew: true });
    assert.equal(await user(), 'new');
    for (let n = 0; n < 2; n++) await sessions.delete(a);
    assert.equal(await user(), undefined);
  });

  test('are found by a reader while their life is made shorter', async () => {
    const { sessions, another } = world(peer);
    await sessions.put(session('a', 300, 'long'));
    let [isShortened, answered] = [false, 0];
    // The reader has looked into the six other tables when the life is made shorter, and looks into this one behind that.
    const reader = new FaultyClient(
      async (_, { url }) => {
        if (!url.includes('2026010517') || isShortened) return undefined;
        isShortened = true;
        await until('the answers of the others', () => answered === 6);
        await sessions.put(session('a', 100, 'short'));
        return undefined;
      },
      () => answered++,
    );
    assert.equal((await another(reader).get(a))?.value.user, 'short');
    assert(isShortened);
  });

  test('cost the requests that the page says', { skip: onlyIn('patterns') }, async () => {
    const { sessions, requests } = world(peer);
    assert.equal((await sessions.prepare()).length, 7);
    for (const [run, count] of [
      [() => sessions.put(session('a', 360)), 1],
      [() => sessions.put(session('b', 240)), 3],
      [() => sessions.put(session('c', 240), { isNew: true }), 1],
      [() => sessions.get(a), 7],
      [() => sessions.get(a, { expires: at(360) }), 1],
      [() => sessions.get({ id: 'none' }), 14],
    ] as const)
      assert.equal(await requests.counted(run), count, String(run));
    const span = sessions.rows.span(START, at(400), repo => repo.scan().allowScan('a test'));
    assert.deepEqual(column(await span.take(9), 'id'), ['b', 'c', 'a']);
  });

  test('are refused by definitions that would not find them, or that no service keeps', () => {
    const db = peer.open();
    const define = (options: object) => expiring(db, Session, { ...OPTIONS, ...options });
    const Keyed = entity('Keyed', {
      version: 1,
      table: 'Keyed',
      props: { id: t.string(), until: t.instant() },
      partition: p => key(p.id),
      row: p => key(p.until),
    });
    for (const [options, reason] of [
      [{ by: 'server' }, /no service that is known deletes rows by itself/],
      [{ by: 'magic' }, /by rolling or server/],
      [{ longest: { hours: 0 } }, /the longest life is a whole number/],
      [{ longest: { days: 0.5 } }, /the longest life is a whole number/],
      [{ longest: { months: 1 } }, /the longest life is a whole number/],
      [{ longest: {} }, /the longest life is a whole number/],
      [{ longest: { hours: 101 } }, /looked for in 102 tables/],
      [{ every: 'month', longest: { days: 2_801 } }, /looked for in 102 tables/],
    ] as const)
      assert.throws(() => define(options), reason);
    for (const options of [
      { longest: { hours: 99 } },
      { longest: { hours: 100 } },
      { every: 'day', longest: { days: 100 } },
      { every: 'month', longest: { days: 2_800 } },
    ])
      define(options);
    assert.throws(() => expiring(db, Keyed, OPTIONS), /use rolling/);
  });
});
