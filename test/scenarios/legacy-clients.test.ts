// The predecessor of the official clients, azure-storage 2.10.7, which many programs still use: SharedKey, MERGE, Prefer and
// LF-only batches on tables, and each of its operations on queues.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { queueEndpointOf } from '../support/queue-clients.js';
import { describeTargets, type Subject } from '../support/targets.js';

/** The package's own declarations are older than the compiler. */
type Untyped = ReturnType<NodeJS.Require>;

/** Loaded as its users load it. */
const legacy: Untyped = createRequire(import.meta.url)('azure-storage');

/** With promises for callbacks. */
const promising = (service: Untyped): Untyped =>
  new Proxy(service, {
    get: (_, name) =>
      name === 'generateSharedAccessSignature'
        ? service[name].bind(service)
        : promisify(service[name]).bind(service),
  });

const fails = (promise: Promise<unknown>, statusCode: number, code: string): Promise<void> =>
  assert.rejects(promise, { statusCode, code });

const key = (rowKey: string) => ({ PartitionKey: { _: 'p' }, RowKey: { _: rowKey } });
const row = (n: number) => ({ ...key(`${n}`), n: { _: n } });
const property = (entity: Untyped, name: string): unknown => entity[name]?._;

async function openTable({ server, newTableName }: Subject) {
  const { name, key: secret } = server.account;
  const service = promising(legacy.createTableService(name, secret, server.tableEndpoint));
  const table = newTableName();
  await service.createTable(table);
  const execute = (
    ...writes: readonly (readonly [write: string, ...entity: unknown[]])[]
  ): Promise<Untyped> => {
    const batch = new legacy.TableBatch();
    for (const [write, ...entity] of writes)
      batch[write](...entity, ...(write === 'retrieveEntity' ? [] : [{ echoContent: false }]));
    return service.executeBatch(table, batch);
  };
  return { service, table, execute };
}

const EVERY_TYPE = {
  ...key('r'),
  text: { _: "it's ü", $: 'Edm.String' },
  yes: { _: true, $: 'Edm.Boolean' },
  int: { _: 42, $: 'Edm.Int32' },
  long: { _: '9223372036854775807', $: 'Edm.Int64' },
  double: { _: 10.5, $: 'Edm.Double' },
  whole: { _: 10, $: 'Edm.Double' },
  // Beyond Int32, and without a type.
  large: { _: 1_795_740_487_512 },
  least: { _: -(2 ** 31) - 1 },
  at: { _: new Date('2020-01-01T01:02:03.004Z'), $: 'Edm.DateTime' },
  id: { _: 'c9da6455-213d-42c9-9a79-3e9149a57833', $: 'Edm.Guid' },
  bytes: { _: Buffer.from([1, 2, 3, 255]), $: 'Edm.Binary' },
};

describeTargets('legacy client: tables', subject => {
  test('tables are found, listed by prefix and deleted', async () => {
    const { service, table } = await openTable(subject);
    await fails(service.createTable(table), 409, 'TableAlreadyExists');
    assert.equal((await service.createTableIfNotExists(table)).created, false);
    assert.equal((await service.doesTableExist(table)).exists, true);
    const { entries, continuationToken } = await service.listTablesSegmentedWithPrefix(table, null);
    assert.deepEqual([entries, continuationToken], [[table], null]);
    await service.deleteTable(table);
    assert.equal((await service.doesTableExist(table)).exists, false);
    assert.equal(await service.deleteTableIfExists(table), false);
    await fails(service.deleteTable(table), 404, 'ResourceNotFound');
  });

  test('an entity of every type is written by every write, alone and in a batch', async () => {
    const { service, table, execute } = await openTable(subject);
    const check = async (): Promise<void> => {
      const entity = await service.retrieveEntity(table, 'p', 'r');
      for (const [name, { _: value }] of Object.entries(EVERY_TYPE))
        assert.deepEqual(property(entity, name), value, name);
    };
    const { '.metadata': metadata } = await service.insertEntity(table, EVERY_TYPE, {});
    assert.equal((await service.retrieveEntity(table, 'p', 'r'))['.metadata'].etag, metadata.etag);
    await fails(service.insertEntity(table, EVERY_TYPE, {}), 409, 'EntityAlreadyExists');
    await fails(service.retrieveEntity(table, 'p', 'missing'), 404, 'ResourceNotFound');
    for (const write of ['mergeEntity', 'replaceEntity', 'insertOrMergeEntity', 'insertOrReplaceEntity']) {
      await service[write](table, EVERY_TYPE);
      await execute([write, EVERY_TYPE]);
      await check();
    }
  });

  test('a query, and batches: of every kind, one that fails, one of a retrieval', async () => {
    const { service, table, execute } = await openTable(subject);
    await execute(...[1, 2, 3].map(n => ['insertEntity', row(n)] as const));
    const results = await execute(
      ['insertEntity', row(0)],
      ['mergeEntity', { ...key('1'), merged: { _: 'yes' } }],
      ['replaceEntity', { ...key('2'), replaced: { _: 'yes' } }],
      ['deleteEntity', key('3')],
    );
    assert.deepEqual(
      results.map(({ response }: Untyped) => response.statusCode),
      [204, 204, 204, 204],
    );
    const shown = async (query: Untyped = null) =>
      (await service.queryEntities(table, query, null)).entries.map((entity: Untyped) =>
        ['n', 'merged', 'replaced'].map(name => property(entity, name)),
      );
    const entities = [
      [0, undefined, undefined],
      [1, 'yes', undefined],
      [undefined, undefined, 'yes'],
    ];
    assert.deepEqual(await shown(), entities);
    const failing = execute(...[8, 7, 1].map(n => ['insertEntity', row(n)] as const));
    await fails(failing, 409, 'EntityAlreadyExists');
    await assert.rejects(failing, /2:The specified entity already exists\./);
    assert.deepEqual(await shown(), entities);
    const query = new legacy.TableQuery().select('n').where('PartitionKey eq ?', 'p').and('n ge ?', 1).top(4);
    assert.deepEqual(await shown(query), [[1, undefined, undefined]]);
    const [found] = await execute(['retrieveEntity', 'p', '1']);
    assert.deepEqual([found.response.statusCode, property(found.entity, 'n')], [200, 1]);
    await fails(execute(['retrieveEntity', 'p', '8']), 404, 'ResourceNotFound');
  });
});

async function openQueue({ server, newTableName }: Subject) {
  const { name, key: secret } = server.account;
  const service = promising(legacy.createQueueService(name, secret, queueEndpointOf(server)));
  const queue = newTableName();
  await service.createQueue(queue, {});
  return { service, queue };
}

describeTargets('legacy client: queues', subject => {
  test('queues and the service have settings, and are listed and deleted', async () => {
    const { service, queue } = await openQueue(subject);
    assert.equal((await service.doesQueueExist(queue)).exists, true);
    assert.equal((await service.createQueueIfNotExists(queue)).created, false);
    await fails(service.createQueue(queue, { metadata: { a: '1' } }), 409, 'QueueAlreadyExists');
    await service.setQueueMetadata(queue, { colour: 'red' });
    await service.createMessage(queue, 'one', {});
    const { metadata, approximateMessageCount } = await service.getQueueMetadata(queue);
    assert.deepEqual([{ ...metadata }, Number(approximateMessageCount)], [{ colour: 'red' }, 1]);
    const { entries } = await service.listQueuesSegmentedWithPrefix(queue, null, { include: 'metadata' });
    assert.deepEqual([entries[0].name, entries[0].metadata.colour], [queue, 'red']);
    assert.equal(await service.deleteQueueIfExists(queue), true);
    await fails(service.deleteQueue(queue), 404, 'QueueNotFound');
    const origin = { AllowedOrigins: ['https://one.example'], AllowedMethods: ['GET'] };
    const rule = { ...origin, AllowedHeaders: ['x-ms-*'], ExposedHeaders: ['x-ms-*'], MaxAgeInSeconds: 60 };
    await service.setServiceProperties({ Cors: { CorsRule: [rule] } });
    assert.deepEqual((await service.getServiceProperties()).Cors, { CorsRule: [rule] });
  });

  test('a message is put, peeked, got, updated, deleted and cleared', async () => {
    const { service, queue } = await openQueue(subject);
    assert.equal(await service.getMessage(queue), undefined);
    const text = 'a <b> & "c" ü 😀';
    const put = await service.createMessage(queue, text, { messageTimeToLive: 60, visibilityTimeout: 0 });
    const peeked = await service.peekMessage(queue);
    assert.deepEqual([peeked.messageId, peeked.messageText], [put.messageId, text]);
    const got = await service.getMessage(queue);
    assert.deepEqual([got.messageText, got.dequeueCount], [text, 1]);
    assert.equal(Date.parse(got.expirationTime) - Date.parse(got.insertionTime), 60_000);
    await fails(service.deleteMessage(queue, got.messageId, put.popReceipt), 400, 'PopReceiptMismatch');
    const other = { messageText: 'other' };
    const updated = await service.updateMessage(queue, got.messageId, got.popReceipt, 0, other);
    const again = await service.getMessage(queue);
    assert.deepEqual([again.messageText, again.dequeueCount], ['other', 2]);
    assert.notEqual(again.popReceipt, updated.popReceipt);
    await service.deleteMessage(queue, again.messageId, again.popReceipt);
    await fails(service.deleteMessage(queue, again.messageId, again.popReceipt), 404, 'MessageNotFound');
    await service.createMessage(queue, 'more', {});
    await service.clearMessages(queue);
    assert.equal((await service.peekMessages(queue, { numOfMessages: 32 })).length, 0);
  });

  test('signatures, with and without a stored policy', async () => {
    const { service, queue } = await openQueue(subject);
    const by = (policy: object) => {
      const signature = service.generateSharedAccessSignature(queue, policy);
      return promising(legacy.createQueueServiceWithSas(queueEndpointOf(subject.server), signature));
    };
    const Expiry = new Date(Date.now() + 3_600_000);
    await service.setQueueAcl(queue, { producer: { Permissions: 'a', Expiry } });
    assert.equal((await service.getQueueAcl(queue)).signedIdentifiers.producer.Permissions, 'a');
    const producer = by({ Id: 'producer' });
    await producer.createMessage(queue, 'one', {});
    await fails(producer.getMessage(queue), 403, 'AuthorizationPermissionMismatch');
    const consumer = by({ AccessPolicy: { Permissions: 'p', Expiry } });
    assert.equal((await consumer.getMessage(queue)).messageText, 'one');
  });
});

describeTargets(
  'legacy client: a queue that is being deleted',
  subject => {
    test('is not there, and only its create returns the reason', async () => {
      const { service, queue } = await openQueue(subject);
      await service.createMessage(queue, 'm', {});
      await service.deleteQueue(queue);
      for (const create of ['createQueue', 'createQueueIfNotExists'])
        await fails(service[create](queue, {}), 409, 'QueueBeingDeleted');
      assert.equal((await service.doesQueueExist(queue)).exists, false);
      assert.equal(await service.deleteQueueIfExists(queue), false);
      for (const [call, ...args] of [
        ...[['deleteQueue'], ['createMessage', 'm', {}], ['getMessages', {}], ['peekMessages', {}]],
        ...[['clearMessages'], ['getQueueMetadata'], ['setQueueMetadata', { a: '1' }], ['getQueueAcl']],
      ])
        await fails(service[`${call}`](queue, ...args), 404, 'QueueNotFound');
    });
  },
  { tableDeletionSeconds: 600 },
);
