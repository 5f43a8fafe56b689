// Many clients at once: of writers with one ETag one wins, counters lose nothing, readers see transactions whole.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestError, type TableClient } from '@azure/data-tables';
import { collect, makeTable, tableClient } from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const KEYS = { partitionKey: 'p', rowKey: 'r' };
const WRITERS = 32;
const CLIENTS = 6;
const INCREMENTS = 10;

/** The status that each of many attempts at once came to. */
async function statuses(attempt: (writer: number) => Promise<unknown>): Promise<(number | undefined)[]> {
  const attempts = Array.from({ length: WRITERS }, (_, writer) =>
    attempt(writer).then(
      () => 204,
      (error: unknown) => {
        if (!(error instanceof RestError)) throw error;
        return error.statusCode;
      },
    ),
  );
  return (await Promise.all(attempts)).sort();
}

const oneOf = (loser: number): number[] => [204, ...Array.from({ length: WRITERS - 1 }, () => loser)];

interface Counter {
  count: number;
}

/** Adds one by read and conditional write, as often as it takes. */
async function increment(table: TableClient, mode: 'Merge' | 'Replace'): Promise<void> {
  for (;;) {
    const { count, etag } = await table.getEntity<Counter>('p', 'r');
    try {
      await table.updateEntity({ ...KEYS, count: count + 1 }, mode, { etag });
      return;
    } catch (error) {
      if (!(error instanceof RestError && error.statusCode === 412)) throw error;
    }
  }
}

describeTargets('concurrency', subject => {
  test('of 32 writers with one ETag exactly one wins', async () => {
    const table = await makeTable(subject);
    for (const mode of ['Merge', 'Replace'] as const) {
      const { etag = '' } = await table.upsertEntity({ ...KEYS, writer: -1 });
      const results = await statuses(writer => table.updateEntity({ ...KEYS, writer }, mode, { etag }));
      assert.deepEqual(results, oneOf(412));
    }
    const { etag } = await table.getEntity('p', 'r');
    const deletes = await statuses(() => table.deleteEntity('p', 'r', { etag }));
    assert.deepEqual(deletes, oneOf(404));
  });

  test('of 32 that make one entity, or one table, exactly one does', async () => {
    const table = await makeTable(subject);
    assert.deepEqual(await statuses(writer => table.createEntity({ ...KEYS, writer })), oneOf(409));
    const { server } = subject;
    const own = subject.newTableName();
    // The client treats 409 as success, so the table's first entity shows whether there was one table or more.
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const client = tableClient(server, own);
        await client.createTable();
        await client.createEntity({ partitionKey: 'p', rowKey: String(writer) });
      }),
    );
    assert.equal((await collect(tableClient(server, own).listEntities())).length, WRITERS);
  });

  test('optimistic counters lose nothing', async () => {
    const table = await makeTable(subject);
    await table.createEntity({ ...KEYS, count: 0 });
    const clients = Array.from({ length: CLIENTS }, () => tableClient(subject.server, table.tableName));
    await Promise.all(
      clients.map(async (client, i) => {
        for (let n = 0; n < INCREMENTS; n++) await increment(client, i % 2 === 0 ? 'Merge' : 'Replace');
      }),
    );
    const { count } = await table.getEntity<Counter>('p', 'r');
    assert.equal(count, CLIENTS * INCREMENTS);
  });

  test('upserts at once all succeed, and their ETags all differ', async () => {
    const table = await makeTable(subject);
    const etags = await Promise.all(
      Array.from(
        { length: WRITERS },
        async (_, writer) => (await table.upsertEntity({ ...KEYS, writer })).etag,
      ),
    );
    assert.equal(new Set(etags).size, WRITERS);
    const { etag } = await table.getEntity('p', 'r');
    assert(etags.includes(etag));
  });

  test('a query sees each transaction whole or not at all', async () => {
    const table = await makeTable(subject);
    const rows = ['a', 'b', 'c'];
    let writing = true;
    const write = async (): Promise<void> => {
      for (let round = 0; round < 40; round++)
        await table.submitTransaction(
          rows.map(rowKey => ['upsert', { partitionKey: 'p', rowKey, round }, 'Replace']),
        );
      writing = false;
    };
    const read = async (): Promise<void> => {
      while (writing) {
        const seen = await collect(table.listEntities<{ round: number }>());
        assert([0, rows.length].includes(seen.length));
        assert(new Set(seen.map(({ round }) => round)).size <= 1, 'The rows are of one transaction.');
      }
    };
    await Promise.all([write(), read(), read()]);
  });
});
