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
  refuses,
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
  /** Authentication failures are XML, which the client does not parse. */
  const authenticationFails = async (options: AccountSasOptions): Promise<void> => {
    const { status, message } = await refusal(service(options).getProperties());
    assert.equal(status, 403);
    assert.match(message, /AuthenticationFailed/);
  };

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

  test('each operation needs its letter', async () => {
    const made = await makeTable(subject);
    await made.createEntity(entity);
    const table = (permissions: NonNullable<AccountSasOptions['permissions']>): TableClient =>
      sasClient(subject.server, made.tableName, sas({ permissions }));
    const mismatch = [403, 'AuthorizationPermissionMismatch'] as const;
    await refuses(table({ list: true }).getEntity('p', 'r'), ...mismatch);
    await refuses(table({ add: true }).listEntities().next(), ...mismatch);
    await refuses(table({ query: true }).createEntity({ ...entity, rowKey: 's' }), ...mismatch);
    await refuses(table({ add: true }).upsertEntity(entity), ...mismatch);
    await refuses(table({ update: true }).upsertEntity(entity), ...mismatch);
    await refuses(table({ add: true }).updateEntity(entity), ...mismatch);
    await refuses(table({ update: true }).deleteEntity('p', 'r'), ...mismatch);
    await refuses(
      service({ permissions: { query: true } })
        .listTables()
        .next(),
      ...mismatch,
    );
    await refuses(
      service({ permissions: { delete: true } }).createTable(subject.newTableName()),
      ...mismatch,
    );
    await table({ query: true }).getEntity('p', 'r');
    await table({ add: true, update: true }).upsertEntity(entity);
    await table({ update: true }).updateEntity(entity);
    await table({ add: true }).createEntity({ ...entity, rowKey: 's' });
    await table({ delete: true }).deleteEntity('p', 's');
    await service({ permissions: { write: true } }).createTable(subject.newTableName());
  });

  test('each part of a transaction needs its letter', async () => {
    const made = await makeTable(subject);
    await made.createEntity(entity);
    const adds = sasClient(subject.server, made.tableName, sas({ permissions: { add: true } }));
    await adds.submitTransaction([['create', { partitionKey: 'p', rowKey: 's' }]]);
    const refused = await refusal(
      adds.submitTransaction([
        ['create', { partitionKey: 'p', rowKey: 't' }],
        ['delete', entity],
      ]),
    );
    assert.deepEqual([refused.status, refused.code], [403, 'AuthorizationPermissionMismatch']);
    assert.equal((await collect(made.listEntities())).length, 2);
  });

  test('each operation needs its resource type', async () => {
    const made = await makeTable(subject);
    await made.createEntity(entity);
    const objects = { resourceTypes: 'o' };
    assert.equal(
      (await collect(sasClient(subject.server, made.tableName, sas(objects)).listEntities())).length,
      1,
    );
    await refuses(service(objects).listTables().next(), 403, 'AuthorizationResourceTypeMismatch');
    const containers = sasClient(subject.server, made.tableName, sas({ resourceTypes: 'sc' }));
    await refuses(containers.getEntity('p', 'r'), 403, 'AuthorizationResourceTypeMismatch');
  });

  test('it is valid from its start to its expiry', async () => {
    const now = Date.now();
    await service({ startsOn: new Date(now - HOUR), expiresOn: new Date(now + HOUR) }).getProperties();
    await authenticationFails({ expiresOn: new Date(now - 1000) });
    await authenticationFails({ startsOn: new Date(now + HOUR), expiresOn: new Date(now + 2 * HOUR) });
  });

  test('it is limited to its services, its protocol and its addresses', async () => {
    const { message: blobs } = await refusal(service({ services: { blob: true } }).getProperties());
    assert.match(blobs, /AuthorizationServiceMismatch/);
    // The published account on this machine may do without HTTPS.
    await service({ protocol: 'https' }).getProperties();
    const elsewhere = { ipRange: { start: '10.0.0.1', end: '10.0.0.9' } };
    const { message: address } = await refusal(service(elsewhere).getProperties());
    assert.match(address, /AuthorizationSourceIPMismatch/);
    await service({ protocol: 'https,http', ipRange: { start: '127.0.0.1' } }).getProperties();
  });

  test('a changed signature is invalid', async () => {
    const made = await makeTable(subject);
    const wider = sas({ permissions: { query: true } }).replace('sp=r', 'sp=raud');
    const { status, message } = await refusal(
      sasClient(subject.server, made.tableName, wider).createEntity(entity),
    );
    assert.equal(status, 403);
    assert.match(message, /AuthenticationFailed/);
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
