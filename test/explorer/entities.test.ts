// Entities that lossy tools damage, written by the official client as the explorer's page has it: alone and in
// transactions, each is stored to the byte.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TableClient, type TransactionAction } from '@azure/data-tables';
import { formatContent, type Row, readPage } from '#data-tools/line';
import { type RunningServer, serve } from '#server';
import { NASTY_ROWS, rowOf } from '../../packages/data-tools/testing/nasty-rows.js';
import { entityOf, exactNames } from '../../packages/explorer/model/typed-entity.js';

/** Values that look like the names that the page marks. */
const MARKS = rowOf('marks', 'all', [
  ['name', 'String', '"=name":'],
  ['other', 'String', '=name'],
  ['last', 'String', '\\"=last":"'],
]);
const ROWS: readonly Row[] = [...NASTY_ROWS, MARKS];
const contentsOf = (rows: readonly Row[]): readonly string[] => rows.map(formatContent).sort();

describe("the page's entities", () => {
  let server: RunningServer;
  before(async () => {
    server = await serve({ data: undefined });
  });
  after(() => server.close());

  async function tableClient(name: string): Promise<TableClient> {
    const client = TableClient.fromConnectionString(server.connectionString(), name, {
      allowInsecureConnection: true,
      additionalPolicies: [{ policy: exactNames, position: 'perCall' }],
    });
    await client.createTable();
    return client;
  }

  async function storedBy(client: TableClient): Promise<readonly string[]> {
    const rows: Row[] = [];
    const onResponse = ({ bodyAsText }: { readonly bodyAsText?: string | null }): void => {
      rows.push(...readPage(bodyAsText ?? ''));
    };
    for await (const _ of client.listEntities({ disableTypeConversion: true, onResponse }));
    return contentsOf(rows);
  }

  test('one by one', async () => {
    const client = await tableClient('single');
    for (const [at, row] of ROWS.entries())
      if (at % 2 === 0) await client.createEntity(entityOf(row));
      else await client.upsertEntity(entityOf(row), at % 4 === 1 ? 'Merge' : 'Replace');
    assert.deepEqual(await storedBy(client), contentsOf(ROWS));
  });

  test('in transactions', async () => {
    const client = await tableClient('together');
    for (const partition of new Set(ROWS.map(({ partitionKey }) => partitionKey))) {
      const rows = ROWS.filter(({ partitionKey }) => partitionKey === partition);
      const actions = rows.map(
        (row, at): TransactionAction =>
          at % 2 === 0 ? ['create', entityOf(row)] : ['upsert', entityOf(row), 'Replace'],
      );
      const { subResponses } = await client.submitTransaction(actions);
      assert.equal(subResponses.length, rows.length, partition);
    }
    assert.deepEqual(await storedBy(client), contentsOf(ROWS));
  });
});
