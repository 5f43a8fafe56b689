// The commands that describe tables, on a server: sas, stats and advise, as processes; and the one that empties an account.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { type RunningServer, serve } from 'shelfmark';
import { CLIENT_OPTIONS, collect, refuses } from '../../support/clients.js';
import { runCommand } from '../command-run.js';

describe('commands that describe tables', () => {
  let server: RunningServer;
  before(async () => {
    server = await serve({ data: undefined });
    const client = TableClient.fromConnectionString(server.connectionString(), 'Orders', CLIENT_OPTIONS);
    await client.createTable();
    for (let i = 0; i < 30; i++)
      await client.createEntity({
        partitionKey: `p${i % 3}`,
        rowKey: String(i),
        n: i % 2 === 0 ? i : String(i),
      });
  });
  after(() => server.close());

  const run = async (...args: readonly string[]) => {
    const addresses = { from: server.connectionString(), to: server.connectionString() };
    const ended = await runCommand(args, addresses);
    return { ...ended, out: ended.out.toString() };
  };

  test('sas prints a URL that grants what it names, and no more', async () => {
    const words = 'sas --table Orders --permissions r --expires 1h --from-key p1 --to-key p1,25';
    const { code, out } = await run(...words.split(' '));
    assert.equal(code, 0);
    const url = new URL(out.trim());
    const client = new TableClient(
      `${url.origin}/${url.pathname.split('/')[1]}${url.search}`,
      'Orders',
      CLIENT_OPTIONS,
    );
    const rows = await collect(client.listEntities());
    // From p1 on, up to RowKey 25 in its order as text, with both ends.
    assert.deepEqual(
      rows.map(({ rowKey }) => rowKey),
      ['1', '10', '13', '16', '19', '22', '25'],
    );
    await refuses(client.deleteEntity('p1', '1'), 403, 'AuthorizationPermissionMismatch');
  });

  test('stats counts rows, partitions and types', async () => {
    const { code, out, events } = await run('stats', '--table', 'Orders', '--json');
    assert.equal(code, 0, JSON.stringify(events));
    const { table, rows, partitions, properties, checksum, largestPartitions } = JSON.parse(out);
    assert.deepEqual([table, rows, partitions], ['Orders', 30, 3]);
    assert.deepEqual(properties, [{ name: 'n', types: { String: 15, Int32: 15 } }]);
    assert.match(checksum, /^[0-9a-f]{32}$/);
    assert.equal(largestPartitions.length, 3);
    assert.deepEqual([events.at(-1)?.event, events.at(-1)?.rows, events.at(-1)?.tables], ['done', 30, 1]);
  });

  test('advise reports its findings and the cost', async () => {
    const { code, out } = await run('advise', '--table', 'Orders', '--price-per-10000', '10000', '--json');
    assert.equal(code, 0);
    const { rows, findings, cost } = JSON.parse(out);
    assert.equal(rows, 30);
    assert(
      findings.some(({ rule }: { rule: string }) => rule === 'type-drift'),
      out,
    );
    assert(
      findings.some(({ rule }: { rule: string }) => rule === 'key-hygiene'),
      out,
    );
    assert.deepEqual([cost.scan, cost.singleWrites], [1, 30]);
  });

  test('reset deletes nothing without --yes, then tables, and queues and containers if asked', async () => {
    const tables = TableServiceClient.fromConnectionString(server.connectionString(), CLIENT_OPTIONS);
    const queues = QueueServiceClient.fromConnectionString(server.connectionString());
    const blobs = BlobServiceClient.fromConnectionString(server.connectionString());
    await tables.createTable('Other');
    await queues.createQueue('jobs');
    await blobs.createContainer('box');
    assert.equal((await run('reset')).code, 2);
    assert.equal((await collect(tables.listTables())).length, 2);
    const { code, out } = await run('reset', '--yes');
    assert.equal(code, 0);
    assert.deepEqual(
      out
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).name)
        .sort(),
      ['Orders', 'Other'],
    );
    assert.equal((await collect(tables.listTables())).length, 0);
    assert.equal((await collect(queues.listQueues())).length, 1);
    assert.equal((await run('reset', '--yes', '--queues', '--blobs')).code, 0);
    assert.equal((await collect(queues.listQueues())).length, 0);
    assert.equal((await collect(blobs.listContainers())).length, 0);
  });
});
