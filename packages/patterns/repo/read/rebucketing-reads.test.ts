// Queries of a partition whose rows are in several, over pages that are cut anywhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rebucketing } from '../../bulk.js';
import { encodeEntity } from '../../model/encode-entity.js';
import { entity } from '../../model/entity.js';
import { key } from '../../model/keys/key.js';
import { codec } from '../../model/keys/key-codec.js';
import { TornSource } from '../../testing/torn-source.js';
import { t } from '../../values/property.js';
import { EntityReads } from './reads.js';
import type { QueryOptions } from './table-query.js';

const visits = (hash: ReturnType<typeof codec.hash>) =>
  entity('Visit', {
    version: 1,
    table: 'Visits',
    props: { customer: t.string(), number: t.int32(), bucket: t.string(), note: t.string() },
    partition: p => key(p.customer.as(hash)),
    row: p => key(p.number.as(codec.int(4))),
  });
const Current = visits(codec.hash(16, rebucketing(4, 8)));
const ENTITIES = { old: visits(codec.hash(4)), middle: visits(codec.hash(8)), new: visits(codec.hash(16)) };
type Bucket = keyof typeof ENTITIES;

const rowOf = (bucket: Bucket, number: number) =>
  encodeEntity(ENTITIES[bucket], { customer: 'c3', number, bucket, note: 'n' });

/** The rows of three buckets by their numbers. */
function partitionOf(
  numbers: Readonly<Record<Bucket, readonly number[]>>,
  options: QueryOptions = {},
  wrong: readonly number[] = [],
) {
  const rows = (Object.keys(numbers) as Bucket[]).flatMap(bucket =>
    numbers[bucket].map(number => {
      const row = rowOf(bucket, number);
      if (!wrong.includes(number)) return row;
      return { ...row, properties: row.properties.filter(({ name }) => name !== 'bucket') };
    }),
  );
  const source = new TornSource(rows, () => 0.7);
  return new EntityReads(Current, { ...options, source }).partition({ customer: 'c3' });
}

const EVERY = { old: [1, 4, 5, 8], middle: [2, 4, 5, 7], new: [3, 5, 6] };

test('give a row once that is in several buckets, in its order', async () => {
  const expected = ['1old', '2middle', '3new', '4old', '5new', '6new', '7middle', '8old'];
  for (const size of [1, 2, 3, 100]) {
    const found: string[] = [];
    for await (const { value } of partitionOf(EVERY).stream({ size }))
      found.push(`${value.number}${value.bucket}`);
    assert.deepEqual(found, expected, `pages of ${size}`);
  }
});

test('report an unreadable row once, and a scan of each bucket once', async () => {
  let [unreadable, scans] = [0, 0];
  const options = { onUnreadable: () => void unreadable++, warn: () => void scans++ };
  const numbers = { old: [1, 2, 3, 9], middle: [4, 5, 6], new: [7, 8] };
  const rows = partitionOf(numbers, options, [2, 5, 8, 9]).where(p => p.note.eq('n'));
  const found: number[] = [];
  for await (const { value } of rows.stream({ size: 2 })) found.push(value.number);
  assert.deepEqual([found, unreadable, scans], [[1, 3, 4, 6, 7], 4, 3]);
});

test('go on by tokens of earlier versions', async () => {
  const resume = 'eyJ2IjoyLCJxIjoiNGJpZHlmLmQ3OXJkdiIsImF0Ijp7InAiOiI2IiwiciI6IjAwMDIifX0';
  const { items } = await partitionOf(EVERY).page({ size: 2, resume });
  assert.deepEqual(
    items.map(({ value }) => value.number),
    [3, 4],
  );
});
