// Values that are too wide, too large or too many for one plain row: an employee with a property for each day of two years, a photo in a blob, a shop's sales by hour, and a log of accesses in blobs.
import assert from 'node:assert/strict';
import { BlobServiceClient } from '@azure/storage-blob';
import { z } from 'zod';
import { codec, entity, Instant, key, open, t } from '#patterns';
import { largeBytes, larges } from '#patterns/large';
import { logBook } from '#patterns/logbook';
import { series, seriesOf } from '#patterns/series';
import { wide, wideRepo } from '#patterns/wide';
import type { Example } from '../example.js';

const DAYS = 730;
const dayName = (day: number): string => `day${String(day).padStart(3, '0')}`;

const Hours = wide('Hours', {
  version: 1,
  table: 'Staff',
  props: {
    employee: t.int32(),
    ...Object.fromEntries(
      Array.from({ length: DAYS }, (_, day) => [dayName(day), t.double().optional()] as const),
    ),
  },
  partition: key('hours'),
  row: p => key('hours', p.employee.as(codec.int(6))),
});

const Employee = entity('Employee', {
  version: 1,
  table: 'Staff',
  props: { id: t.int32(), name: t.string(), photo: largeBytes().optional() },
  partition: key('employees'),
  row: p => key('employee', p.id.as(codec.int(6))),
});

const Sales = entity('Sales', {
  version: 1,
  table: 'Staff',
  props: { shop: t.string(), day: t.string(), sold: series(t.int32(), 24) },
  partition: p => key('sales', p.shop),
  row: p => key('sales', p.day),
});

export const shapes: Example = {
  title: 'Wide entities, large values, data series and a log book',
  run: async (client, say, connectionString) => {
    await client.createTable('Staff');
    const blobs = BlobServiceClient.fromConnectionString(connectionString);
    for (const name of ['photos', 'logs']) await blobs.createContainer(name);
    const db = open({ tables: client, blobs });

    const hours = wideRepo(db, Hours);
    const days = Object.fromEntries(Array.from({ length: DAYS }, (_, day) => [dayName(day), 8]));
    const made = await hours.create({ employee: 7, ...days } as never);
    const changed = await hours.merge(made, { [dayName(700)]: 7.5 } as never);
    say(`${DAYS} days stand in ${changed.pieces.length} rows, with one ETag.`);
    await assert.rejects(hours.merge(made, { [dayName(1)]: 0 } as never), /Conflict/);

    const employees = larges(db, Employee, { container: 'photos' });
    const ann = await employees.create({ id: 7, name: 'Ann', photo: new Uint8Array(3_000_000) });
    const photo = await employees.content(ann, 'photo');
    say(
      `A photo of ${photo?.length} bytes is in the blob ${ann.value.photo?.pointer?.blob.replace(/\w{32}$/, '...')}`,
    );

    const sold = seriesOf(db, Sales, 'sold');
    const shop = { shop: 'north', day: '2026-01-05' };
    await Promise.all(Array.from({ length: 24 }, (_, hour) => sold.set(shop, hour, 10 * hour)));
    say(`24 tills wrote their hours without reading: ${await sold.sum(shop)} sold.`);
    assert.equal(await sold.sum(shop), 2_760);

    const log = logBook(db, 'access', z.object({ door: z.string() }), {
      container: 'logs',
      every: 'hour',
      durable: 'each',
    });
    const times = await Promise.all(['north', 'south', 'north'].map(door => log.append({ door })));
    await log.close();
    const doors: string[] = [];
    const [from, to] = [times[0] as Instant, Instant.fromTicks((times[2] as Instant).ticks + 1n)];
    for await (const { value } of log.read(from, to)) doors.push(value.door);
    say(`The log has ${doors.join(', ')}.`);
    assert.deepEqual(doors, ['north', 'south', 'north']);
  },
};
