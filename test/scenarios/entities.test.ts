// Entities through the official client: each operation with its ETags and refusals, every type in its typed and its
// plain form, and keys of any text (protocol: entities, json, data-model#types, data-model#keys).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { odata, type TableClient } from '@azure/data-tables';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { collect, makeTable, refuses } from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const KEYS = { partitionKey: 'p', rowKey: 'r' };

/** An entity's own properties, in the order in which they were answered. */
async function propertiesOf(table: TableClient): Promise<unknown[][]> {
  const system = new Set(['odata.metadata', 'etag', 'partitionKey', 'rowKey', 'timestamp']);
  const entity: object = await table.getEntity('p', 'r');
  return Object.entries(entity).filter(([name]) => !system.has(name));
}

describeTargets('entities', subject => {
  test('each operation on an entity that is there, or missing', async () => {
    const table = await makeTable(subject);
    await Promise.all(
      [
        table.getEntity('p', 'r'),
        table.updateEntity(KEYS, 'Merge'),
        table.updateEntity(KEYS, 'Replace'),
        table.deleteEntity('p', 'r'),
      ].map(missing => refuses(missing, 404, 'ResourceNotFound')),
    );
    const { etag } = await table.createEntity({ ...KEYS, b: 1, a: 1, none: null, nothing: undefined });
    const { timestamp, ...entity } = await table.getEntity('p', 'r');
    assert.deepEqual([entity.etag, entity.partitionKey, entity.rowKey], [etag, 'p', 'r']);
    assert.equal(etag, `W/"datetime'${timestamp?.replaceAll(':', '%3A')}'"`);
    const is = async (...properties: unknown[][]): Promise<void> =>
      assert.deepEqual(await propertiesOf(table), properties);
    await is(['b', 1], ['a', 1]);
    await refuses(table.createEntity(KEYS), 409, 'EntityAlreadyExists');
    await table.upsertEntity({ ...KEYS, a: 'changed', b: null, c: true }, 'Merge');
    await is(['a', 'changed'], ['b', 1], ['c', true]);
    await table.updateEntity({ ...KEYS, c: 2.5 }, 'Merge');
    await is(['a', 'changed'], ['b', 1], ['c', 2.5]);
    await table.updateEntity({ ...KEYS, a: null, d: 1 }, 'Replace');
    await is(['d', 1]);
    await table.upsertEntity({ ...KEYS, e: 1 }, 'Replace');
    await is(['e', 1]);
    await table.deleteEntity('p', 'r');
    await table.upsertEntity({ ...KEYS, f: 1 }, 'Merge');
    await is(['f', 1]);
    assert.notEqual((await table.getEntity('p', 'r')).etag, etag);
  });

  test('with an ETag each write requires that the entity is unchanged', async () => {
    const table = await makeTable(subject);
    const { etag: made = '' } = await table.createEntity({ ...KEYS, n: 0 });
    const { etag: merged = '' } = await table.updateEntity({ ...KEYS, n: 1 }, 'Merge', { etag: made });
    assert.notEqual(merged, made);
    const stale = { etag: made };
    await Promise.all(
      [
        table.updateEntity({ ...KEYS, n: 2 }, 'Merge', stale),
        table.updateEntity({ ...KEYS, n: 2 }, 'Replace', stale),
        table.deleteEntity('p', 'r', stale),
      ].map(refused => refuses(refused, 412, 'UpdateConditionNotSatisfied')),
    );
    const { etag: replaced = '' } = await table.updateEntity({ ...KEYS, n: 3 }, 'Replace', { etag: merged });
    assert.deepEqual(await propertiesOf(table), [['n', 3]]);
    await table.deleteEntity('p', 'r', { etag: replaced });
    await refuses(table.deleteEntity('p', 'r', { etag: replaced }), 404, 'ResourceNotFound');
    const etags = new Set([made, merged, replaced]);
    for (let i = 0; i < 7; i++) {
      etags.add((await table.createEntity(KEYS)).etag ?? '');
      await table.deleteEntity('p', 'r');
    }
    assert.equal(etags.size, 10);
  });
});

const GUID = 'c9da6455-213d-42c9-9a79-3e9149a57833';

/** Typed values, and the values read back. The client itself makes text of values without annotation. */
const TYPED: readonly (readonly [type: string, value: unknown, back: unknown])[] = [
  ['String', ' padded ', ' padded '],
  ['Int32', 2147483647, '2147483647'],
  ['Int32', '-2147483648', '-2147483648'],
  ['Int64', '9223372036854775807', '9223372036854775807'],
  ['Int64', '-9223372036854775808', '-9223372036854775808'],
  ['Double', 1.5, '1.5'],
  ['Double', 'NaN', 'NaN'],
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

const PLAIN: readonly unknown[] = [
  ...['', '  \t\r\n ', `'"\\/<b>&amp;{}[]`, 'ô ꀕ 漢字 \u{1f600} \u0000 \u001f \u007f \uffff'],
  ...['é'.repeat(32_768), '2020-01-01T00:00:00Z', 1.1000000000000001, 5e-324, Number.MAX_VALUE],
];

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i & 0xff);

describeTargets('types', subject => {
  test('values read back with their type, at the bounds of each', async () => {
    const table = await makeTable(subject);
    const roundTrip = async (value: unknown, disableTypeConversion = false): Promise<unknown> => {
      await table.upsertEntity({ ...KEYS, value }, 'Replace');
      return (await table.getEntity<{ value?: unknown }>('p', 'r', { disableTypeConversion })).value;
    };
    for (const [type, value, back] of TYPED)
      assert.deepEqual(await roundTrip({ type, value }, true), { type, value: back }, `${type} ${value}`);
    for (const value of PLAIN) assert.deepEqual(await roundTrip(value), value);
    for (const length of [0, 1, 65_536])
      assert.deepEqual(
        Buffer.from((await roundTrip(bytes(length))) as Uint8Array),
        Buffer.from(bytes(length)),
      );
    await refuses(roundTrip(bytes(65_537)), 400, 'PropertyValueTooLarge');
  });

  test('an entity that was read can be written back whole', async () => {
    const table = await makeTable(subject);
    const id = { type: 'Guid', value: GUID };
    await table.createEntity({ ...KEYS, text: 'a', count: 5n, at: new Date(0), id });
    const read = await table.getEntity<Record<string, unknown>>('p', 'r');
    await table.updateEntity({ ...read, ...KEYS }, 'Replace', { etag: read.etag });
    const { etag, timestamp, ...kept } = await table.getEntity<Record<string, unknown>>('p', 'r');
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
    const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const value = fc.oneof(text, fc.integer(), fraction, fc.boolean(), long, date);
    const name = fc.stringMatching(/^x[\p{L}_][\p{L}\p{Nd}_]{0,20}$/u);
    const entity = fc.dictionary(name, value, { maxKeys: 12, noNullPrototype: true });
    const survives = fc.asyncProperty(entity, async properties => {
      await table.upsertEntity({ ...KEYS, ...properties }, 'Replace');
      assert.deepEqual(Object.fromEntries(await propertiesOf(table)), properties);
    });
    await fc.assert(survives, { numRuns: 40 });
  });
});

/** Characters with a meaning in addresses, quotes and filters, and those that UTF-8 and UTF-16 order differently. */
const TRICKY = [
  ...`' '' % %27 %2F %25 + , ( ) = & $ ; : @ ! " . .. { } < > ^ | ~ \` ',RowKey=' ô ß 漢`.split(' '),
  ...[' ', '  ', '\u{1f600}', '\u{10ffff}', '\ue000', '\uffff', '\u00a0', '\u200b', '\u0301'],
];
/** What no key may contain (protocol: data-model#keys). */
const FORBIDDEN = /[/\\#?\u0000-\u001f\u007f-\u009f]/;
const piece = fc.oneof(
  fc.constantFrom(...TRICKY),
  fc.string({ unit: codePoint, maxLength: 6 }).filter(text => !FORBIDDEN.test(text)),
);
const key = fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join(''));
const keys = fc.tuple(key, key);
type Keys = readonly [partitionKey: string, rowKey: string];

const isBefore = ([a, b]: Keys, [c, d]: Keys): boolean => a < c || (a === c && b < d);

describeTargets('keys', subject => {
  test('property: an entity is found again under its keys, wherever these occur', async () => {
    const table = await makeTable(subject);
    const found = fc.asyncProperty(keys, async ([partitionKey, rowKey]) => {
      await table.createEntity({ partitionKey, rowKey, n: 1 });
      await refuses(table.createEntity({ partitionKey, rowKey }), 409, 'EntityAlreadyExists');
      await table.updateEntity({ partitionKey, rowKey, n: 2 }, 'Merge');
      const entity = await table.getEntity<{ n: number }>(partitionKey, rowKey);
      assert.deepEqual([entity.partitionKey, entity.rowKey, entity.n], [partitionKey, rowKey, 2]);
      const filter = odata`PartitionKey eq ${partitionKey} and RowKey eq ${rowKey}`;
      assert.equal((await collect(table.listEntities({ queryOptions: { filter } }))).length, 1);
      const { subResponses } = await table.submitTransaction([['update', { partitionKey, rowKey, n: 3 }]]);
      assert.equal(subResponses.length, 1);
      await table.deleteEntity(partitionKey, rowKey);
      await refuses(table.getEntity(partitionKey, rowKey), 404, 'ResourceNotFound');
    });
    const edges = [
      ['', ''],
      [' ', ' '],
      ["'", "''"],
      ['%25', '%'],
      ['a'.repeat(1024), 'ÿ'.repeat(1024)],
    ] satisfies [string, string][];
    await fc.assert(found, { numRuns: 30, examples: edges.map(each => [each]) });
  });

  test('property: pages list the keys in the order of UTF-16, whatever they are', async () => {
    const table = await makeTable(subject);
    const keysOf = async (): Promise<Keys[]> =>
      (await collect(table.listEntities().byPage({ maxPageSize: 1 })))
        .flat()
        .map(({ partitionKey = '', rowKey = '' }) => [partitionKey, rowKey]);
    const selector = (each: Keys): string => JSON.stringify(each);
    const several = fc.uniqueArray(keys, { minLength: 2, maxLength: 6, selector });
    const inOrder = fc.asyncProperty(several, async all => {
      for (const [partitionKey, rowKey] of all) await table.createEntity({ partitionKey, rowKey });
      assert.deepEqual(
        await keysOf(),
        all.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)),
      );
      for (const [partitionKey, rowKey] of all) await table.deleteEntity(partitionKey, rowKey);
    });
    const nameless = ['', 'row0', 'row1'].map((rowKey): [string, string] => ['', rowKey]);
    await fc.assert(inOrder, { numRuns: 15, examples: [[[...nameless, ['next', '']]]] });
  });
});
