// Merging into the stored form against a simple model: read everything, set the changes, sort, write everything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import type { Property } from '../entity/edm.js';
import { decodeEntity } from '../entity/entity-codec.js';
import { encodeEntity } from '../entity/entity-encoder.js';
import { checkEntity, ENTITY_BYTES_MAX } from '../limits.js';
import { entityBytes, properties } from '../testing/edm.js';
import { inOrdinalOrder, mergeStored } from './merge-stored.js';

const KEY = { partitionKey: 'p', rowKey: 'row' };

function plainly(stored: Buffer, changes: readonly Property[]): Buffer {
  const all = new Map(decodeEntity(stored).map(property => [property.name, property]));
  for (const change of changes) all.set(change.name, change);
  const merged = inOrdinalOrder([...all.values()]);
  checkEntity(KEY, merged);
  return encodeEntity(merged);
}

test('a merge gives the same bytes as writing all of the entity', () => {
  fc.assert(
    fc.property(properties, properties, (before, changes) => {
      const stored = encodeEntity(before);
      assert.deepEqual(mergeStored(KEY, stored, changes), plainly(stored, changes));
    }),
    { numRuns: randomRuns(2_000) },
  );
});

const text = (name: string, length: number): Property => ({
  name,
  type: 'Edm.String',
  value: 'x'.repeat(length),
});

test('the merged entity must be within the limits of size and count, to the byte', () => {
  const half = Array.from({ length: 15 }, (_, i) => text(`p${i}`, 32_000));
  const rest = ENTITY_BYTES_MAX - entityBytes(KEY, [...half, text('q', 0), text('r', 0)]);
  const stored = encodeEntity([...half, text('q', 30_000)]);
  const length = rest / 2 - 30_000;
  const fits = text('r', length);
  assert.deepEqual(mergeStored(KEY, stored, [fits]), plainly(stored, [fits]));
  assert.throws(() => mergeStored(KEY, stored, [text('r', length + 1)]), { code: 'EntityTooLarge' });
  const many = Array.from(
    { length: 252 },
    (_, i): Property => ({ name: `p${i}`, type: 'Edm.Boolean', value: true }),
  );
  const full = encodeEntity(many);
  assert.deepEqual(mergeStored(KEY, full, many.slice(3, 5)), plainly(full, []));
  assert.throws(() => mergeStored(KEY, full, [text('r', 1)]), { code: 'TooManyProperties' });
});

test('an unknown type and texts of another length are corrupt', () => {
  const stored = encodeEntity([text('a', 5)]);
  const unknown = Buffer.from(stored);
  unknown[4] = 8;
  for (const broken of [unknown, stored.subarray(0, -1), Buffer.concat([stored, Buffer.of(0x20)])])
    assert.throws(() => mergeStored(KEY, broken, []), { name: 'StoreError', code: 'corrupt' });
});
