// Tables through the official client: create, list, filter and delete them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { odata, TableClient, TableServiceClient } from '@azure/data-tables';
import { CLIENT_OPTIONS, collect, refusal, refuses, serviceClient, tableClient } from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

describeTargets('tables', subject => {
  test('a created table is listed, a deleted one is not', async () => {
    const service = serviceClient(subject.server);
    const name = subject.newTableName();
    await service.createTable(name);
    const names = (await collect(service.listTables())).map(table => table.name);
    assert(names.includes(name));
    await service.deleteTable(name);
    const left = (await collect(service.listTables())).map(table => table.name);
    assert(!left.includes(name));
  });

  test('a table may be created and deleted twice: the client takes it as done', async () => {
    const table = tableClient(subject.server, subject.newTableName());
    await table.createTable();
    await table.createTable();
    await table.deleteTable();
    await table.deleteTable();
  });

  test('a table that is created again is empty', async () => {
    const table = tableClient(subject.server, subject.newTableName());
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    await table.deleteTable();
    await refuses(table.createEntity({ partitionKey: 'p', rowKey: 'r' }), 404, 'TableNotFound');
    await table.createTable();
    assert.deepEqual(await collect(table.listEntities()), []);
  });

  test('the spelling of a name is kept, and does not count', async () => {
    const service = serviceClient(subject.server);
    const name = `Spelled${subject.newTableName()}`;
    await service.createTable(name);
    await tableClient(subject.server, name.toUpperCase()).createEntity({ partitionKey: 'p', rowKey: 'r' });
    assert.equal((await collect(tableClient(subject.server, name.toLowerCase()).listEntities())).length, 1);
    const listed = await collect(
      service.listTables({ queryOptions: { filter: odata`TableName eq ${name}` } }),
    );
    assert.deepEqual(listed, [{ name }]);
  });

  test('a filter picks tables by name and by prefix', async () => {
    const service = serviceClient(subject.server);
    const prefix = `prefixed${subject.newTableName()}x`;
    const names = ['a', 'b', 'c'].map(letter => `${prefix}${letter}`);
    for (const name of [...names, subject.newTableName()]) await service.createTable(name);
    const ofPrefix = odata`TableName ge ${prefix} and TableName lt ${`${prefix}{`}`;
    const listed = await collect(service.listTables({ queryOptions: { filter: ofPrefix } }));
    assert.deepEqual(
      listed.map(table => table.name),
      names,
    );
    const two = names.slice(0, 2).map(name => odata`TableName eq ${name}`);
    const either = await collect(service.listTables({ queryOptions: { filter: two.join(' or ') } }));
    assert.equal(either.length, 2);
    const broken = service.listTables({ queryOptions: { filter: 'TableName eq' } });
    await refuses(broken.next(), 400, 'InvalidInput');
  });

  test('pages of tables continue where the one before ended', async () => {
    const service = serviceClient(subject.server);
    const prefix = `paged${subject.newTableName()}x`;
    const names = Array.from({ length: 23 }, (_, i) => `${prefix}${String(i).padStart(3, '0')}`);
    await Promise.all(names.map(name => service.createTable(name)));
    const filter = odata`TableName ge ${prefix} and TableName lt ${`${prefix}{`}`;
    const pages = await collect(service.listTables({ queryOptions: { filter } }).byPage({ maxPageSize: 5 }));
    assert.deepEqual(
      pages.flat().map(table => table.name),
      names,
    );
    assert.deepEqual(
      pages.map(page => page.length),
      [5, 5, 5, 5, 3],
    );
    const [first] = pages;
    assert(first?.continuationToken);
    const continued = service
      .listTables({ queryOptions: { filter } })
      .byPage({ continuationToken: first.continuationToken, maxPageSize: 1000 });
    assert.deepEqual(
      (await collect(continued)).flat(),
      names.slice(5).map(name => ({ name })),
    );
  });

  test('operations on a missing table report that', async () => {
    const table = tableClient(subject.server, subject.newTableName());
    const entity = { partitionKey: 'p', rowKey: 'r' };
    await refuses(table.createEntity(entity), 404, 'TableNotFound');
    await refuses(table.upsertEntity(entity), 404, 'TableNotFound');
    await refuses(table.updateEntity(entity), 404, 'TableNotFound');
    await refuses(table.deleteEntity('p', 'r'), 404, 'TableNotFound');
    await refuses(table.getEntity('p', 'r'), 404, 'ResourceNotFound');
    await refuses(table.listEntities().next(), 404, 'TableNotFound');
    const { status, message } = await refusal(table.getAccessPolicy());
    assert.equal(status, 404);
    assert.match(message, /TableNotFound/);
  });

  test('a connection string opens the same account', async () => {
    const connectionString = subject.server.connectionString();
    const name = subject.newTableName();
    const service = TableServiceClient.fromConnectionString(connectionString, CLIENT_OPTIONS);
    await service.createTable(name);
    const table = TableClient.fromConnectionString(connectionString, name, CLIENT_OPTIONS);
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', word: 'known' });
    const { word } = await tableClient(subject.server, name).getEntity<{ word: string }>('p', 'r');
    assert.equal(word, 'known');
  });
});
