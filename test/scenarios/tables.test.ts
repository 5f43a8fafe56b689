// Tables through the official client: create, list, filter and delete them; their access policies, and the service's own
// settings.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import { odata, type SignedIdentifier, TableServiceClient } from '@azure/data-tables';
import {
  CLIENT_OPTIONS,
  collect,
  keyCredential,
  makeTable,
  present,
  refusal,
  refuses,
  serviceClient,
  tableClient,
} from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

const ENTITY = { partitionKey: 'p', rowKey: 'r' };

describeTargets('tables', subject => {
  const namesOf = async (filter?: string): Promise<(string | undefined)[]> => {
    const options = filter === undefined ? {} : { queryOptions: { filter } };
    return (await collect(serviceClient(subject.server).listTables(options))).map(({ name }) => name);
  };

  test('a table is created, listed and deleted, twice as well; one that is created again is empty', async () => {
    const table = tableClient(subject.server, subject.newTableName());
    for (let again = 0; again < 2; again++) await table.createTable();
    assert((await namesOf()).includes(table.tableName));
    await table.createEntity(ENTITY);
    for (let again = 0; again < 2; again++) await table.deleteTable();
    assert(!(await namesOf()).includes(table.tableName));
    await table.createTable();
    assert.deepEqual(await collect(table.listEntities()), []);
  });

  test('the spelling of a name is kept, and does not count', async () => {
    const name = `Spelled${subject.newTableName()}`;
    await serviceClient(subject.server).createTable(name);
    await tableClient(subject.server, name.toUpperCase()).createEntity(ENTITY);
    assert.equal((await collect(tableClient(subject.server, name.toLowerCase()).listEntities())).length, 1);
    assert.deepEqual(await namesOf(odata`TableName eq ${name}`), [name]);
  });

  test('a filter picks tables by name and by prefix, and pages continue where the one before ended', async () => {
    const service = serviceClient(subject.server);
    const prefix = `paged${subject.newTableName()}x`;
    const names = Array.from({ length: 23 }, (_, i) => `${prefix}${String(i).padStart(3, '0')}`);
    await Promise.all([...names, subject.newTableName()].map(name => service.createTable(name)));
    const filter = odata`TableName ge ${prefix} and TableName lt ${`${prefix}{`}`;
    assert.deepEqual(await namesOf(filter), names);
    const two = names.slice(0, 2).map(name => odata`TableName eq ${name}`);
    assert.deepEqual(await namesOf(two.join(' or ')), names.slice(0, 2));
    await refuses(namesOf('TableName eq'), 400, 'InvalidInput');
    const pages = await collect(service.listTables({ queryOptions: { filter } }).byPage({ maxPageSize: 5 }));
    assert.deepEqual(
      pages.map(page => page.length),
      [5, 5, 5, 5, 3],
    );
    const continuationToken = pages[0]?.continuationToken;
    assert(continuationToken);
    const continued = service.listTables({ queryOptions: { filter } }).byPage({ continuationToken });
    assert.deepEqual(
      (await collect(continued)).flat(),
      names.slice(5).map(name => ({ name })),
    );
  });

  test('operations on a missing table report that', async () => {
    const table = tableClient(subject.server, subject.newTableName());
    const refused = [
      table.createEntity(ENTITY),
      table.upsertEntity(ENTITY),
      table.updateEntity(ENTITY),
      table.deleteEntity('p', 'r'),
      table.listEntities().next(),
    ];
    await Promise.all(refused.map(each => refuses(each, 404, 'TableNotFound')));
    await refuses(table.getEntity('p', 'r'), 404, 'ResourceNotFound');
    const { status, message } = await refusal(table.getAccessPolicy());
    assert.equal(status, 404);
    assert.match(message, /TableNotFound/);
  });

  test('policies are read back as they were set, whole, partial and empty', async () => {
    const table = await makeTable(subject);
    assert.deepEqual([...(await table.getAccessPolicy())], []);
    const [start, expiry] = [new Date('2026-01-02T03:04:05Z'), new Date('2036-01-02T03:04:05Z')];
    const policies: SignedIdentifier[] = [
      { id: 'whole', accessPolicy: { start, expiry, permission: 'raud' } },
      { id: 'expiry only', accessPolicy: { expiry } },
      { id: 'permission only', accessPolicy: { permission: 'r' } },
      { id: 'nothing', accessPolicy: {} },
    ];
    await table.setAccessPolicy(policies);
    assert.deepEqual(present([...(await table.getAccessPolicy())]), policies);
    await table.setAccessPolicy([]);
    assert.deepEqual([...(await table.getAccessPolicy())], []);
  });
});

const off = { enabled: false };
/** What a fresh account answers (protocol: service-properties#defaults). */
const DEFAULTS = {
  logging: { version: '1.0', read: false, write: false, delete: false, retentionPolicy: off },
  hourMetrics: {
    version: '1.0',
    enabled: true,
    includeAPIs: true,
    retentionPolicy: { enabled: true, days: 7 },
  },
  minuteMetrics: { version: '1.0', enabled: false, retentionPolicy: off },
};

describeTargets('the Table service', subject => {
  test('properties are read back as they were set, and what was left out stays', async () => {
    const service = serviceClient(subject.server);
    const { logging: first, hourMetrics, minuteMetrics } = await service.getProperties();
    assert.deepEqual(present({ logging: first, hourMetrics, minuteMetrics }), DEFAULTS);
    const retentionPolicy = { enabled: true, days: 365 };
    const logging = { version: '1.0', read: true, write: true, delete: true, retentionPolicy };
    const rule = {
      allowedOrigins: 'https://one.example,https://two.example',
      allowedMethods: 'GET,PUT',
      allowedHeaders: 'x-ms-meta-abc',
      exposedHeaders: 'x-ms-request-id',
      maxAgeInSeconds: 500,
    };
    await service.setProperties({ logging, cors: [rule] });
    await service.setProperties({ minuteMetrics: DEFAULTS.hourMetrics });
    const set = await service.getProperties();
    assert.deepEqual([set.logging, set.cors], [logging, [rule]]);
    assert.deepEqual(present(set.hourMetrics), DEFAULTS.hourMetrics);
    assert.deepEqual(set.minuteMetrics, DEFAULTS.hourMetrics);
    await service.setProperties({ cors: [] });
  });

  test('statistics are only on the secondary address', async () => {
    const { server } = subject;
    // The client derives the secondary's name from the first label of the host, so the account must be there; names
    // below localhost need no resolver.
    const agent = new Agent({
      lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const endpoint = `http://${server.account.name}.table.localhost:${server.tablePort}`;
    const service = new TableServiceClient(endpoint, keyCredential(server), {
      ...CLIENT_OPTIONS,
      additionalPolicies: [
        {
          position: 'perCall',
          policy: {
            name: 'localhost',
            sendRequest: (request, next) => {
              request.agent = agent;
              return next(request);
            },
          },
        },
      ],
    });
    const { geoReplication } = await service.getStatistics();
    assert.equal(geoReplication?.status, 'live');
    assert(geoReplication.lastSyncTime instanceof Date);
    agent.destroy();
  });
});
