// Every EDM type through the official client, in its typed and its plain forms, and back (protocol: json, data-model#types).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableClient } from '@azure/data-tables';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { makeTable, refuses } from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const KEYS = { partitionKey: 'p', rowKey: 'r' };

/** One property, written and read back as the client converts it, or as `{ value, type }`. */
async function roundTrip(
  table: TableClient,
  value: unknown,
  disableTypeConversion = false,
): Promise<unknown> {
  await table.upsertEntity({ ...KEYS, value }, 'Replace');
  const entity = await table.getEntity<{ value?: unknown }>('p', 'r', { disableTypeConversion });
  return entity.value;
}

const GUID = 'c9da6455-213d-42c9-9a79-3e9149a57833';

/** Typed values, and the values read back. The client itself makes text of values without annotation. */
const TYPED: readonly (readonly [type: string, value: unknown, back: unknown])[] = [
  ['String', '', ''],
  ['String', ' padded ', ' padded '],
  ['Int32', 2147483647, '2147483647'],
  ['Int32', '-2147483648', '-2147483648'],
  ['Int64', '9223372036854775807', '9223372036854775807'],
  ['Int64', '-9223372036854775808', '-9223372036854775808'],
  ['Double', 1.5, '1.5'],
  ['Double', 'NaN', 'NaN'],
  ['Double', 'Infinity', 'Infinity'],
  ['Double', '-Infinity', '-Infinity'],
  ['Boolean', true, 'true'],
  ['Boolean', 'false', 'false'],
  ['DateTime', '2020-01-01T01:02:03.4567891Z', '2020-01-01T01:02:03.4567891Z'],
  ['DateTime', '1601-01-01T00:00:00.0000000Z', '1601-01-01T00:00:00Z'],
  ['DateTime', '9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.9999999Z'],
  ['Guid', GUID.toUpperCase(), GUID],
  ['Binary', 'AQIDBAU=', 'AQIDBAU='],
  ['Binary', '', ''],
];

const PLAIN: readonly (readonly [title: string, value: unknown])[] = [
  ['empty string', ''],
  ['spaces', '  \t\r\n '],
  ['quotes and markup', `'"\\/<b>&amp;{}[]`],
  ['unicode', 'ô ꀕ 漢字 \u{1f600} \u0000 \u001f \u007f \uffff'],
  ['string of 64 KiB', 'é'.repeat(32_768)],
  ['text that looks like a date', '2020-01-01T00:00:00Z'],
  ['Int32', -5],
  ['Double', 1.1000000000000001],
  ['smallest Double', 5e-324],
  ['largest Double', Number.MAX_VALUE],
  ['true', true],
  ['false', false],
  ['bigint', 9223372036854775807n],
  ['date', new Date('1969-12-31T23:59:59.999Z')],
];

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i & 0xff);

describeTargets('types', subject => {
  test('typed values read back with their type', async () => {
    const table = await makeTable(subject);
    for (const [type, value, back] of TYPED) {
      assert.deepEqual(
        await roundTrip(table, { type, value }, true),
        { type, value: back },
        `${type} ${value}`,
      );
    }
  });

  test('plain values read back as they were', async () => {
    const table = await makeTable(subject);
    for (const [title, value] of PLAIN) assert.deepEqual(await roundTrip(table, value), value, title);
  });

  test('bytes read back as they were, up to 64 KiB', async () => {
    const table = await makeTable(subject);
    for (const length of [0, 1, 2, 3, 256, 65_536]) {
      const back = await roundTrip(table, bytes(length));
      assert(back instanceof Uint8Array);
      assert.deepEqual(Uint8Array.from(back), bytes(length));
    }
    await refuses(roundTrip(table, bytes(65_537)), 400, 'PropertyValueTooLarge');
  });

  test('an entity that was read can be written back whole', async () => {
    const table = await makeTable(subject);
    await table.createEntity({
      ...KEYS,
      text: 'a',
      count: 5n,
      at: new Date(0),
      id: { type: 'Guid', value: GUID },
    });
    const read = await table.getEntity<Record<string, unknown>>('p', 'r');
    await table.updateEntity({ ...read, ...KEYS }, 'Replace', { etag: read.etag });
    const again = await table.getEntity<Record<string, unknown>>('p', 'r');
    const { etag, timestamp, ...kept } = again;
    assert.notEqual(etag, read.etag);
    assert.deepEqual({ ...kept, etag: read.etag, timestamp: read.timestamp }, read);
  });

  test('property: entities of all types survive', async () => {
    const table = await makeTable(subject);
    const text = fc.string({ unit: codePoint, maxLength: 40 });
    // The client writes a whole number as an Int32, and JSON has no negative zero.
    const fraction = fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter(number => !Number.isInteger(number) || Math.abs(number) >= 1e21);
    const date = fc.date({
      min: new Date('1601-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    const value = fc.oneof(
      text,
      fc.integer(),
      fraction,
      fc.boolean(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      date,
    );
    const name = fc.stringMatching(/^x[\p{L}_][\p{L}\p{Nd}_]{0,20}$/u);
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, value, { maxKeys: 12, noNullPrototype: true }),
        async properties => {
          await table.upsertEntity({ ...KEYS, ...properties }, 'Replace');
          const {
            partitionKey,
            rowKey,
            etag,
            timestamp,
            'odata.metadata': _,
            ...back
          } = await table.getEntity<Record<string, unknown>>('p', 'r');
          assert.deepEqual(back, properties);
        },
      ),
      { numRuns: 40 },
    );
  });
});
