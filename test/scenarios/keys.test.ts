// Keys through the official client, wherever a key occurs: bodies, addresses, filters, tokens and batches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { odata, type TableClient } from '@azure/data-tables';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { collect, makeTable, refuses } from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

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

const isBefore = ([a, b]: readonly [string, string], [c, d]: readonly [string, string]): boolean =>
  a < c || (a === c && b < d);

async function keysOf(table: TableClient): Promise<[string, string][]> {
  const pages = table.listEntities().byPage({ maxPageSize: 1 });
  const entities = (await collect(pages)).flat();
  return entities.map(({ partitionKey = '', rowKey = '' }) => [partitionKey, rowKey]);
}

async function remove(table: TableClient, all: readonly (readonly [string, string])[]): Promise<void> {
  for (const [partitionKey, rowKey] of all) await table.deleteEntity(partitionKey, rowKey);
}

describeTargets('keys', subject => {
  test('property: an entity is found again under its keys, wherever these occur', async () => {
    const table = await makeTable(subject);
    await fc.assert(
      fc.asyncProperty(keys, async ([partitionKey, rowKey]) => {
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
      }),
      {
        numRuns: 30,
        examples: [
          [['', '']],
          [[' ', ' ']],
          [["'", "''"]],
          [['%25', '%']],
          [['a'.repeat(1024), 'ÿ'.repeat(1024)]],
        ],
      },
    );
  });

  test('property: pages list the keys in the order of UTF-16, whatever they are', async () => {
    const table = await makeTable(subject);
    const several = fc.uniqueArray(keys, {
      minLength: 2,
      maxLength: 6,
      selector: ([partitionKey, rowKey]) => JSON.stringify([partitionKey, rowKey]),
    });
    await fc.assert(
      fc.asyncProperty(several, async all => {
        for (const [partitionKey, rowKey] of all) await table.createEntity({ partitionKey, rowKey });
        const sorted = [...all].sort((a, b) => (isBefore(a, b) ? -1 : 1));
        assert.deepEqual(await keysOf(table), sorted);
        await remove(table, all);
      }),
      { numRuns: 15 },
    );
  });

  test('a partition without a name is paged like any other', async () => {
    const table = await makeTable(subject);
    const rows = ['', ...Array.from({ length: 7 }, (_, i) => `row${i}`)];
    for (const rowKey of rows) await table.createEntity({ partitionKey: '', rowKey });
    await table.createEntity({ partitionKey: 'next', rowKey: '' });
    const expected = [...rows.map(rowKey => ['', rowKey]), ['next', '']];
    assert.deepEqual(await keysOf(table), expected);
  });
});
