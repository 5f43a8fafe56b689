// Code that the explorer offers for a query is run as it is: by the JavaScript client, by shelfmark-patterns, by curl's
// rules. Each returns what the query returns.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type RunningServer, serve } from '#server';
import {
  clientCodeOf,
  curlOf,
  patternsCodeOf,
  type ShownQuery,
  urlOf,
} from '../../packages/explorer/model/query-code.js';
import { ROOT } from '../support/spawned-server.js';
import { putOrders, tableClient } from './contents.js';

describe('code of a query', () => {
  let server: RunningServer;
  let folder = '';
  before(async () => {
    server = await serve({ data: undefined });
    await putOrders(server, 3, 4);
    process.env.CONNECTION_STRING = server.connectionString();
    // Below the repository, where the client is found.
    folder = await mkdtemp(join(ROOT, 'dist', 'code-'));
  });
  after(async () => {
    delete process.env.CONNECTION_STRING;
    await rm(folder, { recursive: true });
    await server.close();
  });

  const columns = Object.entries({
    ...({ PartitionKey: 'String', RowKey: 'String', city: 'String', total: 'Double' } as const),
    ...({ items: 'Int32', isGift: 'Boolean', placed: 'DateTime', Timestamp: 'DateTime' } as const),
  }).map(([name, type]) => ({ name, type, isMixed: false }));
  const query = (filter: string, select?: readonly string[]): ShownQuery => ({
    endpoint: server.tableEndpoint,
    table: 'orders',
    filter,
    select,
    columns,
  });
  let files = 0;
  async function resultOf(code: string, name: string): Promise<unknown> {
    const patterns = pathToFileURL(join(ROOT, 'dist', 'packages', 'patterns', 'index.js')).href;
    const path = join(folder, `${files++}.mjs`);
    await writeFile(
      path,
      `${code.replace("'shelfmark-patterns'", `'${patterns}'`)}\nexport default ${name};\n`,
    );
    return ((await import(pathToFileURL(path).href)) as { default: unknown }).default;
  }
  const keysOf = (found: unknown): readonly string[] =>
    (found as { value: { rowKeyText: string } }[]).map(({ value }) => value.rowKeyText);

  test('of the pattern library finds the same rows', async () => {
    const client = tableClient(server, 'orders');
    for (const filter of [
      "PartitionKey eq 'customer-0001' and RowKey eq 'order-000002'",
      "PartitionKey eq 'customer-0001'",
      "PartitionKey eq 'customer-0001' and RowKey ge 'order-000002' and RowKey lt 'order-000004'",
      "PartitionKey eq 'customer-0002' and (items eq 4 or not (total gt 15.0))",
      "placed ge datetime'2026-04-01T00:00:00Z' and isGift eq false",
      "city eq 'Oslo' and PartitionKey eq 'customer-0003'",
    ]) {
      const code = patternsCodeOf(query(filter));
      assert(code !== undefined, filter);
      const wanted: string[] = [];
      for await (const { rowKey } of client.listEntities({ queryOptions: { filter } }))
        wanted.push(rowKey ?? '');
      assert(wanted.length > 0, filter);
      assert.deepEqual(keysOf(await resultOf(code, 'found')), wanted, `${filter}\n${code}`);
    }
    for (const filter of [
      "PartitionKey eq 'a' or PartitionKey eq 'b'",
      "RowKey eq 'a'",
      "PartitionKey eq 'a' and RowKey eq 'b' and RowKey gt 'c'",
      "PartitionKey gt 'a'",
    ])
      assert.equal(patternsCodeOf(query(filter)), undefined, filter);
  });

  test('of the client reads the point, or lists', async () => {
    const point = clientCodeOf(
      query("PartitionKey eq 'customer-0001' and RowKey eq 'order-000002'", ['city']),
    );
    assert.match(point, /getEntity\('customer-0001', 'order-000002', \{ queryOptions/);
    assert.equal(((await resultOf(point, 'entity')) as { city: string }).city, 'Gdańsk');
    const list = clientCodeOf(query("city eq 'it''s \"quoted\"'"));
    assert.match(list, /filter: "city eq 'it''s \\"quoted\\"'"/);
    await resultOf(list, 'client');
  });

  test('of curl quotes what a shell would change, and holds no secret', () => {
    const filter = "city eq 'it''s'";
    assert.equal(
      urlOf(query(filter, ['city'])),
      `${server.tableEndpoint}/orders()?$filter=city%20eq%20'it''s'&$select=city`,
    );
    assert.match(curlOf(query(filter)), /'http.*\$filter=city%20eq%20'\\''it'\\'''\\''s'\\''&'"\$TABLE_SAS"/);
    assert(!curlOf(query(filter)).includes(server.account.key));
  });
});
