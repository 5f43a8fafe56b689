// Shared access signatures of the account, made by the official client (protocol: sas).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountSasOptions,
  AzureSASCredential,
  generateAccountSas,
  TableClient,
  TableServiceClient,
} from '@azure/data-tables';
import {
  CLIENT_OPTIONS,
  collect,
  keyCredential,
  makeTable,
  refusal,
  sasClient,
  tableClient,
} from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const HOUR = 3_600_000;
const EVERYTHING = { query: true, write: true, delete: true, list: true, add: true, update: true };
const entity = { partitionKey: 'p', rowKey: 'r' };

describeTargets('account SAS', subject => {
  const sas = (options: AccountSasOptions = {}): string =>
    generateAccountSas(keyCredential(subject.server), {
      permissions: EVERYTHING,
      services: { table: true },
      expiresOn: new Date(Date.now() + HOUR),
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
    const table = sasClient(subject.server, name, sas());
    await table.createEntity(entity);
    await table.upsertEntity({ ...entity, n: 1 });
    await table.updateEntity({ ...entity, n: 2 }, 'Replace');
    assert.equal((await table.getEntity<{ n: number }>('p', 'r')).n, 2);
    assert.equal((await collect(table.listEntities())).length, 1);
    await table.submitTransaction([
      ['create', { partitionKey: 'p', rowKey: 's' }],
      ['delete', entity],
    ]);
    await table.deleteEntity('p', 's');
    assert.equal((await service().getProperties()).logging?.version, '1.0');
    await service().setProperties({ cors: [] });
    const { status, message } = await refusal(table.getAccessPolicy());
    assert.equal(status, 403);
    assert.match(message, /AuthorizationFailure/);
    await service().deleteTable(name);
  });

  test('a connection string may contain it', async () => {
    const { server } = subject;
    const made = await makeTable(subject);
    const connectionString = `TableEndpoint=${server.tableEndpoint};SharedAccessSignature=${sas()}`;
    const table = TableClient.fromConnectionString(connectionString, made.tableName, CLIENT_OPTIONS);
    await table.createEntity(entity);
    await table.submitTransaction([['update', { ...entity, n: 1 }]]);
    const { n } = await tableClient(server, made.tableName).getEntity<{ n: number }>('p', 'r');
    assert.equal(n, 1);
  });

  test('every version that the client can sign for is accepted', async () => {
    // From 2020-12-06 on another line is signed, which this client leaves out.
    for (const version of ['2015-04-05', '2018-03-28', '2019-02-02', '2020-10-02'])
      await service({ version }).getProperties();
  });
});
