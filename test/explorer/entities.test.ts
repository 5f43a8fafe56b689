// Entities that lossy tools damage, written by the official client as the explorer's page has it: alone and in
// transactions, each is stored to the byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableClient, type TransactionAction } from '@azure/data-tables';
import { formatContent, type Row, readPage } from '#data-tools/line';
import { serve } from '#server';
import { NASTY_ROWS, rowOf } from '../../packages/data-tools/testing/nasty-rows.js';
import { entityOf, exactNames } from '../../packages/explorer/model/typed-entity.js';

/** Values that look like the names that the page marks. */
const MARKS = rowOf('marks', 'all', [
  ['name', 'String', '"=name":'],
  ['other', 'String', '=name'],
  ['last', 'String', '\\"=last":"'],
]);
const ROWS: readonly Row[] = [...NASTY_ROWS, MARKS];

const WAYS: Readonly<Record<string, (client: TableClient, rows: readonly Row[]) => Promise<unknown>>> = {
  single: async (client, rows) => {
    for (const [at, row] of rows.entries())
      if (at % 2 === 0) await client.createEntity(entityOf(row));
      else await client.upsertEntity(entityOf(row), at % 4 === 1 ? 'Merge' : 'Replace');
  },
  together: (client, rows) => {
    const actions = rows.map(
      (row, at): TransactionAction =>
        at % 2 === 0 ? ['create', entityOf(row)] : ['upsert', entityOf(row), 'Replace'],
    );
    return client.submitTransaction(actions);
  },
};

for (const [way, write] of Object.entries(WAYS))
  test(`the page's entities are stored to the byte, ${way}`, async t => {
    const server = await serve({ data: undefined });
    t.after(() => server.close());
    const client = TableClient.fromConnectionString(server.connectionString(), way, {
      allowInsecureConnection: true,
      additionalPolicies: [{ policy: exactNames, position: 'perCall' }],
    });
    await client.createTable();
    for (const partition of new Set(ROWS.map(({ partitionKey }) => partitionKey)))
      await write(
        client,
        ROWS.filter(({ partitionKey }) => partitionKey === partition),
      );
    const stored: Row[] = [];
    const onResponse = ({ bodyAsText }: { readonly bodyAsText?: string | null }): void => {
      stored.push(...readPage(bodyAsText ?? ''));
    };
    for await (const _ of client.listEntities({ disableTypeConversion: true, onResponse }));
    assert.deepEqual(stored.map(formatContent).sort(), ROWS.map(formatContent).sort());
  });
