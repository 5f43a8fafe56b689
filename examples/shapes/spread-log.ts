// The append anti-pattern, and its remedy: entries by hour go to one end of the table, as the definition and every plan
// report; a hash before the time spreads them, and readers still get them by time.
import assert from 'node:assert/strict';
import { codec, entity, Instant, key, open, t } from '#patterns';
import { fanOut } from '#patterns/fan-out';
import type { Example } from '../example.js';

const props = { hour: t.instant(), at: t.instant(), employee: t.int32(), door: t.string() };

const Appended = entity('Appended', {
  version: 1,
  table: 'Accesses',
  props,
  partition: p => key(p.hour),
  row: p => key('appended', p.at, p.employee),
});

const Spread = entity('Spread', {
  version: 1,
  table: 'Accesses',
  props,
  partition: p => key(p.employee.as(codec.hash(4)), p.hour),
  row: p => key('spread', p.at, p.employee),
});

const ENTRIES = 200;
const hour = Instant.parse('2026-01-05T08:00:00Z');

export const spreadLog: Example = {
  title: 'The append anti-pattern: a log that goes to one partition, and one that a hash spreads',
  run: async (client, say) => {
    await client.createTable('Accesses');
    const db = open({ tables: client });
    const entries = Array.from({ length: ENTRIES }, (_, n) => ({
      hour,
      at: Instant.fromTicks(hour.ticks + BigInt(n)),
      employee: n,
      door: 'north',
    }));
    for (const entry of entries) {
      await db.repo(Appended).create(entry);
      await db.repo(Spread).create(entry);
    }
    say(`The definition says: ${Appended.warnings}`);
    const plan = db.repo(Appended).partition({ hour }).explain();
    assert(plan.warnings.includes(Appended.warnings[0] ?? ''));
    assert.deepEqual(Spread.warnings, []);

    const partitions = new Map<string, number>();
    for await (const { partitionKey } of db.repo(Spread).scan().allowScan('the example counts partitions'))
      partitions.set(partitionKey, (partitions.get(partitionKey) ?? 0) + 1);
    say(
      `With a hash ${ENTRIES} entries of one hour are in ${partitions.size} partitions: ${[...partitions.values()].join(', ')}.`,
    );
    assert.equal(partitions.size, 4);

    const buckets = db.repo(Spread).buckets({ hour });
    const all = await fanOut(buckets, { order: 'rows' }).take(ENTRIES + 1);
    assert.deepEqual(
      all.map(({ value }) => value.employee),
      entries.map(({ employee }) => employee),
    );
    say(`They are read as one, in the order of time: ${all.length} entries.`);
  },
};
