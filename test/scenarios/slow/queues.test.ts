// Queues through the official client: their life, metadata, policies, lists, and the service's own settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueServiceClient, type SignedIdentifier } from '@azure/storage-queue';
import { collect, present, refuses } from '../../support/clients.js';
import {
  makeQueue,
  queueClient,
  queueCredential,
  queueEndpointOf,
  queueServiceClient,
} from '../../support/queue-clients.js';
import { describeTargets } from '../../support/targets.js';

describeTargets('queues', subject => {
  test('a queue is made once, asked for and deleted', async () => {
    const queue = queueClient(subject.server, subject.newTableName());
    assert.equal(await queue.exists(), false);
    assert.equal((await queue.create())._response.status, 201);
    assert.equal((await queue.create())._response.status, 204);
    assert.equal(await queue.exists(), true);
    await refuses(queue.create({ metadata: { other: '1' } }), 409, 'QueueAlreadyExists');
    assert.equal((await queue.createIfNotExists()).succeeded, false);
    assert.equal((await queue.createIfNotExists({ metadata: { other: '1' } })).succeeded, false);
    assert.equal((await queue.delete())._response.status, 204);
    await refuses(queue.delete(), 404, 'QueueNotFound');
    assert.equal((await queue.deleteIfExists()).succeeded, false);
    assert.equal((await queue.createIfNotExists()).succeeded, true);
  });

  test('metadata is set as a whole, and messages are counted', async () => {
    const queue = await makeQueue(subject);
    assert.deepEqual((await queue.getProperties()).metadata, {});
    await queue.setMetadata({ one: '1', a_b: 'x', a1: 'a, b' });
    assert.deepEqual((await queue.getProperties()).metadata, { one: '1', a_b: 'x', a1: 'a, b' });
    await queue.setMetadata({});
    await queue.sendMessage('a');
    await queue.sendMessage('b', { visibilityTimeout: 60 });
    const { metadata, approximateMessagesCount } = await queue.getProperties();
    assert.deepEqual([metadata, approximateMessagesCount], [{}, 2]);
    await refuses(queueClient(subject.server, 'not-there').getProperties(), 404, 'QueueNotFound');
    await refuses(queueClient(subject.server, 'not-there').setMetadata({}), 404, 'QueueNotFound');
    await refuses(queue.setMetadata({ big: 'x'.repeat(8190) }), 400, 'MetadataTooLarge');
  });

  test('policies', async () => {
    const queue = await makeQueue(subject);
    assert.deepEqual((await queue.getAccessPolicy()).signedIdentifiers, []);
    const policy = {
      startsOn: new Date('2020-01-01'),
      expiresOn: new Date('2030-01-01'),
      permissions: 'raup',
    };
    const identifiers: SignedIdentifier[] = [
      { id: 'all', accessPolicy: policy },
      { id: 'letters', accessPolicy: { permissions: 'r' } as SignedIdentifier['accessPolicy'] },
    ];
    await queue.setAccessPolicy(identifiers);
    const { signedIdentifiers } = await queue.getAccessPolicy();
    assert.deepEqual(present(signedIdentifiers), identifiers);
    const six = Array.from({ length: 6 }, (_, i) => ({ id: `${i}`, accessPolicy: policy }));
    await refuses(queue.setAccessPolicy(six), 400, 'InvalidXmlDocument');
    await queue.setAccessPolicy([]);
    assert.deepEqual((await queue.getAccessPolicy()).signedIdentifiers, []);
    await refuses(queueClient(subject.server, 'not-there').getAccessPolicy(), 404, 'QueueNotFound');
  });

  test('lists, by prefix and page by page', async () => {
    const { server } = subject;
    const service = queueServiceClient(server);
    for (const name of ['list-a', 'list-b', 'list-c', 'list-d', 'list-e'])
      await service.createQueue(name, { metadata: name === 'list-c' ? { Color: 'blue' } : {} });
    const namesOf = async (prefix: string) =>
      (await collect(service.listQueues({ prefix }))).map(({ name }) => name);
    assert.deepEqual(await namesOf('list-'), ['list-a', 'list-b', 'list-c', 'list-d', 'list-e']);
    assert.deepEqual(await namesOf('list-d'), ['list-d']);
    assert.deepEqual(await namesOf('nothing'), []);
    const pages = [];
    for await (const page of service.listQueues({ prefix: 'list-' }).byPage({ maxPageSize: 2 }))
      pages.push(page.queueItems?.map(({ name }) => name));
    assert.deepEqual(pages, [['list-a', 'list-b'], ['list-c', 'list-d'], ['list-e']]);
    const [withMetadata] = await collect(service.listQueues({ prefix: 'list-c', includeMetadata: true }));
    assert.deepEqual(withMetadata, { name: 'list-c', metadata: { Color: 'blue' } });
  });

  test('the service has settings of its own', async () => {
    const service = queueServiceClient(subject.server);
    const before = await service.getProperties();
    assert.equal(before.queueAnalyticsLogging?.read, false);
    const status = await service.setProperties({
      cors: [
        {
          allowedOrigins: 'https://a.example',
          allowedMethods: 'GET,PUT',
          allowedHeaders: '',
          exposedHeaders: 'x-ms-*',
          maxAgeInSeconds: 7,
        },
      ],
    });
    assert.equal(status._response.status, 202);
    const { cors, hourMetrics } = await service.getProperties();
    assert.equal(cors?.[0]?.allowedOrigins, 'https://a.example');
    assert.deepEqual(hourMetrics, before.hourMetrics);
    await service.setProperties({ cors: [] });
  });

  test('stats are answered by the secondary', async () => {
    const { server } = subject;
    await refuses(queueServiceClient(server).getStatistics(), 400, 'InvalidQueryParameterValue');
    const endpoint = `${queueEndpointOf(server)}-secondary`;
    const secondary = new QueueServiceClient(endpoint, queueCredential(server), {
      retryOptions: { maxTries: 1 },
    });
    assert.equal((await secondary.getStatistics()).geoReplication?.status, 'live');
    await refuses(secondary.createQueue('secondary'), 403, 'InsufficientAccountPermissions');
  });

  test('one connection string opens tables and queues', async () => {
    const service = QueueServiceClient.fromConnectionString(subject.server.connectionString());
    assert.equal(service.url, `${queueEndpointOf(subject.server)}`);
    await service.createQueue('by-connection-string');
  });
});
