// Shared access signatures of accounts and tables, made by the official client (protocol: sas). Letters and
// roles are those of packages/server/services/rights.test.ts; blob-sas.test.ts has those of blobs, legacy-clients.test.ts of queues.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountSasOptions,
  AzureSASCredential,
  generateAccountSas,
  generateTableSas,
  TableClient,
  type TableSasSignatureValues,
  TableServiceClient,
} from '@azure/data-tables';
import {
  CLIENT_OPTIONS,
  collect,
  keyCredential,
  makeTable,
  refusal,
  refuses,
  sasClient,
  serviceClient,
} from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const inHours = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);
const entity = { partitionKey: 'p', rowKey: 'r' };

describeTargets('signatures of an account', subject => {
  const sas = (options: AccountSasOptions = {}): string =>
    generateAccountSas(keyCredential(subject.server), {
      permissions: { query: true, write: true, delete: true, list: true, add: true, update: true },
      services: { table: true },
      expiresOn: inHours(1),
      ...options,
    });
  const service = (options?: AccountSasOptions): TableServiceClient =>
    new TableServiceClient(
      subject.server.tableEndpoint,
      new AzureSASCredential(sas(options)),
      CLIENT_OPTIONS,
    );

  test('with every permission it does what a key does, except policies', async () => {
    const name = subject.newTableName();
    await service().createTable(name);
    assert((await collect(service().listTables())).some(table => table.name === name));
    const connectionString = `TableEndpoint=${subject.server.tableEndpoint};SharedAccessSignature=${sas()}`;
    const table = TableClient.fromConnectionString(connectionString, name, CLIENT_OPTIONS);
    await table.createEntity(entity);
    await table.upsertEntity({ ...entity, n: 1 });
    await table.updateEntity({ ...entity, n: 2 }, 'Replace');
    assert.equal((await table.getEntity<{ n: number }>('p', 'r')).n, 2);
    await table.submitTransaction([
      ['create', { partitionKey: 'p', rowKey: 's' }],
      ['delete', entity],
    ]);
    await table.deleteEntity('p', 's');
    assert.deepEqual(await collect(table.listEntities()), []);
    assert.equal((await service().getProperties()).logging?.version, '1.0');
    await service().setProperties({ cors: [] });
    const { status, message } = await refusal(table.getAccessPolicy());
    assert.equal(status, 403);
    assert.match(message, /AuthorizationFailure/);
    await service().deleteTable(name);
  });

  test('every version that the client can sign for is accepted', async () => {
    // From 2020-12-06 on another line is signed, which this client leaves out.
    for (const version of ['2015-04-05', '2018-03-28', '2019-02-02', '2020-10-02'])
      await service({ version }).getProperties();
  });
});

describeTargets('signatures of a table', subject => {
  const everything = { query: true, add: true, update: true, delete: true };
  /** A client that has only a signature of the table. */
  const open = (table: string, values: TableSasSignatureValues): TableClient =>
    sasClient(subject.server, table, generateTableSas(table, keyCredential(subject.server), values));
  const fails = async (table: TableClient): Promise<void> => {
    const { status, message } = await refusal(table.getEntity('p', 'r'));
    assert.equal(status, 403);
    assert.match(message, /AuthenticationFailed/);
  };

  test('it grants the entities of its table, in whatever case, and nothing else', async () => {
    const { tableName } = await makeTable(subject);
    const other = await makeTable(subject);
    const signature = generateTableSas(tableName.toUpperCase(), keyCredential(subject.server), {
      permissions: everything,
    });
    const table = sasClient(subject.server, tableName, signature);
    await table.createEntity(entity);
    await table.submitTransaction([['update', { ...entity, n: 1 }]]);
    const elsewhere = sasClient(subject.server, other.tableName, signature);
    assert.equal((await refusal(elsewhere.createEntity(entity))).status, 403);
    await refuses(table.createTable(), 403, 'AuthorizationFailure');
    await refuses(table.deleteTable(), 403, 'AuthorizationFailure');
    assert.match((await refusal(table.setAccessPolicy([]))).message, /AuthorizationFailure/);
  });

  test('a key range filters queries, hides entities and refuses writes', async () => {
    const made = await makeTable(subject);
    for (const name of ['a1', 'a5', 'a9', 'b1', 'b5', 'b9', 'c1', 'c5', 'c9'])
      await made.createEntity({ partitionKey: name.charAt(0), rowKey: name.charAt(1) });
    // From (a, 5) on to (c, 5): rows bound only their own partition.
    const ranged = open(made.tableName, {
      permissions: everything,
      startPartitionKey: 'a',
      startRowKey: '5',
      endPartitionKey: 'c',
      endRowKey: '5',
    });
    const seen = async (filter?: string): Promise<string[]> => {
      const options = filter === undefined ? {} : { queryOptions: { filter } };
      const pages = await collect(ranged.listEntities(options).byPage({ maxPageSize: 2 }));
      return pages.flat().map(({ partitionKey = '', rowKey = '' }) => partitionKey + rowKey);
    };
    assert.deepEqual(await seen(), ['a5', 'a9', 'b1', 'b5', 'b9', 'c1', 'c5']);
    assert.deepEqual(await seen("RowKey eq '9'"), ['a9', 'b9']);
    assert.deepEqual(await seen("PartitionKey eq 'd' or RowKey eq '0'"), []);
    await ranged.getEntity('b', '1');
    for (const [partition, row] of [
      ['a', '1'],
      ['c', '9'],
    ] as const)
      await refuses(ranged.getEntity(partition, row), 404, 'ResourceNotFound');
    const outside = { partitionKey: 'c', rowKey: '6' };
    await Promise.all(
      [
        ranged.createEntity(outside),
        ranged.upsertEntity(outside),
        ranged.updateEntity({ partitionKey: 'a', rowKey: '1' }),
        ranged.deleteEntity('c', '9'),
        ranged.submitTransaction([
          ['create', { partitionKey: 'c', rowKey: '4' }],
          ['create', outside],
        ]),
      ].map(refused => refuses(refused, 403, 'AuthorizationFailure')),
    );
    await refuses(made.getEntity('c', '4'), 404, 'ResourceNotFound');
  });

  test('a stored policy supplies what the signature leaves open, until it or the table is gone', async () => {
    const made = await makeTable(subject);
    await made.createEntity(entity);
    await made.setAccessPolicy([
      { id: 'whole', accessPolicy: { start: inHours(-1), expiry: inHours(1), permission: 'ra' } },
      { id: 'until', accessPolicy: { expiry: inHours(1) } },
      { id: 'empty', accessPolicy: {} },
    ]);
    const by = (identifier: string, more: object = {}) => open(made.tableName, { identifier, ...more });
    const query = { permissions: { query: true } };
    const expiring = { ...query, expiresOn: inHours(1) };
    const [whole, until] = [by('whole'), by('until', query)];
    for (const table of [whole, until, by('empty', expiring)]) await table.getEntity('p', 'r');
    await refuses(whole.deleteEntity('p', 'r'), 403, 'AuthorizationPermissionMismatch');
    for (const table of [by('empty'), by('none'), by('whole', expiring)]) await fails(table);
    await made.setAccessPolicy([{ id: 'whole', accessPolicy: { expiry: inHours(-1), permission: 'ra' } }]);
    for (const table of [whole, until]) await fails(table);
    await made.setAccessPolicy([{ id: 'whole', accessPolicy: { expiry: inHours(1), permission: 'ra' } }]);
    await whole.getEntity('p', 'r');
    await serviceClient(subject.server).deleteTable(made.tableName);
    await made.createTable();
    await fails(whole);
  });
});
