// Series on a service: slots that many write without reading, rings of the last periods, and counters; with lost answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, Instant, key, t } from '#patterns';
import { ring, series, seriesOf } from '#patterns/series';
import { before, FaultyClient } from '../support/faulty-client.js';
import { describePeers, type Peer } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const siteOf = (table: string) =>
  entity('Site', {
    version: 1,
    table,
    props: {
      site: t.string(),
      day: t.string(),
      hits: series(t.int32(), 24),
      bytes: series(t.int64(), 4),
      recent: ring(t.double(), { slots: 24, every: 'hour' }).stored('Recent'),
      note: t.string().optional(),
    },
    partition: p => key(p.site),
    row: p => key('site', p.day),
  });

const a = { site: 'a', day: '2026-01-05' } as const;
const rowKey = `site!${a.day}`;
const hour = (day: number, at: number): Instant => Instant.fromDate(new Date(Date.UTC(2026, 0, day, at, 30)));

const world = async (peer: Peer, options = {}) => {
  const Site = siteOf(await peer.newTable());
  const db = peer.open(options);
  return {
    Site,
    db,
    hits: seriesOf(db, Site, 'hits'),
    row: () => peer.table(Site.table).getEntity(a.site, rowKey),
  };
};

describePeers('series', peer => {
  test('have slots, each written by the first and later writers alike, in one request without a read', async () => {
    const requests = new FaultyClient();
    const { hits, row, db, Site } = await world(peer, { httpClient: requests });
    await hits.set(a, 7, 70);
    await hits.set(a, 0, 5);
    await hits.set(a, 7, 71);
    assert.equal(requests.count, 3);
    const stored = await row();
    assert.deepEqual(
      [stored.hits07, stored.hits00, stored.hits01, stored._op],
      [71, 5, undefined, undefined],
    );
    const slots = await hits.slots(a);
    assert.equal(slots.length, 24);
    assert.deepEqual([slots[0], slots[1], slots[7]], [5, undefined, 71]);
    assert.deepEqual((await hits.get(a))?.value.hits, slots);
    assert.deepEqual(await hits.slots({ ...a, site: 'b' }), Array.from({ length: 24 }));
    // As a property of the entity, it is written by every operation.
    const whole = await db.repo(Site).get(a);
    await db.repo(Site).merge(whole as never, { note: 'n' });
    await db.repo(Site).upsertMerge({ ...a, hits: [1] });
    assert.deepEqual([(await row()).hits00, (await row()).hits07, (await row()).note], [1, 71, 'n']);
    await db.repo(Site).upsert({ ...a, hits: [undefined, 2] });
    assert.deepEqual(
      [(await row()).hits00, (await row()).hits01, (await row()).hits07],
      [undefined, 2, undefined],
    );
  });

  test('are added to by a counter with a slot of its own, once for each call', async () => {
    const { Site, hits } = await world(peer);
    const bytesOf = (options = {}) => seriesOf(peer.open(options), Site, 'bytes');
    const counters = [0, 1, 2, 3].map(slot =>
      // The first request reads the slot, and the answer to every third is lost.
      bytesOf({ httpClient: new FaultyClient(at => (at % 3 === 1 ? 'reset after' : undefined)) }).counter(
        a,
        slot,
      ),
    );
    await Promise.all(
      counters.map(async counter => {
        for (let at = 0; at < 10; at++) await counter.add(3n);
      }),
    );
    assert.equal(await bytesOf().sum(a), 120n);
    assert.equal(await bytesOf().counter(a, 2).add(1n), 31n);
    assert.equal(await hits.sum(a), 0);
  });

  test('are computed under the ETag of the row, exactly, or Contention says what has none', async () => {
    const { Site, hits } = await world(peer);
    const writers = Array.from({ length: 4 }, () => seriesOf(peer.open(), Site, 'hits'));
    await Promise.all(
      writers.map(async writer => {
        for (let at = 0; at < 5; at++) await writer.mutate(a, 2, now => (now ?? 0) + 1, { attempts: 60 });
      }),
    );
    assert.equal((await hits.slots(a))[2], 20);
    await hits.mutate(a, 2, now => now, { attempts: 1 });
    // Another writer always comes between the read and the write.
    const httpClient = new FaultyClient(before('PUT', () => hits.set(a, 3, 1), 99));
    const late = seriesOf(peer.open({ httpClient }), Site, 'hits');
    await assert.rejects(
      late.mutate(a, 2, now => (now ?? 0) + 1, { attempts: 2 }),
      (thrown: Error) => /Contention/.test(thrown.message) && /slot of its own/.test(String(thrown.cause)),
    );
  });

  test('of the last periods give no value of an earlier round', async () => {
    let now = hour(5, 3);
    const { Site, db } = await world(peer, { now: () => now.toDate().getTime() });
    const recent = seriesOf(db, Site, 'recent');
    await recent.setAt(a, hour(5, 3), 1.5);
    await recent.setAt(a, hour(5, 2), 1);
    await recent.setAt(a, hour(4, 4), 0.5);
    await rejects(recent.setAt(a, hour(4, 3), 9), 'ValueInvalid');
    await rejects(recent.setAt(a, hour(5, 5), 9), 'ValueInvalid');
    await recent.setAt(a, hour(5, 4), 2);
    const seen = await recent.last(a, hour(5, 3));
    assert.equal(seen.length, 24);
    // Hour 4 of the day before has given its slot to hour 4 of this day.
    assert.deepEqual([seen[0]?.value, seen[22]?.value, seen[23]?.value], [undefined, 1, 1.5]);
    assert.equal(String(seen[23]?.from), '2026-01-05T03:00:00.0000000Z');
    now = hour(6, 3);
    assert.deepEqual(
      (await recent.last(a, now)).map(({ value }) => value).filter(value => value !== undefined),
      [2],
    );
    await recent.mutateAt(a, now, value => (value ?? 10) + 1);
    await recent.mutateAt(a, now, value => (value ?? 10) + 1);
    assert.equal((await recent.last(a, now)).at(-1)?.value, 12);
  });

  test('refuse what is no slot, no value or no series', async () => {
    const { Site, db, hits } = await world(peer);
    await hits.set(a, 23, 1);
    await rejects(hits.set(a, 24, 1), 'ValueInvalid');
    await rejects(hits.set(a, -1, 1), 'ValueInvalid');
    await rejects(hits.set(a, 1, 1.5), 'ValueInvalid');
    await rejects(seriesOf(db, Site, 'recent').set(a, 0, 1), 'ValueInvalid');
    await rejects(hits.last(a, hour(5, 3)), 'ValueInvalid');
    // @ts-expect-error a note is not a series
    assert.throws(() => seriesOf(db, Site, 'note'), /it is not a series/);
    const query = db.repo(Site).partition({ site: 'a' });
    // @ts-expect-error the service cannot compare it
    assert.throws(() => query.where(p => p.hits.eq(1)), /opaque/);
    const Needy = entity('Needy', {
      version: 1,
      table: Site.table,
      props: { id: t.int32(), name: t.string(), hits: series(t.int32(), 2) },
      partition: key('needy'),
      row: p => key(p.id.as(codec.int(3))),
    });
    assert.throws(
      () => seriesOf(db, Needy, 'hits'),
      /Needy\.name: in an entity with a series it is optional/,
    );
  });
});
