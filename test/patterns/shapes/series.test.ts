// Series on a service: slots that many write without reading, rings of the last periods, and counters; with lost answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, Instant, key, t } from '#patterns';
import { ring, series, seriesOf } from '#patterns/series';
import { before, FaultyClient } from '../support/faulty-client.js';
import { describePeers, type FreshOptions, fresh } from '../support/peers.js';
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
const hour = (day: number, at: number): Instant => Instant.fromDate(new Date(Date.UTC(2026, 0, day, at, 30)));

describePeers('series', peer => {
  const world = async (options: FreshOptions = {}) => {
    const { db, table, httpClient, raw } = await fresh(peer, siteOf('Sites'), options);
    const Site = siteOf(table);
    const row = () => raw.getEntity<Record<string, unknown>>(a.site, `site!${a.day}`);
    return { Site, db, hits: seriesOf(db, Site, 'hits'), row, sites: db.repo(Site), httpClient };
  };

  test('have slots, each written by the first and later writers alike, in one request without a read', async () => {
    const { hits, row, sites, httpClient } = await world();
    for (const [slot, value] of [
      [7, 70],
      [0, 5],
      [7, 71],
    ] as const)
      assert.equal(await httpClient.counted(() => hits.set(a, slot, value)), 1);
    const { hits00, hits01, hits07, _op } = await row();
    assert.deepEqual([hits07, hits00, hits01, _op], [71, 5, undefined, undefined]);
    const slots = await hits.slots(a);
    assert.deepEqual([slots.length, slots[0], slots[1], slots[7]], [24, 5, undefined, 71]);
    assert.deepEqual((await hits.get(a))?.value.hits, slots);
    assert.deepEqual(await hits.slots({ ...a, site: 'b' }), Array.from({ length: 24 }));
    // As a property of the entity, it is written by every operation.
    await sites.merge((await sites.get(a)) as never, { note: 'n' });
    await sites.upsertMerge({ ...a, hits: [1] });
    const merged = await row();
    assert.deepEqual([merged.hits00, merged.hits07, merged.note], [1, 71, 'n']);
    await sites.upsert({ ...a, hits: [undefined, 2] });
    const written = await row();
    assert.deepEqual([written.hits00, written.hits01, written.hits07], [undefined, 2, undefined]);
  });

  test('are added to by a counter with a slot of its own, once for each call', async () => {
    const { Site, hits } = await world();
    // The first request reads the slot, and the answer to every third is lost.
    const losing = () => new FaultyClient(at => (at % 3 === 1 ? 'reset after' : undefined));
    const counters = [0, 1, 2, 3].map(slot =>
      seriesOf(peer.open({ httpClient: losing() }), Site, 'bytes').counter(a, slot),
    );
    await Promise.all(
      counters.map(async counter => {
        for (let at = 0; at < 10; at++) await counter.add(3n);
      }),
    );
    const bytes = seriesOf(peer.open(), Site, 'bytes');
    assert.equal(await bytes.sum(a), 120n);
    const again = bytes.counter(a, 2);
    // Also if it could not even read the slot, the next call counts what this one should have.
    await assert.rejects(again.add(5n, { signal: AbortSignal.abort() }));
    assert.equal(await again.add(1n), 36n);
    assert.equal(await hits.sum(a), 0);
  });

  test('are computed under the ETag of the row, exactly, or Contention says what has none', async () => {
    const { Site, hits } = await world();
    const more = (now: number | undefined) => (now ?? 0) + 1;
    await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const writer = seriesOf(peer.open(), Site, 'hits');
        for (let at = 0; at < 5; at++) await writer.mutate(a, 2, more, { attempts: 60 });
      }),
    );
    assert.equal((await hits.slots(a))[2], 20);
    await hits.mutate(a, 2, now => now, { attempts: 1 });
    // Another writer always comes between the read and the write.
    const httpClient = new FaultyClient(before('PUT', () => hits.set(a, 3, 1), 99));
    const late = seriesOf(peer.open({ httpClient }), Site, 'hits');
    await assert.rejects(
      late.mutate(a, 2, more, { attempts: 2 }),
      (thrown: Error) => /Contention/.test(thrown.message) && /slot of its own/.test(String(thrown.cause)),
    );
  });

  test('of the last periods give no value of an earlier round', async () => {
    let now = hour(5, 3);
    const { Site, db } = await world({ now: () => now.toDate().getTime() });
    const recent = seriesOf(db, Site, 'recent');
    const values = async (at: Instant) => (await recent.last(a, at)).map(({ value }) => value);
    await recent.setAt(a, hour(5, 3), 1.5);
    await recent.setAt(a, hour(5, 2), 1);
    await recent.setAt(a, hour(4, 4), 0.5);
    for (const outside of [hour(4, 3), hour(5, 5)])
      await rejects(recent.setAt(a, outside, 9), 'ValueInvalid');
    await recent.setAt(a, hour(5, 4), 2);
    // Hour 4 of the day before has given its slot to hour 4 of this day.
    const nothing = Array.from({ length: 22 });
    assert.deepEqual(await values(hour(5, 3)), [...nothing, 1, 1.5]);
    assert.equal(String((await recent.last(a, hour(5, 3))).at(-1)?.from), '2026-01-05T03:00:00.0000000Z');
    now = hour(6, 3);
    assert.deepEqual(await values(now), [2, ...nothing, undefined]);
    for (let n = 0; n < 2; n++) await recent.mutateAt(a, now, value => (value ?? 10) + 1);
    assert.equal((await values(now)).at(-1), 12);
  });

  test('refuse what is no slot, no value or no series', async () => {
    const { Site, db, hits, sites } = await world();
    await hits.set(a, 23, 1);
    for (const [slot, value] of [
      [24, 1],
      [-1, 1],
      [1, 1.5],
    ] as const)
      await rejects(hits.set(a, slot, value), 'ValueInvalid');
    await rejects(seriesOf(db, Site, 'recent').set(a, 0, 1), 'ValueInvalid');
    await rejects(hits.last(a, hour(5, 3)), 'ValueInvalid');
    // @ts-expect-error a note is not a series
    assert.throws(() => seriesOf(db, Site, 'note'), /it is not a series/);
    // @ts-expect-error the service cannot compare it
    assert.throws(() => sites.partition({ site: 'a' }).where(p => p.hits.eq(1)), /opaque/);
    const Needy = entity('Needy', {
      version: 1,
      table: Site.table,
      props: { id: t.int32(), name: t.string(), hits: series(t.int32(), 2) },
      partition: key('needy'),
      row: p => key(p.id.as(codec.int(3))),
    });
    const optional = /Needy\.name: in an entity with a series it is optional/;
    assert.throws(() => seriesOf(db, Needy, 'hits'), optional);
  });
});
